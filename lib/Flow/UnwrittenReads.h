#pragma once
// Registers that are read where nothing wrote them on one of the ways there, whether or not control can go that way.
#include "Flow/Solve.h"

namespace ptxray {

/// The first read of a register in a block that does not write it before.
struct UnwrittenRead {
  LocalId local;
  BlockId block;
  uint32_t number;
  Range range;
  bool isDoubtful; // a predicate may say that it was written, or the value is copied, and perhaps not used
};

/// Returns the registers of a function that something in it writes.
std::vector<LocalId> writtenRegisters(const Body &body);

class UnwrittenReads {
public:
  /// The reads of the registers that are asked for.
  UnwrittenReads(const Body &body, Analyses &analyses, llvm::ArrayRef<LocalId> askedFor);

  /// Returns the reads sorted by register, and those of each in the order of the graph.
  llvm::ArrayRef<UnwrittenRead> all() const { return reads; }
  /// Whatever way control came to the block, the register is written, as far as that is asked for.
  bool isWrittenBefore(BlockId block, LocalId local) const {
    const uint32_t index = indexOfLocal[static_cast<uint32_t>(local)];
    return !index || !unwritten->contains(block, index - 1);
  }
  /// There is a way from the beginning out of the body, or to a block that writes the register, without a read of it.
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
  std::vector<uint32_t> indexOfLocal; // by LocalId: into the sets, + 1; 0: it is written before each read, or never
  uint32_t count = 0;
  std::optional<BlockSets> unwritten; // before each block
  std::vector<bool> avoidable;        // by register in the sets
};

} // namespace ptxray
