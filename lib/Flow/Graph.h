#pragma once
// The control-flow graph of a body. Nodes are basic blocks. Facts of instructions determine branches, calls and exits;
// after an instruction with a guard, execution can also continue.
//
//   Graph graph = graphOf(body, module);
//   for (const BlockId block : graph.order) ...      reachable blocks in reverse postorder
#include "Flow/Body.h"
#include "Module/ModuleState.h"

namespace ptxray {

/// The index of a basic block, in source order.
enum class BlockId : uint32_t { None = ~0u };
constexpr uint32_t indexOf(BlockId block) { return static_cast<uint32_t>(block); }

/// Edges from each of the nodes 0, 1, ... to other nodes.
struct Adjacency {
  std::vector<uint32_t> first; // contains one element more than there are nodes
  std::vector<BlockId> to;

  Adjacency() = default;
  Adjacency(uint32_t nodes, llvm::ArrayRef<std::pair<BlockId, BlockId>> edges);
  uint32_t size() const { return static_cast<uint32_t>(first.size()) - 1; }
  llvm::ArrayRef<BlockId> of(BlockId node) const {
    return llvm::ArrayRef(to).slice(first[indexOf(node)], first[indexOf(node) + 1] - first[indexOf(node)]);
  }
};

struct Block {
  uint32_t first = 0, end = 0; // range of its instructions
  bool goesOn = false;         // execution may continue with the next block in the source, which is the first successor
  bool leaves = false;         // execution may leave the function here
  bool aborts = false;         // the grid may end here, or the block calls a function that does not return

  uint32_t last() const { return end - 1; }
};

struct Graph {
  std::vector<Block> blocks; // never empty
  Adjacency successors;
  Adjacency predecessors;        // reachable ones only
  std::vector<BlockId> order;    // reachable blocks in reverse postorder
  std::vector<uint32_t> placeOf; // indexed by block: index in `order`; ~0u if unreachable
  std::vector<BlockId> owners;   // indexed by instruction

  uint32_t size() const { return static_cast<uint32_t>(blocks.size()); }
  const Block &operator[](BlockId block) const { return blocks[indexOf(block)]; }
  bool isReached(BlockId block) const { return placeOf[indexOf(block)] != ~0u; }
  BlockId blockOf(uint32_t instruction) const { return owners[instruction]; }
  /// Returns whether there are several paths from the end of the block.
  bool splits(BlockId block) const {
    return successors.of(block).size() + (*this)[block].leaves + (*this)[block].aborts > 1;
  }
};

/// An ordered set of blocks.
class FoundBlocks {
public:
  explicit FoundBlocks(uint32_t blocks) : isFound(blocks) {}
  bool contains(BlockId block) const { return isFound[indexOf(block)]; }
  llvm::ArrayRef<BlockId> inOrder() const { return order; }
  void add(BlockId block) {
    if (!contains(block)) {
      isFound[indexOf(block)] = true;
      order.push_back(block);
    }
  }
  void addAll(llvm::ArrayRef<BlockId> blocks) {
    for (const BlockId block : blocks)
      add(block);
  }
  /// Adds all blocks that are reachable from those in the set. Does not continue beyond blocks for which `passes`
  /// returns false.
  template <typename Passes> void spread(const Adjacency &edges, Passes passes) {
    for (; spreading < order.size(); ++spreading) // `order` grows in the loop
      if (passes(order[spreading]))
        addAll(edges.of(order[spreading]));
  }
  void spread(const Adjacency &edges) {
    spread(edges, [](BlockId) { return true; });
  }
  void clear() {
    for (const BlockId block : order)
      isFound[indexOf(block)] = false;
    order.clear();
    spreading = 0;
  }

private:
  std::vector<bool> isFound;
  std::vector<BlockId> order;
  size_t spreading = 0; // index of the first block whose edges were not followed
};

/// Performs a depth-first search from a root, without recursion. Calls `enter` with each unseen block and its
/// predecessor in the search, and `leave` after all its successors.
template <typename IsSeen, typename Enter, typename Leave>
void searchInDepth(BlockId root, const Adjacency &edges, IsSeen isSeen, Enter enter, Leave leave) {
  std::vector<std::pair<BlockId, uint32_t>> path = {{root, 0}}; // a block, and the index of its next edge
  enter(root, BlockId::None);
  while (!path.empty()) {
    auto &[block, next] = path.back();
    const llvm::ArrayRef<BlockId> targets = edges.of(block);
    if (next == targets.size()) {
      leave(block);
      path.pop_back();
    } else if (const BlockId target = targets[next++]; !isSeen(target)) {
      enter(target, block);
      path.push_back({target, 0});
    }
  }
}

using Edges = std::vector<std::pair<BlockId, BlockId>>;
Graph graphOf(std::vector<Block> blocks, std::vector<BlockId> owners, Edges edges);
Graph graphOf(const Body &body, const ModuleState &module);

/// Returns whether label lists create an excessive number of edges for the size of the body (many branches with long
/// lists). No rule analyses such a body.
bool isTangled(const Body &body);

/// Returns whether execution never continues after the instruction.
bool endsControl(const Body &body, uint32_t number, const ModuleState &module);

} // namespace ptxray
