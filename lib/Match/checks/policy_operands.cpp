#include "Match/Checks.h"
#include <bit>

namespace ptxray {

static double valueOfFloat(const Shape &shape) {
  const bool single = (shape.flags & ShapeHexFloat) && !(shape.flags & ShapeWideFloat);
  return single ? std::bit_cast<float>(static_cast<uint32_t>(shape.value)) : std::bit_cast<double>(shape.value);
}

static void reportValue(const FormView &context, llvm::StringRef operand, const std::string &expected,
                        Judgement &judgement) {
  Finding &f =
      judgement.report(Phase::Type, DiagId::ImmediateValue, context.placeOfOperand(operand), textThere, expected);
  f.kind = Kind::Range;
}

/// Checks that a range contains its primary part, and that a fraction is above 0 and at most 1.
void checks::policy_operands(const FormView &context, Judgement &judgement) {
  const Shape *primary = context.operand("primary-size"), *total = context.operand("total-size");
  if (primary && total && isNumber(*primary) && isNumber(*total) &&
      static_cast<uint32_t>(primary->value) > static_cast<uint32_t>(total->value))
    reportValue(context, "primary-size", "0.." + std::to_string(static_cast<uint32_t>(total->value)), judgement);
  const Shape *fraction = context.operand("fraction");
  if (fraction && fraction->kind == ShapeKind::Float && !(valueOfFloat(*fraction) > 0 && valueOfFloat(*fraction) <= 1))
    reportValue(context, "fraction", "a fraction above 0 and at most 1", judgement);
}

} // namespace ptxray
