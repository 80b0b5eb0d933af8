#include "Check/Rules.h"

namespace ptxray {

/// Here ptxas does not convert a constant in decimals to one of 32 bits. A declaration tells constants apart by
/// what they are, not by how they are written.
void rules::single_constant(RuleContext &context) {
  const Shape *constant = context.operand("c");
  if (constant && constant->kind == ShapeKind::Float && !isSingle(*constant))
    context.report(Phase::Type, DiagId::FloatImmediate, context.placeOfOperand("c"), {"", ".f32"}).sourceArg = 0;
}

} // namespace ptxray
