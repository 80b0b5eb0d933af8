#pragma once
// Detects races in global memory: between clusters, and within a cluster between writes, or for a read that comes after
// a write and matters. 16 bytes of shadow memory hold the last accesses to each 16 bytes, and cores share them. In a
// launch of one cluster, they belong to 4 bytes each. Accesses to different bytes of a cell are kept in addition to the
// newest, as long as there are not too many. For reads by several clusters, only the fact that there were several is
// kept. So some races are missed, but no reported race is false.
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
/// Records the access of a warp, and returns an earlier one without an order before it. For strong accesses, only
/// writes are recorded, for the other accesses of their cluster.
std::optional<Race> noteGlobal(Warp &warp, const Instruction &at, const GlobalAccess &access);

/// Records a weak access of a whole warp from an offset on in one step. One of three conditions must hold: its cells
/// are new in this launch, or only its own cluster has accessed them and all accesses are reads, or it reads cells that
/// several clusters have read. Returns whether it was recorded.
bool noteGlobalRow(const Warp &warp, const Instruction &at, bool isWrite, const Allocation &allocation, uint64_t offset,
                   LaneShape &shape);

/// Orders clusters by a strong access: accesses of other clusters before a strong access to the same place happened
/// before.
void orderClusters(Warp &warp, uint64_t place);

} // namespace ptxray::machine
