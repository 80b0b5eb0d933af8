#pragma once
// The shadow of memory that the warps of a cluster share: the last accesses to each four bytes. It is stored in
// columns, so that most accesses are recorded for all lanes in a few steps.
#include "Machine/PastAccess.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <vector>

namespace ptxray::machine {

struct LaneShape;
struct Warp;

/// An access of a warp, or a write of an operation that it has started, to consecutive whole cells.
struct RowAccess {
  size_t first, count;
  const uint32_t *lanes; // lanes of the bytes of each cell
  PastAccess now;        // without the lanes
  bool isWrite;
  uint32_t horizon, warps; // accesses of agents 1 to `warps` up to this count of their own happened before
  uint32_t sameLanes; // accesses of the same lanes of this agent up to this count happened before; all ones for none
};

/// A read of a warp that is not in the cells yet. It comes after all writes so far, so that nothing races with it
/// before the next write.
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

  /// Allocates cells. `instructions` are those of the module.
  void grow(size_t cells, const Instruction *instructions);
  size_t size() const { return readers.size(); }
  Cell read(size_t index) const;
  void write(size_t index, const Cell &cell);
  static constexpr size_t fewCells = 8, manyCells = 64;
  /// Returns whether the writes of all cells from this one on are the same. Their number is `fewCells` or `manyCells`.
  bool areWritesSame(size_t first, size_t count) const;
  /// Returns the same for reads, all of which must be known from the columns.
  bool areReadsSame(size_t first, size_t count) const;
  /// Returns whether all writes of the cells are by agents 1 to `warps`, at these counts of theirs or earlier.
  bool areWritesBefore(size_t first, size_t count, uint32_t clock, uint32_t warps) const;
  /// Returns whether a cell has more reads than the columns hold.
  bool hasMoreReads(size_t index) const;
  bool hasMoreWrites(size_t index) const;
  /// Forgets writes in addition to the last ones that all agents know: those up to this count of their writers.
  void dropMoreWrites(uint32_t known, uint32_t warps);
  /// Copies the state that an access has given one cell to the following cells, which had the same state.
  void repeat(size_t first, size_t count, bool isWrite);
  /// Return the same as the functions above for whole cells in several places. The state of all cells must be the same
  /// as that of the first one.
  bool areWritesSame(llvm::ArrayRef<ByteRun> runs) const;
  bool areReadsSame(llvm::ArrayRef<ByteRun> runs) const;
  bool areWritesBefore(llvm::ArrayRef<ByteRun> runs, uint32_t clock, uint32_t warps) const;
  /// Returns whether all writes of the cells are by agents 1 to `warps`, at these counts of theirs or earlier, or are
  /// known to have happened before.
  bool areWritesKnown(llvm::ArrayRef<ByteRun> runs, uint32_t clock, uint32_t warps,
                      llvm::function_ref<bool(uint32_t agent, uint32_t clock)> isKnown) const;
  void repeat(llvm::ArrayRef<ByteRun> runs, bool isWrite);
  /// Records the access if simple rules show that nothing races with it. Returns whether it was recorded. `isKnown`
  /// returns whether an event of another agent at a count of its own certainly happened before.
  bool noteRow(const RowAccess &row, llvm::function_ref<bool(uint32_t agent, uint32_t clock)> isKnown);

  std::map<size_t, std::vector<ReadGroup>> moreReads;   // earlier groups of reads of each cell
  std::map<size_t, std::vector<PastAccess>> moreWrites; // earlier writes of other bytes
  uint32_t latestWrite = 0;                             // no write has a later count of its warp; all ones if unknown
  std::vector<LateRead> lateReads;                      // in their order

  /// The accesses of all cells, one column for each member.
  struct Columns {
    std::vector<uint32_t> warps, clocks, lanes, places; // places are numbers of instructions
    std::vector<uint32_t> details;                      // turn, bytes, and flags
  };

private:
  bool areReadsKnown(const RowAccess &row, llvm::function_ref<bool(uint32_t, uint32_t)> isKnown) const;

  const Instruction *instructions = nullptr;
  Columns writes, reads;
  std::vector<uint64_t> readers; // `warps` of the groups of reads
};

} // namespace ptxray::machine
