#include "Flow/BodyRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

void checkBody(const Body &body, const BodyContext &context) {
  const size_t before = context.sink.diagnostics().size();
  for (auto rule : {checkNamedFunctions, checkBranchLists, checkAccesses, checkAddresses32, checkTraces})
    rule(body, context);
  // What is wrong in a single instruction would be told a second time, in another way.
  const bool isBroken =
      body.isBroken || llvm::any_of(llvm::drop_begin(context.sink.diagnostics(), before),
                                    [](const Diagnostic &d) { return d.severity == Severity::Error; });
  if (isBroken || context.options.isFragment)
    return;
  for (auto rule : {checkRegisterCount, checkReachability, checkDefinedness})
    rule(body, context);
  Analyses analyses(body, context.rules);
  for (auto rule : {checkConvergence, checkAddresses, checkUnwrittenPaths, checkCallTables})
    rule(body, context, analyses);
}

} // namespace ptxray
