#pragma once
// The shadow memory of global memory: the last accesses to each 16 bytes. Cores share it.
#include "Machine/Memory.h"
#include "Machine/PastAccess.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace ptxray::machine {

inline constexpr uint64_t mostLaunches = 31; // number of launches that cells can distinguish

/// A pair of words, each of which is read and written atomically.
struct GlobalCell {
  std::atomic<uint64_t> who, when;
};
/// The contents of a cell.
struct GlobalContent {
  enum class State : uint8_t { Untouched, Read, ReadByAll, Written, WrittenStrongly };
  State state = State::Untouched;
  uint16_t bytes = 0;       // one bit for each of the 16 bytes
  uint32_t cluster = 0;     // number of the cluster
  uint32_t agent = 0;       // last agent, by its number in the cluster
  uint32_t clock = 0;       // clock of the agent at that time
  uint32_t instruction = 0; // index of the instruction in the Ast
  uint8_t lane = wholeWarp; // last lane
  bool hasOthers = false;   // there were further accesses to other bytes of the cell
};

/// The cells of all allocations that a grid accesses, for all cores.
class GlobalShadows {
public:
  static constexpr unsigned coarse = 16, fine = 4;

  /// Returns the cells of an allocation, or null if there is not enough memory.
  GlobalCell *of(const Allocation &allocation);
  /// Clears the cells after a launch. Keeps memory for the next launch, up to a limit.
  void forget();

  unsigned bytesOfCell = coarse;
  uint32_t launch = 1; // number of the launch; accesses of earlier launches are ignored

  /// Calls `use` with the further accesses to the bytes of a cell, under a lock. Returns false if too many cells have
  /// further accesses.
  bool withOthers(const GlobalCell &cell, llvm::function_ref<void(std::vector<GlobalContent> &)> use);

private:
  struct Free {
    void operator()(GlobalCell *cells) const;
  };
  struct Cells {
    uint64_t begin;
    size_t count;
    std::unique_ptr<GlobalCell[], Free> cells;
  };
  std::mutex mutex;
  std::vector<Cells> all;
  llvm::DenseMap<const GlobalCell *, std::vector<GlobalContent>> others;
};

/// Orders clusters by atomic and strong accesses. If any access of a cluster happened before, all its accesses are
/// treated as such.
struct ClusterOrder {
  static constexpr uint64_t most = 4096; // maximum number of clusters; beyond it, no order is known
  std::map<uint64_t, llvm::BitVector> places;
};

/// The data of the race detector for a grid, on one core.
struct RaceGrid {
  std::shared_ptr<GlobalShadows> shadows;            // shared by all cores
  llvm::SmallDenseMap<uint32_t, GlobalCell *> cells; // cells of `shadows`, keyed by the number of the allocation
  ClusterOrder order;
};

} // namespace ptxray::machine
