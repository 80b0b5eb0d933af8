#pragma once
// Instructions that lanes of a warp execute together: those with `.aligned` all lanes, others the lanes that a mask
// names.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// The lanes have come to the end of the block of code, behind which an instruction is that some execute together: they
/// wait until the others of them are there.
void together(Warp &warp, const CodeBlock &block);
/// Lets lanes go on that wait for lanes which no longer exist, or for all that are left.
bool releaseParted(Warp &warp);

/// Some lanes come to an instruction that all lanes execute together. The others have to come there, too, before they
/// end or come to another; those that only end are not waited for.
void noteMeeting(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t mask);
/// Lanes end, or come to another instruction that all execute together, which is a fault if they were to come to the
/// one where others of their warp are. `instead` is the other one; null: they end.
void missMeeting(Warp &warp, uint32_t lanes, const Instruction *instead);

} // namespace ptxray::machine
