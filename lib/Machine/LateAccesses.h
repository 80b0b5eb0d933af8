#pragma once
// Delays loads and atomic operations of global memory in weak schedules, if they order nothing. They may take effect
// after later instructions of the warp. A delayed access is completed before an instruction that uses its registers,
// accesses the same bytes, orders accesses or leaves the function.
#include "Machine/LateAccess.h"

namespace ptxray::machine {

/// Returns whether the warp must complete delayed accesses before it can execute the code block.
bool waitsForLate(const Warp &warp, const FunctionCode &code, const CodeBlock &block);
/// Completes delayed accesses that are due before the code block. Returns the last operation of the block if it is
/// chosen to be delayed, otherwise null.
const Op *beforeBlock(Warp &warp, const FunctionCode &code, const CodeBlock &block);
/// Delays the operation.
void makeLate(Warp &warp, const FunctionCode &code, const Op &op);
/// Completes delayed accesses of the warp that may overlap the given bytes.
void doOverlapping(Warp &warp, const uint64_t *at, uint32_t mask, uint32_t bytes);

} // namespace ptxray::machine
