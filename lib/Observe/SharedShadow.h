#pragma once
// The shadow memory that the warps of a cluster share: the last accesses to each four bytes. It is stored in columns,
// so that most accesses are recorded for all lanes in a few steps.
#include "Machine/PastAccess.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <vector>

namespace ptxray::machine {

struct LaneShape;
struct Warp;

/// An access of a warp, or a write of an operation that the warp has started, to consecutive whole cells.
struct RowAccess {
  size_t first, count;
  const uint32_t *lanes; // lanes of each byte of each cell
  PastAccess now;        // without the lanes
  bool isWrite;
  uint32_t horizon, warps; // accesses of agents 1 to `warps`, up to this count of each agent, happened before
  uint32_t sameLanes; // accesses by the same lanes of this agent, up to this count, happened before; all ones if there
                      // are none
};

/// A read that is not recorded in the cells yet. It is ordered after all writes so far, so it cannot race before the
/// next write.
struct LateRead {
  const LaneShape *shape;
  Warp *reader;
  const Instruction *at;
  uint32_t offset; // offset of the lowest address
  uint32_t clock, horizon;
  uint16_t turn;
};

class SharedShadow {
public:
  static constexpr size_t mostOfRow = 128; // number of cells

  /// Allocates cells. `instructions` points to the instructions of the module.
  void grow(size_t cells, const Instruction *instructions);
  size_t size() const { return readers.size(); }
  Cell read(size_t index) const;
  void write(size_t index, const Cell &cell);
  static constexpr size_t fewCells = 8, manyCells = 64;
  /// Returns whether all cells starting at this one have the same writes. `count` is `fewCells` or `manyCells`.
  bool areWritesSame(size_t first, size_t count) const;
  /// Returns whether all cells have the same reads, and all reads are stored in the columns.
  bool areReadsSame(size_t first, size_t count) const;
  /// Returns whether all writes of the cells are by agents 1 to `warps`, at their count `clock` or earlier.
  bool areWritesBefore(size_t first, size_t count, uint32_t clock, uint32_t warps) const;
  /// Returns whether a cell has more reads than the columns can store.
  bool hasMoreReads(size_t index) const;
  bool hasMoreWrites(size_t index) const;
  /// Discards additional writes that all agents have observed: those up to the count `known` of their writers.
  void dropMoreWrites(uint32_t known, uint32_t warps);
  /// Copies the state of a cell after an access to the following cells, which had the same state before.
  void repeat(size_t first, size_t count, bool isWrite);
  /// Return the results of the functions above for whole cells in several runs. The state of all cells must equal that
  /// of the first one.
  bool areWritesSame(llvm::ArrayRef<ByteRun> runs) const;
  bool areReadsSame(llvm::ArrayRef<ByteRun> runs) const;
  bool areWritesBefore(llvm::ArrayRef<ByteRun> runs, uint32_t clock, uint32_t warps) const;
  /// Returns whether all writes of the cells are by agents 1 to `warps`, at their count `clock` or earlier, or happened
  /// before for another known reason.
  bool areWritesKnown(llvm::ArrayRef<ByteRun> runs, uint32_t clock, uint32_t warps,
                      llvm::function_ref<bool(uint32_t agent, uint32_t clock)> isKnown) const;
  void repeat(llvm::ArrayRef<ByteRun> runs, bool isWrite);
  /// Records the access if simple rules show that it does not race. Returns whether it was recorded. `isKnown` returns
  /// whether an event of another agent, at that agent's count, certainly happened before.
  bool noteRow(const RowAccess &row, llvm::function_ref<bool(uint32_t agent, uint32_t clock)> isKnown);

  std::map<size_t, std::vector<ReadGroup>> moreReads;   // earlier groups of reads of each cell
  std::map<size_t, std::vector<PastAccess>> moreWrites; // earlier writes to other bytes
  uint32_t latestWrite = 0;                             // maximum count of all writes; all ones if unknown
  std::vector<LateRead> lateReads;                      // in their order

  /// The accesses of all cells, with one column for each member.
  struct Columns {
    std::vector<uint32_t> warps, clocks, lanes, places; // places are instruction indices
    std::vector<uint32_t> details;                      // turn, bytes, and flags
  };

private:
  bool areReadsKnown(const RowAccess &row, llvm::function_ref<bool(uint32_t, uint32_t)> isKnown) const;

  const Instruction *instructions = nullptr;
  Columns writes, reads;
  std::vector<uint64_t> readers; // `warps` of the groups of reads
};

} // namespace ptxray::machine
