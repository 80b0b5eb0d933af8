#pragma once
// Determines which threads of a block reach an instruction, considering conditions that depend only on the thread's
// number:
//|  setp.lt.u32 %p1, %tid, 64;  @%p1 bra half;       thread 0 reaches `half`, thread 64 does not
//|  setp.lt.u32 %p2, %tid, %n;  @!%p2 bra end;       unknown which threads continue
// Uniform conditions (on a parameter or the block's number) are assumed to permit the path.
#include "Flow/Analyses.h"
#include "Flow/Sharing.h"
#include "Flow/Values.h"

namespace ptxray {

enum class Coming : uint8_t { Perhaps, Certainly, Never };

class ThreadPaths {
public:
  ThreadPaths(const Body &body, Analyses &analyses) : body(body), analyses(analyses) {}

  /// Returns whether a thread reaches the instruction. `values` are those of the thread; with `counter`, only one
  /// iteration of its loop is considered.
  Coming comesTo(uint32_t instruction, Values &values, LocalId counter = LocalId::None);
  /// Returns whether the first thread of a warp reaches the instruction.
  Coming warpComesTo(uint32_t instruction, uint64_t warp);

private:
  Coming decided(LocalId guard, bool isNegated, bool wanted, Values &values, LocalId counter);
  Coming passes(BlockId splitting, BlockId target, Values &values, LocalId counter);
  bool mayDiffer(LocalId local, LocalId counter);

  const Body &body;
  Analyses &analyses;
  std::vector<std::unique_ptr<Values>> ofWarps; // values in the first thread of each warp
};

} // namespace ptxray
