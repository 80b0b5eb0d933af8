#include "Isa/Words.h"
#include "Match/Checks.h"
#include "Match/Wording.h"

namespace ptxray {

/// Checks `.param::func` and `.param::entry`. The first contains arguments and results of functions, and is addressed
/// by name. The second contains the parameters of a kernel. Both are declared in `.param`. ptxas has checked this since
/// 13.1.
void checks::param_kind(const FormView &context, Judgement &judgement) {
  const isa::WordId space = context.wordOf(".ss");
  const Shape *address = context.operand("a");
  if (!address)
    return;
  const bool ofCall = address->kind == ShapeKind::Variable && !(address->flags & ShapeParameter);
  if ((space == isa::words::param_func && address->kind == ShapeKind::Register) ||
      (space == isa::words::param_entry && ofCall)) {
    Finding &f = judgement.report(Phase::Type, DiagId::StateSpace, context.placeOfOperand("a"), textThere,
                                  ofCall ? ".param::func" : ".param", quote(isa::word(space).text()));
    f.notes.push_back(releaseNote(1301));
  }
}

} // namespace ptxray
