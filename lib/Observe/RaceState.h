#pragma once
// The data of the race detector for warps, blocks and clusters.
#include "Machine/Grid.h"
#include "Observe/Clock.h"
#include "Observe/GlobalShadow.h"
#include "Observe/SharedShadow.h"
#include "llvm/ADT/BitVector.h"
#include <map>

namespace ptxray::machine {

struct HeldByOperation {
  const FunctionCode *code;
  const HeldLocals *registers;
  const Instruction *at;
  unsigned engine;
  uint32_t number; // number of the operation in the engine
};

/// The initialisation of a barrier object, and the instructions that added arrivals or bytes.
struct ObjectMaking {
  uint32_t warp = 0, clock = 0; // the warp that initialised the object, and its clock at that time; 0 if there is none
  const Instruction *at = nullptr;
  bool isValid = false; // the object is initialised, and was not invalidated since
  std::vector<std::pair<const Instruction *, uint32_t>>
      arrivals; // each arrival's instruction, and the last warp that executed it
};

/// Data shared by all blocks of a cluster.
struct RaceCluster {
  std::map<uint64_t, Clock> places;         // clocks of locations that order accesses
  std::map<uint64_t, ObjectMaking> objects; // barrier objects, keyed by location
  llvm::BitVector seen;                     // clusters whose accesses happened before; empty if not needed
};

struct RaceBlock : Attached {
  SharedShadow shadow;            // for shared memory
  SharedShadow tensorShadow;      // for the columns of tensor memory
  std::array<Clock, 16> barriers; // events that happened before the arrivals at each barrier
  std::shared_ptr<RaceCluster> cluster;
};

struct RaceWarp : Attached {
  RaceGrid *grid = nullptr;
  RaceCluster *cluster = nullptr;
  uint32_t agent = 0; // the number of the warp in the cluster, from 1 on
  Clock clock;
  uint32_t together = 0;      // all lanes have observed each other's accesses up to this release of the warp
  uint32_t readsTogether = 0; // the counterpart of `together` for reads
  uint32_t horizon = 0;       // all lanes have observed every warp of the cluster up to this count of that warp
  bool hasRead = false;       // since `readsTogether`
  std::vector<uint32_t> enginesTogether; // the counterpart of `together` for operations of each engine
  LaneView view;                         // events that only some lanes have observed
  LaneView fenced, unfenced; // events before the last fences, and events that strong reads have observed since
  uint32_t accessing = 0;    // lanes whose access is being recorded
  uint16_t turn = 0;         // number of recorded accesses
  std::vector<HeldByOperation> held;
  bool hasFencedRegisters = false; // the warp has executed a fence for registers
  // The function whose registers were changed after the last register fence, and these registers.
  const FunctionCode *changedIn = nullptr;
  std::vector<bool> changed;
};

inline RaceWarp &raceOf(const Warp &warp) { return *static_cast<RaceWarp *>(warp.attached.in(ObserverSlot::Races)); }
inline RaceBlock &raceOf(const BlockState &block) {
  return *static_cast<RaceBlock *>(block.attached.in(ObserverSlot::Races));
}

} // namespace ptxray::machine
