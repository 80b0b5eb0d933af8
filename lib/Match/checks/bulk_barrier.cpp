#include "Match/Checks.h"

namespace ptxray {

/// ptxas tells the operands after the size of a bulk copy apart by their types: it takes a lone address of 16 bits for
/// the mask of CTAs. No declaration of an operand can refer to operands that are not written.
void checks::bulk_barrier(const FormView &context, Judgement &judgement) {
  const Shape *barrier = context.operand("mbar");
  if (!barrier || barrier->kind != ShapeKind::Register || viewType(barrier->type).bits != 16 ||
      context.isWritten("ctaMask") || context.isWritten("cache-policy") || context.isWritten("left"))
    return;
  judgement.report(Phase::Type, DiagId::AddressWidth, context.placeOfOperand("mbar"), textThere,
                   spell(viewType(barrier->type)), ".u32");
}

} // namespace ptxray
