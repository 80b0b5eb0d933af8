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
  uint32_t warp = 0, clock = 0; // the warp that initialised it, and its clock at that time; 0 for none
  const Instruction *at = nullptr;
  bool isValid = false;                                           // initialised, and not invalidated since
  std::vector<std::pair<const Instruction *, uint32_t>> arrivals; // the instruction, and its last warp
};

/// Data shared by all blocks of a cluster.
struct RaceCluster {
  std::map<uint64_t, Clock> places;         // clocks of places that order accesses
  std::map<uint64_t, ObjectMaking> objects; // barrier objects, keyed by place
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
  uint32_t together = 0;                 // each lane has seen what the others did up to this release of the warp
  uint32_t readsTogether = 0;            // like `together`, for reads of the others
  uint32_t horizon = 0;                  // all lanes know what each warp of the cluster did up to this count of its own
  bool hasRead = false;                  // since `readsTogether`
  std::vector<uint32_t> enginesTogether; // like `together`, for operations of its engines
  LaneView view;                         // events that some lanes have seen in addition
  LaneView fenced, unfenced;             // events before the last fences, and events that strong reads have seen since
  uint32_t accessing = 0;                // lanes whose access is being recorded
  uint16_t turn = 0;                     // number of recorded accesses
  std::vector<HeldByOperation> held;
  bool hasFencedRegisters = false; // the warp has executed a fence for registers
  // The function whose registers were changed since the last fence for them, and these registers.
  const FunctionCode *changedIn = nullptr;
  std::vector<bool> changed;
};

inline RaceWarp &raceOf(const Warp &warp) { return *static_cast<RaceWarp *>(warp.attached.in(ObserverSlot::Races)); }
inline RaceBlock &raceOf(const BlockState &block) {
  return *static_cast<RaceBlock *>(block.attached.in(ObserverSlot::Races));
}

} // namespace ptxray::machine
