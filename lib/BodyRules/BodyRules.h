#pragma once
// The rules about a whole body. Each rule is in a file of its subject in this folder, and `checkBody` calls it.
#include "Flow/Analyses.h"
#include "Flow/BodyContext.h"
#include "Module/Program.h"

namespace ptxray {

/// Checks a body with all rules. Returns false if an instruction is wrong, or if the text is only a part of a larger
/// one; the rules about the whole body are then skipped.
bool checkBody(const Body &body, const BodyContext &context, Analyses &analyses);
/// Return the facts about a function that the rules about the whole module need: `summaryOfHead` returns those of the
/// head, `summaryOf` all of them.
FunctionSummary summaryOfHead(const Ast &ast, const Function &function);
FunctionSummary summaryOf(const Body &body, const ModuleState &module, Analyses &analyses);

/// Reports the limits that the analyses of the body have reached.
void reportLimits(const Body &body, const BodyContext &context, Analyses &analyses);

/// Returns whether a pedantic rule is requested.
bool isWanted(const CheckOptions &options, DiagId pedantic);

// Check one instruction at a time.
void checkInstructions(const Body &body, const BodyContext &context);
void checkAccesses(const Body &body, const BodyContext &context);
// Check the whole body.
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

/// Returns the table of a branch through a list with more targets than `most`. If the index is a constant, there is no
/// table.
BranchTable branchTable(const Body &body, uint32_t number, uint64_t most);

} // namespace ptxray
