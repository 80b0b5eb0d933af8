#include "Check/Rules.h"

namespace ptxray {

/// What a register holds can be called only with a prototype or a list of targets.
void rules::call_by_name(RuleContext &context) {
  const Shape *target = context.operand("func");
  if (target && target->kind == ShapeKind::Register)
    context.report(Phase::Type, DiagId::CallWithoutPrototype, context.placeOfOperand("func"), {""})
        .sourceArg = 0;
}

} // namespace ptxray
