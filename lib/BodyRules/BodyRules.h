#pragma once
// The rules about a body as a whole. Each is in the file of its subject, beside this one; `checkBody` calls them.
#include "Flow/Analyses.h"
#include "Flow/BodyContext.h"
#include "Module/Program.h"

namespace ptxray {

/// Is false when an instruction is wrong, or more is around the text, so that nothing is said of the body as a whole.
bool checkBody(const Body &body, const BodyContext &context, Analyses &analyses);
/// These return what the rules about the whole module need to know of a function: `summaryOfHead` what its head says,
/// `summaryOf` all.
FunctionSummary summaryOfHead(const Ast &ast, const Function &function);
FunctionSummary summaryOf(const Body &body, const ModuleState &module, Analyses &analyses);

/// Reports which limits the analyses of the body have reached.
void reportLimits(const Body &body, const BodyContext &context, Analyses &analyses);

/// Returns whether a pedantic rule is asked for.
bool isWanted(const CheckOptions &options, DiagId pedantic);

// These rules look at one instruction at a time.
void checkInstructions(const Body &body, const BodyContext &context);
void checkAccesses(const Body &body, const BodyContext &context);
// These rules look at the whole body.
void checkSoundInstructions(const Body &body, const BodyContext &context);
void checkReachability(const Body &body, const BodyContext &context);
void checkConvergence(const Body &body, const BodyContext &context, Analyses &analyses);
void checkUnwrittenPaths(const Body &body, const BodyContext &context, Analyses &analyses);
void checkAddresses(const Body &body, const BodyContext &context, Analyses &analyses);
void checkValues(const Body &body, const BodyContext &context, Analyses &analyses);
void checkBarrierThreads(const Body &body, const BodyContext &context, Analyses &analyses);
void checkSharedRaces(const Body &body, const BodyContext &context, Analyses &analyses);
void checkBarrierPairs(const Body &body, const BodyContext &context, Analyses &analyses);
void checkTraffic(const Body &body, const BodyContext &context, Analyses &analyses);
void checkDefinedness(const Body &body, const BodyContext &context);

/// A branch through a list becomes a jump through a table: that of more targets than `most`, without any where the
/// index is a constant.
BranchTable branchTable(const Body &body, uint32_t number, uint64_t most);

} // namespace ptxray
