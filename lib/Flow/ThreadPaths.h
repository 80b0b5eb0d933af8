#pragma once
// This analysis finds which threads of a block come to an instruction, as far as the conditions on the way depend on
// their number alone:
//   setp.lt.u32 %p1, %tid, 64;  @%p1 bra half;       thread 0 comes to `half`, thread 64 does not
//   setp.lt.u32 %p2, %tid, %n;  @!%p2 bra end;       which ones go on is not known
// What is the same for all threads (a parameter, the number of the block) is taken to lead there.
#include "Flow/Analyses.h"
#include "Flow/Sharing.h"
#include "Flow/Values.h"

namespace ptxray {

enum class Coming : uint8_t { Perhaps, Certainly, Never };

class ThreadPaths {
public:
  ThreadPaths(const Body &body, Analyses &analyses) : body(body), analyses(analyses) {}

  /// `values` are those of the thread; of a counter in one round: that round alone.
  Coming comesTo(uint32_t instruction, Values &values, LocalId counter = LocalId::None);
  /// Follows the path of the first thread of a warp.
  Coming warpComesTo(uint32_t instruction, uint64_t warp);

private:
  Coming decided(LocalId guard, bool isNegated, bool wanted, Values &values, LocalId counter);
  Coming passes(BlockId splitting, BlockId target, Values &values, LocalId counter);
  bool mayDiffer(LocalId local, LocalId counter);

  const Body &body;
  Analyses &analyses;
  std::vector<std::unique_ptr<Values>> ofWarps; // in the first thread of each
};

} // namespace ptxray
