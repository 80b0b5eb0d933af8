#pragma once
// Dominator trees of a graph: the blocks on every path from the entry to a block (dominators), and from a block to the
// exit (post-dominators). Also finds loops. Takes nearly linear time for all graphs.
#include "Flow/Graph.h"

namespace ptxray {

/// A tree of blocks. The root of post-dominators is an additional node with index `graph.size()`, which represents the
/// exit.
struct DominatorTree {
  std::vector<BlockId> parent;        // None for the root, and for nodes outside of the tree
  std::vector<uint32_t> enter, leave; // indexed by node: an interval that contains those of its children

  bool contains(BlockId node) const { return leave[indexOf(node)] != 0; }
  /// Returns whether every path to `b` passes `a`. Both must be in the tree; they can be equal.
  bool dominates(BlockId a, BlockId b) const {
    return enter[indexOf(a)] <= enter[indexOf(b)] && leave[indexOf(b)] <= leave[indexOf(a)];
  }
};

/// Returns the tree of the nodes that are reachable from `root`. `predecessors` may omit the root.
DominatorTree dominatorTree(BlockId root, const Adjacency &successors, const Adjacency &predecessors);

DominatorTree dominatorsOf(const Graph &graph);
/// Returns the tree of post-dominators. Blocks that abort the whole grid, and endless loops, are not in the tree. If
/// the function has no exit, one block of each endless loop counts as an exit.
DominatorTree postDominatorsOf(const Graph &graph);

/// The loops of a graph, as a forest. Every block belongs to its innermost loop.
struct Loops {
  // Indexed by block: header of the innermost loop; for a header, itself; None outside of loops.
  std::vector<BlockId> header;
  std::vector<BlockId> outer;       // indexed by header: header of the enclosing loop
  std::vector<bool> isEnteredAside; // indexed by header: the loop has another entry

  /// Returns whether the block is in the loop with that header, including nested loops.
  bool contains(BlockId header, BlockId block) const;
};
Loops loopsOf(const Graph &graph);

} // namespace ptxray
