#pragma once
// The ways of control through a body: runs of instructions that are only entered at their first one (blocks), and the
// edges between them. Facts say what branches, what ends and what calls; a guard lets control go on as well.
//
//   Graph graph = graphOf(body, module);
//   for (const BlockId block : graph.order) ...      only what control can come to, in reverse postorder
#include "Flow/Body.h"
#include "Module/ModuleState.h"

namespace ptxray {

/// Numbers the blocks from 0 on, in the order of the text.
enum class BlockId : uint32_t { None = ~0u };
constexpr uint32_t indexOf(BlockId block) { return static_cast<uint32_t>(block); }

/// Leads from each of the nodes 0, 1, ... to some others.
struct Adjacency {
  std::vector<uint32_t> first; // one more than there are nodes
  std::vector<BlockId> to;

  Adjacency() = default;
  Adjacency(uint32_t nodes, llvm::ArrayRef<std::pair<BlockId, BlockId>> edges);
  uint32_t size() const { return static_cast<uint32_t>(first.size()) - 1; }
  llvm::ArrayRef<BlockId> of(BlockId node) const {
    return llvm::ArrayRef(to).slice(first[indexOf(node)], first[indexOf(node) + 1] - first[indexOf(node)]);
  }
};

struct Block {
  uint32_t first = 0, end = 0; // its instructions
  bool goesOn = false;         // its first successor is the block after it in the text
  bool leaves = false;         // control may leave the function here
  bool aborts = false;         // the grid may end here, or a function is called that does not return

  uint32_t last() const { return end - 1; }
};

struct Graph {
  std::vector<Block> blocks; // none is empty
  Adjacency successors;
  Adjacency predecessors;        // only those that control can come to
  std::vector<BlockId> order;    // those that control can come to, each before its successors but for loops
  std::vector<uint32_t> placeOf; // by block: in `order`; ~0u: control never comes there
  std::vector<BlockId> owners;   // by instruction

  uint32_t size() const { return static_cast<uint32_t>(blocks.size()); }
  const Block &operator[](BlockId block) const { return blocks[indexOf(block)]; }
  bool isReached(BlockId block) const { return placeOf[indexOf(block)] != ~0u; }
  BlockId blockOf(uint32_t instruction) const { return owners[instruction]; }
  /// Returns whether control may go one way or another at the end of the block.
  bool splits(BlockId block) const {
    return successors.of(block).size() + (*this)[block].leaves + (*this)[block].aborts > 1;
  }
};

/// Blocks that are found one after the other, each once.
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
  /// Finds all blocks to which edges lead from these, on and on, but not beyond one that does not pass.
  template <typename Passes> void spread(const Adjacency &edges, Passes passes) {
    for (; spreading < order.size(); ++spreading) // it grows
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
  size_t spreading = 0; // the first in the order whose edges were not followed
};

/// Searches in depth from a root, without recursion: `enter` is called with each block that is not seen yet, and the
/// one that leads there, and `leave` when all were entered to which it leads.
template <typename IsSeen, typename Enter, typename Leave>
void searchInDepth(BlockId root, const Adjacency &edges, IsSeen isSeen, Enter enter, Leave leave) {
  std::vector<std::pair<BlockId, uint32_t>> path = {{root, 0}}; // and which of its edges comes next
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

/// Returns whether lists of labels make more ways than a text of this size should have: many branches by a long list.
/// No rule follows them.
bool isTangled(const Body &body);

/// Returns whether control never goes on after the instruction.
bool endsControl(const Body &body, uint32_t number, const ModuleState &module);

} // namespace ptxray
