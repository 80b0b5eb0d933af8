#pragma once
// Reconvergence points of a warp, at which diverged lanes wait for each other.
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Removes lanes from the joins between `from` and its ancestor `to`, so that other lanes no longer wait for them.
void leaveJoins(Warp &warp, uint32_t mask, int from, int to);
/// Merges two fragments that are at the same block.
void merge(Warp &warp, Fragment &into, const Fragment &other);
/// Makes the lanes of complete joins ready to run.
void settle(Warp &warp);
/// Creates a join at a code block, at which the lanes will wait for each other, unless the innermost join is
/// equivalent. Returns the index of the join.
int pushJoin(Warp &warp, uint32_t at, uint32_t lanes);
/// Makes the running lanes arrive at the joins of their block. Returns whether they continue; if not, they wait for
/// other lanes.
bool arriveAtJoins(Warp &warp);
/// Returns the code block of the innermost join of the running lanes, or null.
const CodeBlock *awaitedBlock(const Warp &warp);
/// Handles a branch that takes some lanes directly to the join. These lanes wait there, and the others continue.
/// Returns false if the branch is not of this kind.
bool partAtJoin(Warp &warp, const CodeBlock &block, uint32_t leaving);

/// Releases lanes that wait for lanes which cannot arrive. Returns whether there were any.
bool release(Warp &warp);
/// Makes `fragment`, which waited outside of the warp's lists, ready to run.
void resume(Warp &warp, const Fragment &fragment);

} // namespace ptxray::machine
