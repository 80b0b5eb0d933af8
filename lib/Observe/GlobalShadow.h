#pragma once
// The shadow memory of global memory: what was last done to each 16 bytes of it, which cores share.
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

inline constexpr uint64_t mostLaunches = 31; // the number of launches that cells can distinguish

/// Two words of which each is read and written as a whole.
struct GlobalCell {
  std::atomic<uint64_t> who, when;
};
/// Holds what a cell says.
struct GlobalContent {
  enum class State : uint8_t { Untouched, Read, ReadByAll, Written, WrittenStrongly };
  State state = State::Untouched;
  uint16_t bytes = 0;       // a bit for each of the 16
  uint32_t cluster = 0;     // its number
  uint32_t agent = 0;       // the last agent, by its number in the cluster
  uint32_t clock = 0;       // its own at that time
  uint32_t instruction = 0; // its number in the Ast
  uint8_t lane = wholeWarp; // the last lane
  bool hasOthers = false;   // more was done to other bytes of it
};

/// The cells of all allocations that a grid accesses, for all cores.
class GlobalShadows {
public:
  static constexpr unsigned coarse = 16, fine = 4;

  /// Returns null if there is no room for them.
  GlobalCell *of(const Allocation &allocation);
  /// The launch has ended. Memory for cells is kept for the next one if it is not too much.
  void forget();

  unsigned bytesOfCell = coarse;
  uint32_t launch = 1; // which of those that used this memory: what others noted does not count

  /// Calls `use` with what else was done to the bytes of a cell, alone; false: too many cells have such.
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

/// Atomic and strong accesses order clusters: all that a cluster does counts as before if anything of it is.
struct ClusterOrder {
  static constexpr uint64_t most = 4096; // clusters; of more nothing is known
  std::map<uint64_t, llvm::BitVector> places;
};

/// What the race detector knows of a grid, of one core.
struct RaceGrid {
  std::shared_ptr<GlobalShadows> shadows;            // of all cores
  llvm::SmallDenseMap<uint32_t, GlobalCell *> cells; // of `shadows`, by the number of the allocation
  ClusterOrder order;
};

} // namespace ptxray::machine
