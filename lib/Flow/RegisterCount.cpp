// register-count-unknown: ptxas does not know how many registers a warp of the kernel starts with, and ignores the
// change.
#include "Flow/BodyRules.h"
#include "Module/KernelHead.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

void checkRegisterCount(const Body &body, const BodyContext &context) {
  const auto changes = [&](uint32_t number) {
    return body.facts(number).has(isa::FactKind::Grows) || body.facts(number).has(isa::FactKind::Shrinks);
  };
  const auto first = llvm::find_if(body.notable, changes);
  if (first == body.notable.end() || body.function->kind != FunctionKind::Entry)
    return;
  const KernelHead head =
      withOptions(headOf(*body.ast, *body.function), context.options, context.module.availabilityOfCode);
  if (!head.registers && !head.threads)
    context.sink.report(DiagId::RegisterCountUnknown, body.instruction(*first).opcodeRange,
                        body.ast->text(body.function->name));
}

} // namespace ptxray
