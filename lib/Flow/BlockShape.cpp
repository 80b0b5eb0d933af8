#include "Flow/BlockShape.h"
#include "Isa/Isa.h"
#include "Module/KernelHead.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

BlockShape blockShapeOf(const Body &body) {
  constexpr uint64_t most = 1024;
  const KernelHead head = headOf(*body.ast, *body.function);
  const auto [x, y, z] = head.requiredBlock;
  if (x)
    return {true, true, std::min<uint64_t>(x, most), std::min<uint64_t>(y, most),
            std::min<uint64_t>(x, most) * std::min<uint64_t>(y, most) * std::min<uint64_t>(z, most)};
  BlockShape shape;
  shape.isKnown = head.threads.has_value();
  shape.threads = std::min(head.threads.value_or(most), most * most * most);
  return shape;
}

bool hasOneDimension(const Body &body) {
  const auto isOfOtherDimension = [&](const Operand &operand) {
    return operand.suffix != SpellingId::None && operand.kind == OperandKind::Name &&
           (body.ast->text(operand.suffix) == ".y" || body.ast->text(operand.suffix) == ".z");
  };
  for (uint32_t number = 0; number < body.size(); ++number)
    if (llvm::any_of(body.operands(number), isOfOtherDimension))
      for (const LocalId name : body.namesOf(number))
        if (const isa::SpecialRegister *special = body.special(name);
            special && special->enumerates == isa::Enumerated::Threads)
          return false;
  return true;
}

std::optional<std::array<uint64_t, 3>> likelyBlock(const Body &body) {
  const KernelHead head = headOf(*body.ast, *body.function);
  if (head.requiredBlock[0])
    return std::array<uint64_t, 3>{head.requiredBlock[0], head.requiredBlock[1], head.requiredBlock[2]};
  if (!head.threads || !hasOneDimension(body))
    return std::nullopt;
  return std::array<uint64_t, 3>{*head.threads, 1, 1};
}

} // namespace ptxray
