#include "BodyRules/BodyRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

bool isWanted(const CheckOptions &options, DiagId pedantic) {
  const RuleLevel level = options.levels.of(pedantic, Kind::None);
  return level == RuleLevel::Default ? options.pedantic : level != RuleLevel::Off;
}

void reportLimits(const Body &body, const BodyContext &context, Analyses &analyses) {
  if (!isWanted(context.options, DiagId::UnfollowedBody) ||
      (!analyses.isTangled() && !analyses.budget().wasAnyReached()))
    return;
  const Function &function = *body.function;
  Diagnostic &report = context.sink.report(DiagId::UnfollowedBody, function.nameRange, body.ast->text(function.name));
  if (analyses.isTangled())
    report.notes.push_back({"lists of labels have too many targets", std::nullopt});
  for (size_t i = 0; i < std::size(limitInfos); ++i)
    if (analyses.budget().wasReached(static_cast<Limit>(i)))
      report.notes.push_back(
          {"there are more than " + std::to_string(limitInfos[i].most) + " " + limitInfos[i].what.str(), std::nullopt});
}

bool checkBody(const Body &body, const BodyContext &context, Analyses &analyses) {
  const size_t before = context.sink.diagnostics().size();
  checkInstructions(body, context);
  checkAccesses(body, context);
  // Skip these rules: a fault in a single instruction would be reported again in another form.
  const bool isBroken =
      body.isBroken || llvm::any_of(llvm::drop_begin(context.sink.diagnostics(), before),
                                    [](const Diagnostic &d) { return d.severity == Severity::Error; });
  if (isBroken || context.options.isFragment)
    return false;
  checkSoundInstructions(body, context);
  checkReachability(body, context);
  checkDefinedness(body, context);
  if (analyses.isTangled())
    return false;
  for (auto rule : {checkConvergence, checkBarrierThreads, checkBarrierPairs, checkAddresses, checkValues,
                    checkUnwrittenPaths, checkSharedRaces, checkTraffic})
    rule(body, context, analyses);
  return true;
}

} // namespace ptxray
