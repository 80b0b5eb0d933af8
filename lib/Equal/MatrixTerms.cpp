#include "Equal/MatrixTerms.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using isa::StepOp;
using machine::warpSize;

/// Returns the number of a model, which does not depend on how many products the model adds at once.
static uint64_t numberOf(const numbers::SumModel &model) {
  return uint64_t(model.fractionBits) << 32 | uint64_t(static_cast<uint16_t>(model.zeroExponent)) << 8 |
         model.resultBits;
}

numbers::SumModel modelOf(uint64_t number, size_t products) {
  return {.way = numbers::SumWay::Fused,
          .fractionBits = static_cast<uint8_t>(number >> 32),
          .products = static_cast<uint8_t>(products),
          .zeroExponent = static_cast<int16_t>(number >> 8),
          .resultBits = static_cast<uint8_t>(number)};
}

static Term integerSum(Terms &terms, const ElementSum &how, Term accumulator,
                       llvm::ArrayRef<std::pair<Term, Term>> pairs) {
  RecipeStep add, multiply;
  add.op = StepOp::Add;
  multiply.op = StepOp::Multiply;
  Term sum = terms.read(accumulator, how.sum, false);
  for (const auto &[a, b] : pairs)
    sum = terms.apply(add, {sum, terms.apply(multiply, {terms.read(a, how.a, false), terms.read(b, how.b, false)})});
  return terms.store(sum, how.sum);
}

Term sumOfProducts(Terms &terms, const ElementSum &how, Term accumulator, llvm::ArrayRef<std::pair<Term, Term>> pairs) {
  if (accumulator == unknown ||
      llvm::any_of(pairs, [](const auto &pair) { return pair.first == unknown || pair.second == unknown; }))
    return unknown;
  if (!how.sum.isFloat())
    return integerSum(terms, how, accumulator, pairs);
  if (how.model.way != numbers::SumWay::Fused || !how.model.products)
    return unknown;
  // Each step adds some products and the accumulator at once, in any order.
  for (size_t i = 0; i < pairs.size(); i += how.model.products)
    accumulator = terms.matrixProduct(numberOf(how.model), how.sum, {how.a, how.b}, accumulator,
                                      pairs.slice(i, std::min<size_t>(how.model.products, pairs.size() - i)));
  return accumulator;
}

namespace {

/// The terms of the registers of one operand.
class Fragment {
public:
  Fragment(Terms &terms, const Site &site, Symbolic &symbolic, int operand, const RegisterFragment &fragment,
           const ElementType &type)
      : terms(terms), fragment(fragment), bits(type.format == &numbers::tf32 ? 32u : type.bits) {
    const RecipeOperand &of = site.recipe.operands[operand];
    for (size_t i = 0; i < of.registers.size(); ++i)
      for (unsigned lane = 0; lane < warpSize; ++lane)
        words.emplace_back().push_back(symbolic.registerTerm(of, i, lane));
    registers = of.registers.size();
  }
  Term at(size_t element) {
    const RegisterFragment::Place &place = fragment.places[element];
    const size_t word = std::min<size_t>(place.word, registers - 1);
    const Term whole = words[word * warpSize + place.lane].front();
    return whole == unknown ? unknown : terms.slice(whole, place.bit, bits);
  }

private:
  Terms &terms;
  const RegisterFragment &fragment;
  const unsigned bits;
  size_t registers = 0;
  std::vector<llvm::SmallVector<Term, 1>> words;
};

} // namespace

std::optional<MatrixTerms> productOf(Terms &terms, const Site &site, Symbolic &symbolic) {
  const RecipeProduct &product = site.recipe.product;
  const auto known = product.function->description();
  if (!known || known->matrices != 1 || product.d < 0 || product.c < 0)
    return {};
  const bool isSame = known->typeOfC == known->typeOfD && known->typeOfD.bits >= 16;
  if (!isSame || known->typeOfA.bits < 8)
    return {};
  Fragment a(terms, site, symbolic, product.a, known->a, known->typeOfA),
      b(terms, site, symbolic, product.b, known->b, known->typeOfB),
      c(terms, site, symbolic, product.c, known->c, known->typeOfC);
  const ElementSum how{known->model, known->typeOfA, known->typeOfB, known->typeOfD};
  std::vector<std::array<llvm::SmallVector<Ref, 8>, warpSize>> bytes(site.operands[product.d].size());
  for (auto &one : bytes)
    for (auto &lane : one)
      lane.resize(4);
  std::vector<std::pair<Term, Term>> pairs(known->depth);
  for (unsigned row = 0; row < known->rows; ++row)
    for (unsigned column = 0; column < known->columns; ++column) {
      for (unsigned k = 0; k < known->depth; ++k)
        pairs[k] = {a.at(size_t(k) * known->rows + row), b.at(size_t(k) * known->columns + column)};
      const size_t element = size_t(row) * known->columns + column;
      const Term sum = sumOfProducts(terms, how, c.at(element), pairs);
      const RegisterFragment::Place &to = known->d.places[element];
      for (unsigned i = 0; i < known->typeOfD.bits / 8u; ++i)
        bytes[to.word][to.lane][to.bit / 8 + i] = sum == unknown ? Ref{unknown, 0} : terms.byteOf(sum, i);
    }
  MatrixTerms result(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      result[i][lane] = terms.join(bytes[i][lane]);
  return result;
}

} // namespace ptxray::equal
