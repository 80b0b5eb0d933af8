#pragma once
// Finds registers that are read uninitialised on some path, whether or not the path is feasible.
#include "Flow/Solve.h"

namespace ptxray {

/// The first read of a register in a block that does not write it before the read.
struct UnwrittenRead {
  LocalId local;
  BlockId block;
  uint32_t number;
  Range range;
  bool isDoubtful; // a predicate may guarantee that the register was written, or the value is only copied
};

/// Returns the registers of a function that some instruction writes.
std::vector<LocalId> writtenRegisters(const Body &body);

class UnwrittenReads {
public:
  /// Analyses the registers in `askedFor`.
  UnwrittenReads(const Body &body, Analyses &analyses, llvm::ArrayRef<LocalId> askedFor);

  /// Returns the reads sorted by register, then in the order of the graph.
  llvm::ArrayRef<UnwrittenRead> all() const { return reads; }
  /// Returns whether the register is written on every path to the block. `local` must be in `askedFor`.
  bool isWrittenBefore(BlockId block, LocalId local) const {
    const uint32_t index = indexOfLocal[static_cast<uint32_t>(local)];
    return !index || !unwritten->contains(block, index - 1);
  }
  /// Returns whether some path leaves the body, or reaches a block that writes the register, without reading it.
  bool isAvoidable(LocalId local) const { return avoidable[indexOfLocal[static_cast<uint32_t>(local)] - 1]; }

private:
  void find(llvm::ArrayRef<LocalId> askedFor);
  void solve();
  void findAvoidable(BlockSets ending);

  const Body &body;
  Budget &budget;
  const Graph &graph;
  const DominatorTree &tree;
  const Definitions &definitions;
  std::vector<UnwrittenRead> reads;
  std::vector<uint32_t> indexOfLocal; // indexed by LocalId: index into the sets, plus 1; 0 if the register is written
                                      // before each read, or never
  uint32_t count = 0;
  std::optional<BlockSets> unwritten; // elements at the beginning of each block
  std::vector<bool> avoidable;        // same indices as in the sets
};

} // namespace ptxray
