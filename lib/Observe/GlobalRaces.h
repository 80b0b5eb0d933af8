#pragma once
// Races in global memory: between clusters, and within one between writes, or of a read that comes after a write and
// matters. What was last done to each 16 bytes is
// kept in 16 more, which cores may share. A launch of one cluster has them for each 4 bytes. Accesses to different
// bytes of them are kept beside the newest, as long as these cells are not too many; of reads by several clusters only
// is remembered that there were several: some races are not seen, and none is reported that is not one.
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
/// Notes the access of a warp; gives an earlier one that nothing orders before it. Of strong accesses writes are noted,
/// for the other accesses of their cluster.
std::optional<Race> noteGlobal(Warp &warp, const Instruction &at, const GlobalAccess &access);

/// Notes a weak access of a whole warp, from an offset on, at once: if its cells are new in this launch, if its own
/// cluster alone has accessed them, and read all, or if they are read that several clusters have read. Returns whether
/// it is noted.
bool noteGlobalRow(const Warp &warp, const Instruction &at, bool isWrite, const Allocation &allocation, uint64_t offset,
                   LaneShape &shape);

/// A strong access: what other clusters did before one to the same place is before.
void orderClusters(Warp &warp, uint64_t place);

} // namespace ptxray::machine
