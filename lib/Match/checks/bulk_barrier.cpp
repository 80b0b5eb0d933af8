#include "Match/Checks.h"

namespace ptxray {

/// Checks a barrier that ptxas reads as a mask. ptxas distinguishes the operands after the size of a bulk copy by their
/// types: a single 16-bit address is the mask of CTAs. The declaration of an operand cannot refer to operands that are
/// missing.
void checks::bulk_barrier(const FormView &context, Judgement &judgement) {
  const Shape *barrier = context.operand("mbar");
  if (!barrier || barrier->kind != ShapeKind::Register || viewType(barrier->type).bits != 16 ||
      context.isWritten("ctaMask") || context.isWritten("cache-policy") || context.isWritten("left"))
    return;
  judgement.report(Phase::Type, DiagId::AddressWidth, context.placeOfOperand("mbar"), textThere,
                   spell(viewType(barrier->type)), ".u32");
}

} // namespace ptxray
