#pragma once
// Delays loads from and atomic operations on global memory in weak schedules, unless they order other accesses. They
// may take effect after later instructions of the warp. A delayed access is completed before an instruction that uses
// its registers, accesses the same bytes, orders accesses or leaves the function.
#include "Machine/LateAccess.h"

namespace ptxray::machine {

/// Returns whether the warp must complete delayed accesses before it can execute the code block.
bool waitsForLate(const Warp &warp, const FunctionCode &code, const CodeBlock &block);
/// Completes delayed accesses that are due before the code block. If the last operation of the block is to be delayed,
/// returns it, otherwise null.
const Op *beforeBlock(Warp &warp, const FunctionCode &code, const CodeBlock &block);
/// Delays the operation.
void makeLate(Warp &warp, const FunctionCode &code, const Op &op);
/// Completes delayed accesses of the warp that may overlap the given bytes.
void doOverlapping(Warp &warp, const uint64_t *at, uint32_t mask, uint32_t bytes);

} // namespace ptxray::machine
