#pragma once
// Instructions that several lanes of a warp execute together: all lanes for `.aligned`, otherwise the lanes in a mask.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Makes the running lanes wait at the end of the code block until all lanes that execute the following instruction
/// together have arrived.
void together(Warp &warp, const CodeBlock &block);
/// Releases lanes that wait for lanes which have exited, or for all remaining lanes.
bool releaseParted(Warp &warp);

/// Records that some lanes reached an instruction that all lanes must execute together. The other lanes must reach it
/// before they exit or reach another such instruction. The warp does not wait for lanes that only exit.
void noteMeeting(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t mask);
/// Reports a fault if `lanes` exit or reach another instruction, although they should have executed the instruction
/// that other lanes of the warp reached. `instead` is the other instruction, or null if they exit.
void missMeeting(Warp &warp, uint32_t lanes, const Instruction *instead);

} // namespace ptxray::machine
