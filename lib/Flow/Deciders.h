#pragma once
// Which blocks decide, by how control leaves them, who comes to some others: in
//   A: @p bra C;   B: ...   C: @q bra E;   D: ...   E: ...
// A decides for B, C for D, and nobody for C and E, where all ways meet again.
#include "Flow/Dominators.h"

namespace ptxray {

class Deciders {
public:
  Deciders(const Graph &graph, const DominatorTree &postDominators);

  void ask(BlockId block);
  /// Those that decide for what was asked for, or for one of themselves; each is named once.
  std::vector<BlockId> take();

private:
  bool decides(BlockId block) const;
  void findNearest();

  const Graph &graph;
  const DominatorTree &after;
  std::vector<BlockId> topDown;          // the tree of post-dominators, parents first
  std::vector<bool> isAskedFor, isKnown; // by block
  std::vector<BlockId> nearest; // by block: the first one asked for from there up the tree; None: there is none
  bool hasNew = false;
};

} // namespace ptxray
