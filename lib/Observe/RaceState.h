#pragma once
// What the race detector knows of warps, blocks and clusters.
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
  uint32_t number; // there
};

/// How a barrier object was made, and what brought it arrivals or bytes.
struct ObjectMaking {
  uint32_t warp = 0, clock = 0; // the warp that made it, and its clock then; 0: none did
  const Instruction *at = nullptr;
  bool isValid = false;                                           // made, and not invalidated since
  std::vector<std::pair<const Instruction *, uint32_t>> arrivals; // the instruction, the last warp
};

/// Of all blocks of a cluster.
struct RaceCluster {
  std::map<uint64_t, Clock> places;         // that order accesses
  std::map<uint64_t, ObjectMaking> objects; // barrier objects, by their place
  llvm::BitVector seen;                     // clusters that did something before; empty: that is not needed
};

struct RaceBlock : Attached {
  SharedShadow shadow;            // of shared memory
  SharedShadow tensorShadow;      // of the columns of tensor memory
  std::array<Clock, 16> barriers; // what happened before the arrivals at each barrier
  std::shared_ptr<RaceCluster> cluster;
};

struct RaceWarp : Attached {
  RaceGrid *grid = nullptr;
  RaceCluster *cluster = nullptr;
  uint32_t agent = 0; // the number of the warp in the cluster, from 1 on
  Clock clock;
  uint32_t together = 0;                 // up to which of its releases each lane has seen what the others did
  uint32_t readsTogether = 0;            // or what they read
  uint32_t horizon = 0;                  // all lanes know what each warp of the cluster did up to this count of its own
  bool hasRead = false;                  // since `readsTogether`
  std::vector<uint32_t> enginesTogether; // like `together`, of operations of its engines
  LaneView view;                         // what some of the lanes have seen in addition
  LaneView fenced, unfenced;             // what was before the last fences, and what strong reads saw since
  uint32_t accessing = 0;                // the lanes whose access is noted
  uint16_t turn = 0;                     // how many accesses were noted
  std::vector<HeldByOperation> held;
  bool hasFencedRegisters = false;         // it has executed a fence for registers
  const FunctionCode *changedIn = nullptr; // whose registers were changed since the last fence for them:
  std::vector<bool> changed;
};

inline RaceWarp &raceOf(const Warp &warp) { return *static_cast<RaceWarp *>(warp.attached.in(ObserverSlot::Races)); }
inline RaceBlock &raceOf(const BlockState &block) {
  return *static_cast<RaceBlock *>(block.attached.in(ObserverSlot::Races));
}

} // namespace ptxray::machine
