#pragma once
// The shadow holds what was last done to each four bytes of a memory that the warps of a cluster share. It is kept in
// columns, so that most accesses are noted in some steps for all of their lanes.
#include "Machine/PastAccess.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <vector>

namespace ptxray::machine {

struct LaneShape;
struct Warp;

/// An access of a warp itself, or a write of an operation that it has started, to whole cells, one after the other.
struct RowAccess {
  size_t first, count;
  const uint32_t *lanes; // of the bytes of each cell
  PastAccess now;        // but for the lanes
  bool isWrite;
  uint32_t horizon, warps; // what the agents from 1 to `warps` did up to this count of their own comes before
  uint32_t sameLanes;      // what the same lanes of this agent did comes before; all ones: of none
};

/// A read of a warp that the cells do not tell yet: it comes after all that was written, so that nothing races with it
/// before somebody writes.
struct LateRead {
  const LaneShape *shape;
  Warp *reader;
  const Instruction *at;
  uint32_t offset; // of the least address
  uint32_t clock, horizon;
  uint16_t turn;
};

class SharedShadow {
public:
  static constexpr size_t mostOfRow = 128; // cells

  /// Makes room; instructions are those of the module.
  void grow(size_t cells, const Instruction *instructions);
  size_t size() const { return readers.size(); }
  Cell read(size_t index) const;
  void write(size_t index, const Cell &cell);
  static constexpr size_t fewCells = 8, manyCells = 64;
  /// Returns whether the writes of the cells from this one on are the same; their number is `fewCells` or `manyCells`.
  bool areWritesSame(size_t first, size_t count) const;
  /// The same for reads; all of them are known from the columns.
  bool areReadsSame(size_t first, size_t count) const;
  /// Returns whether all writes of the cells are of agents from 1 to `warps`, at these counts of theirs or earlier.
  bool areWritesBefore(size_t first, size_t count, uint32_t clock, uint32_t warps) const;
  /// Returns whether there are more reads of a cell than the columns tell.
  bool hasMoreReads(size_t index) const;
  bool hasMoreWrites(size_t index) const;
  /// Forgets writes beside the last ones that all know of, which their own counts up to this one are.
  void dropMoreWrites(uint32_t known, uint32_t warps);
  /// Notes in these cells what an access has made of the one before them, which was like them.
  void repeat(size_t first, size_t count, bool isWrite);
  /// The same questions about whole cells in several places, the first of which is the one at the begin of the first
  /// run, and the same answer for all of them.
  bool areWritesSame(llvm::ArrayRef<ByteRun> runs) const;
  bool areReadsSame(llvm::ArrayRef<ByteRun> runs) const;
  bool areWritesBefore(llvm::ArrayRef<ByteRun> runs, uint32_t clock, uint32_t warps) const;
  /// Returns whether the writes of all cells are of agents from 1 to `warps`, at these counts of theirs or earlier, or
  /// known to come before.
  bool areWritesKnown(llvm::ArrayRef<ByteRun> runs, uint32_t clock, uint32_t warps,
                      llvm::function_ref<bool(uint32_t agent, uint32_t clock)> isKnown) const;
  void repeat(llvm::ArrayRef<ByteRun> runs, bool isWrite);
  /// Notes the access if nothing races with it by simple rules. Returns whether that is so. `isKnown` returns whether
  /// what another agent did at a count of its own certainly comes before.
  bool noteRow(const RowAccess &row, llvm::function_ref<bool(uint32_t agent, uint32_t clock)> isKnown);

  std::map<size_t, std::vector<ReadGroup>> moreReads;   // the earlier groups of each cell
  std::map<size_t, std::vector<PastAccess>> moreWrites; // the earlier writes, of other bytes
  uint32_t latestWrite = 0;                             // no write is at a later count of its warp; all ones: unknown
  std::vector<LateRead> lateReads;                      // in their order

  /// The accesses of all cells: their members, column by column.
  struct Columns {
    std::vector<uint32_t> warps, clocks, lanes, places; // places: the instructions, by number
    std::vector<uint32_t> details;                      // turn, bytes, and what is true or not
  };

private:
  bool areReadsKnown(const RowAccess &row, llvm::function_ref<bool(uint32_t, uint32_t)> isKnown) const;

  const Instruction *instructions = nullptr;
  Columns writes, reads;
  std::vector<uint64_t> readers; // `warps` of the groups of reads
};

} // namespace ptxray::machine
