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

std::optional<std::array<uint64_t, 3>> likelyBlock(const Body &body) {
  const KernelHead head = headOf(*body.ast, *body.function);
  if (head.requiredBlock[0])
    return std::array<uint64_t, 3>{head.requiredBlock[0], head.requiredBlock[1], head.requiredBlock[2]};
  const auto isOfOtherDimension = [&](uint32_t number) {
    return llvm::any_of(body.operands(number), [&](const Operand &operand) {
      return operand.suffix != SpellingId::None &&
             (body.ast->text(operand.suffix) == ".y" || body.ast->text(operand.suffix) == ".z") &&
             operand.kind == OperandKind::Name;
    });
  };
  for (uint32_t number = 0; head.threads && number < body.size(); ++number)
    if (isOfOtherDimension(number))
      for (const LocalId name : body.namesOf(number))
        if (const isa::SpecialRegister *special = body.special(name);
            special && special->enumerates == isa::Enumerated::Threads)
          return std::nullopt;
  return head.threads ? std::optional(std::array<uint64_t, 3>{*head.threads, 1, 1}) : std::nullopt;
}

} // namespace ptxray
