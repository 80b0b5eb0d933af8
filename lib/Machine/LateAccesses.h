#pragma once
// Weak schedules: a load or an atomic operation of global memory that orders nothing may be done after what its warp
// executes next; who names its registers, accesses the same bytes, orders accesses or leaves the function waits for it.
#include "Machine/LateAccess.h"

namespace ptxray::machine {

/// The warp cannot go on with the block of code before it has done what it is late with.
bool waitsForLate(const Warp &warp, const FunctionCode &code, const CodeBlock &block);
/// Does what is due before the block of code. Returns the operation of the block that may be late, its last one; null:
/// there is none.
const Op *beforeBlock(Warp &warp, const FunctionCode &code, const CodeBlock &block);
/// Does the operation later.
void makeLate(Warp &warp, const FunctionCode &code, const Op &op);
/// Does those accesses that the warp has not done yet, as far as they may be of the same bytes.
void doOverlapping(Warp &warp, const uint64_t *at, uint32_t mask, uint32_t bytes);

} // namespace ptxray::machine
