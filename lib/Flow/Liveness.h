#pragma once
// Finds live registers (those whose value is read later), and estimates the maximum number of hardware registers in
// use.
#include "Flow/Graph.h"

namespace ptxray {

/// An estimate: ptxas reorders instructions, and does not keep all constants and addresses in registers.
struct Pressure {
  uint32_t registers = 0;   // number of 32-bit registers that are live at the same time
  uint32_t instruction = 0; // the first instruction after which they are live
};

class Liveness {
public:
  Liveness(const Body &body, const Graph &graph);

  /// Returns false if the function is too large to analyse.
  bool isComplete() const { return complete; }
  /// Returns the registers that are live at the beginning of the block, on all edges to it.
  std::vector<LocalId> before(BlockId block) const;
  Pressure widest() const;

private:
  using Set = std::vector<uint64_t>;
  void solve();
  Set atEnd(BlockId block) const;
  void stepBack(Set &live, uint32_t instruction) const;
  uint32_t widthOf(const Set &live) const;

  const Body &body;
  const Graph &graph;
  const size_t words;
  std::vector<Set> live; // indexed by block: the set of live LocalIds at its beginning
  bool complete = false;
};

} // namespace ptxray
