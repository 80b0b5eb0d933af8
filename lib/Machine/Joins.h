#pragma once
// Joins of a warp: where lanes that parted wait for each other, and go on together.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// The lanes no longer wait for others in the joins from `from` up to `to`.
void leaveJoins(Warp &warp, uint32_t mask, int from, int to);
/// Joins two fragments that are at the same place.
void merge(Warp &warp, Fragment &into, const Fragment &other);
/// Lanes of joins for which no lane is missing any more can run.
void settle(Warp &warp);
/// The lanes will wait for each other at the block of code. Returns the join in which they do.
int pushJoin(Warp &warp, uint32_t at, uint32_t lanes);
/// The lanes that run come to a block of code. Returns whether they go on with it: others may have to come first.
bool arriveAtJoins(Warp &warp);
/// Returns the block of code at which other lanes may wait for those that run; null: none.
const CodeBlock *awaitedBlock(const Warp &warp);
/// Some lanes come at once to where all meet again, and wait there; the others go on. Returns whether that is so.
bool partAtJoin(Warp &warp, const CodeBlock &block, uint32_t leaving);

/// Lets lanes go on that wait for others that cannot come. Returns whether there are any.
bool release(Warp &warp);
/// The lanes go on at the block of code, after they waited elsewhere.
void resume(Warp &warp, const Fragment &fragment);

} // namespace ptxray::machine
