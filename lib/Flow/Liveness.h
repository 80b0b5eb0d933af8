#pragma once
// This analysis finds the registers that hold something which is read later, and how many registers of the machine that
// takes at the widest point.
#include "Flow/Graph.h"

namespace ptxray {

/// This is an estimate: ptxas orders instructions anew, and keeps constants and addresses elsewhere.
struct Pressure {
  uint32_t registers = 0;   // registers of 32 bits that are live at the same time
  uint32_t instruction = 0; // the first after which they are
};

class Liveness {
public:
  Liveness(const Body &body, const Graph &graph);

  /// Is false when the function is too large, and nothing is known.
  bool isComplete() const { return complete; }
  /// Registers that are live at the beginning of the block, on all edges to it.
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
  std::vector<Set> live; // by block, at its beginning; by LocalId
  bool complete = false;
};

} // namespace ptxray
