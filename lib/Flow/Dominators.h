#pragma once
// The trees of a graph say which blocks every way passes: from the beginning to a block (dominators), and from a block
// to the end (post-dominators). Loops are found here, too. All takes nearly linear time, for graphs of any form.
#include "Flow/Graph.h"

namespace ptxray {

/// A tree of blocks. The root of post-dominators is one node more than there are blocks: the end.
struct DominatorTree {
  std::vector<BlockId> parent;        // None for the root, and for what is not in the tree
  std::vector<uint32_t> enter, leave; // by node: a span that those of its children lie in

  bool contains(BlockId node) const { return leave[indexOf(node)] != 0; }
  /// Every way to b passes a, which may be b. Both are in the tree.
  bool dominates(BlockId a, BlockId b) const {
    return enter[indexOf(a)] <= enter[indexOf(b)] && leave[indexOf(b)] <= leave[indexOf(a)];
  }
};

/// Returns the tree of the nodes that can be reached from the root. `predecessors` may leave out the root.
DominatorTree dominatorTree(BlockId root, const Adjacency &successors, const Adjacency &predecessors);

DominatorTree dominatorsOf(const Graph &graph);
/// Returns the tree of post-dominators. Blocks from which the whole grid is aborted, and loops that control never
/// leaves, are not in it. If the function has no end, one block of each such loop counts as an end.
DominatorTree postDominatorsOf(const Graph &graph);

/// Loops as a forest: every block belongs to the innermost loop around it.
struct Loops {
  std::vector<BlockId> header; // by block: the innermost loop around it; a header belongs to its own; None: no loop
  std::vector<BlockId> outer;  // by header: the header of the next loop around
  std::vector<bool> isEnteredAside; // by header: control enters the loop elsewhere, too

  /// The block is in the loop of that header, or in a loop within it.
  bool contains(BlockId header, BlockId block) const;
};
Loops loopsOf(const Graph &graph);

} // namespace ptxray
