#include "Operate/Products.h"
#include "Semantics/Matrix.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>
#include <cstring>

namespace ptxray::machine {

namespace {

using Slots = std::vector<Slot>;

/// The registers of each operand of a product.
struct Product final : ManyPlaces {
  std::shared_ptr<const MatrixProduct> function;
  Slots a, b, c, metadata, scalesOfA, scalesOfB, d;

  std::shared_ptr<const ManyPlaces> renamed(Rename rename) const override {
    auto result = std::make_shared<Product>(*this);
    for (Slots *slots :
         {&result->a, &result->b, &result->c, &result->metadata, &result->scalesOfA, &result->scalesOfB, &result->d})
      llvm::for_each(*slots, rename);
    return result;
  }
};

template <class Word> using Pointers = llvm::SmallVector<const Word *, 8>;
template <class Word> Pointers<Word> pointersOf(const Slots &slots, const char *registers) {
  Pointers<Word> result;
  for (const Slot slot : slots)
    result.push_back(reinterpret_cast<const Word *>(registers + slot));
  return result;
}

template <class Word> void multiply(char *registers, const Op &op, uint32_t mask, Warp & /*warp*/) {
  const auto &product = static_cast<const Product &>(*static_cast<const ManyPlaces *>(op.more));
  const auto a = pointersOf<Word>(product.a, registers), b = pointersOf<Word>(product.b, registers),
             c = pointersOf<Word>(product.c, registers);
  const auto metadata = pointersOf<uint32_t>(product.metadata, registers),
             scalesOfA = pointersOf<uint32_t>(product.scalesOfA, registers),
             scalesOfB = pointersOf<uint32_t>(product.scalesOfB, registers);
  // Compute into temporaries: the result may share registers with operands, and inactive lanes keep their values.
  llvm::SmallVector<std::array<Word, warpSize>, 8> made(product.d.size());
  llvm::SmallVector<Word *, 8> to;
  for (auto &words : made)
    to.push_back(words.data());
  product.function->multiply(ProductOperands<Word>{a, b, c, metadata, scalesOfA, scalesOfB}, to);
  for (size_t i = 0; i < made.size(); ++i) {
    auto *const target = lanesOf<Word>(registers, product.d[i]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      target[lane] = mask >> lane & 1 ? made[i][lane] : target[lane];
  }
}

/// Finds the registers of a recipe's operands.
class Finder {
public:
  Finder(const Recipe &recipe, llvm::ArrayRef<Place> byNode, RegisterFile &file)
      : recipe(recipe), byNode(byNode), file(file) {}
  bool hasAll = true;

  Slots slots(int operand, unsigned bits) {
    Slots result;
    if (operand >= 0)
      for (const RecipeOperand::Register &one : recipe.operands[operand].registers)
        result.push_back(slotOf(one, bits));
    return result;
  }

private:
  Slot slotOf(const RecipeOperand::Register &one, unsigned bits) {
    if (one.isConstant && !one.isNot)
      return file.constant(bits, one.constant).slot;
    const bool isThere =
        one.node >= 0 && size_t(one.node) < byNode.size() && !one.isNot && byNode[one.node].bits == bits;
    hasAll &= isThere;
    return isThere ? byNode[one.node].slot : noSlot;
  }

  const Recipe &recipe;
  const llvm::ArrayRef<Place> byNode;
  RegisterFile &file;
};

} // namespace

std::optional<Compiled> productOf(const Recipe &recipe, llvm::ArrayRef<Place> byNode, RegisterFile &file, Kept &kept) {
  const RecipeProduct &from = recipe.product;
  if (!from.function || from.function->isOneByOne() || from.d < 0 || recipe.results.size() != 1)
    return std::nullopt;
  Finder finder(recipe, byNode, file);
  const unsigned bits = from.function->isOfDoubles() ? 64 : 32;
  auto product = std::make_shared<Product>();
  product->function = from.function;
  product->a = finder.slots(from.a, bits);
  product->b = finder.slots(from.b, bits);
  product->c = finder.slots(from.c, bits);
  product->metadata = finder.slots(from.metadata, 32);
  product->scalesOfA = finder.slots(from.scalesOfA, 32);
  product->scalesOfB = finder.slots(from.scalesOfB, 32);
  product->d = finder.slots(from.d, bits);
  if (!finder.hasAll)
    return std::nullopt;
  Compiled compiled;
  Op &op = compiled.ops.emplace_back();
  op.run = from.function->isOfDoubles() ? multiply<uint64_t> : multiply<uint32_t>;
  compiled.places = product.get();
  op.more = compiled.places;
  kept.push_back(std::move(product));
  return compiled;
}

} // namespace ptxray::machine
