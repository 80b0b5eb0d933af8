#pragma once
// Detects races in global memory: between clusters, and within a cluster between writes, or between a write and a later
// read that matters. Cores share the shadow memory, which stores the last accesses to each 16 bytes in 16 bytes, or to
// each 4 bytes in launches of one cluster. Accesses to other bytes of a cell are also stored, up to a limit. For reads
// by several clusters, only their existence is stored. Some races are therefore missed, but no reported race is false.
#include "Machine/Memory.h"
#include "Observe/GlobalShadow.h"
#include "Observe/Races.h"

namespace ptxray::machine {

struct LaneShape;

struct GlobalAccess {
  const Allocation &allocation;
  uint64_t offset, bytes;
  bool isWrite;
  bool isStrong = false;
  AccessLanes by = {};
};
/// Records the access of a warp. Returns an earlier access that is not ordered before it, if there is one. Of strong
/// accesses, only writes are recorded, for comparison with other accesses of their cluster.
std::optional<Race> noteGlobal(Warp &warp, const Instruction &at, const GlobalAccess &access);

/// Records a weak access of a whole warp, starting at an offset, in one step. Returns false if it cannot. The cells
/// must be new in this launch, or must have been read only: by its own cluster, or by several clusters if the access is
/// a read.
bool noteGlobalRow(const Warp &warp, const Instruction &at, bool isWrite, const Allocation &allocation, uint64_t offset,
                   LaneShape &shape);

/// Orders clusters by a strong access: accesses of other clusters that precede a strong access to the same location
/// happened before.
void orderClusters(Warp &warp, uint64_t place);

} // namespace ptxray::machine
