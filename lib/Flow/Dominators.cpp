#include "Flow/Dominators.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

constexpr uint32_t none = ~0u;

/// Implements Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", 1979, with path
/// compression. Nodes are identified by their number in a depth-first search.
class DominatorFinder {
public:
  DominatorFinder(const Adjacency &successors, const Adjacency &predecessors)
      : successors(successors), predecessors(predecessors), numberOf(successors.size(), none) {}
  DominatorTree find(BlockId root);

private:
  void number(BlockId root);
  uint32_t best(uint32_t node);
  void connect();
  DominatorTree tree() const;

  const Adjacency &successors, &predecessors;
  std::vector<uint32_t> numberOf; // indexed by node
  std::vector<BlockId> nodes;     // indexed by number, as all below
  std::vector<uint32_t> parent, semi, dominator;
  std::vector<uint32_t> ancestor, label; // forest of the processed nodes
  std::vector<uint32_t> path;
};

} // namespace

void DominatorFinder::number(BlockId root) {
  nodes.reserve(numberOf.size());
  parent.reserve(numberOf.size());
  searchInDepth(
      root, successors, [&](BlockId node) { return numberOf[indexOf(node)] != none; },
      [&](BlockId node, BlockId from) {
        numberOf[indexOf(node)] = static_cast<uint32_t>(nodes.size());
        nodes.push_back(node);
        parent.push_back(from == BlockId::None ? none : numberOf[indexOf(from)]);
      },
      [](BlockId) {});
}

/// Returns the node with the minimum semidominator on the path to the root of its tree in the forest, and compresses
/// the path.
uint32_t DominatorFinder::best(uint32_t node) {
  if (ancestor[node] == none)
    return node;
  path.clear();
  for (; ancestor[ancestor[node]] != none; node = ancestor[node])
    path.push_back(node);
  uint32_t above = node;
  for (const uint32_t below : llvm::reverse(path)) {
    if (semi[label[above]] < semi[label[below]])
      label[below] = label[above];
    ancestor[below] = ancestor[above];
    above = below;
  }
  return label[above];
}

void DominatorFinder::connect() {
  const auto count = static_cast<uint32_t>(nodes.size());
  semi.resize(count);
  label.resize(count);
  for (uint32_t i = 0; i < count; ++i)
    semi[i] = label[i] = i;
  ancestor.assign(count, none);
  dominator.assign(count, none);
  std::vector<bool> isAfterRoot(count); // edges from the root may be missing in `predecessors`
  for (const BlockId target : successors.of(nodes[0]))
    isAfterRoot[numberOf[indexOf(target)]] = true;
  std::vector<uint32_t> bucket(count, none), nextInBucket(count, none); // lists of nodes, by semidominator
  for (uint32_t node = count - 1; node > 0; --node) {
    if (isAfterRoot[node])
      semi[node] = 0;
    for (const BlockId from : predecessors.of(nodes[node]))
      if (const uint32_t other = numberOf[indexOf(from)]; other != none)
        semi[node] = std::min(semi[node], semi[best(other)]);
    nextInBucket[node] = bucket[semi[node]];
    bucket[semi[node]] = node;
    ancestor[node] = parent[node];
    for (uint32_t &waiting = bucket[parent[node]]; waiting != none; waiting = nextInBucket[waiting]) {
      const uint32_t least = best(waiting);
      dominator[waiting] = semi[least] < semi[waiting] ? least : parent[node];
    }
  }
  for (uint32_t node = 1; node < count; ++node)
    if (dominator[node] != semi[node])
      dominator[node] = dominator[dominator[node]];
}

DominatorTree DominatorFinder::tree() const {
  DominatorTree tree;
  tree.parent.assign(numberOf.size(), BlockId::None);
  tree.enter.assign(numberOf.size(), 0);
  tree.leave.assign(numberOf.size(), 0);
  // Parents have smaller numbers than their children. First compute sizes upwards, then intervals downwards.
  std::vector<uint32_t> size(nodes.size(), 1), next(nodes.size());
  for (uint32_t node = static_cast<uint32_t>(nodes.size()) - 1; node > 0; --node)
    size[dominator[node]] += size[node];
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    uint32_t enter = 0;
    if (node) {
      tree.parent[indexOf(nodes[node])] = nodes[dominator[node]];
      enter = next[dominator[node]];
      next[dominator[node]] += size[node];
    }
    next[node] = enter + 1;
    tree.enter[indexOf(nodes[node])] = enter;
    tree.leave[indexOf(nodes[node])] = enter + size[node];
  }
  return tree;
}

DominatorTree DominatorFinder::find(BlockId root) {
  if (numberOf.empty()) // the body consists of labels only
    return {};
  number(root);
  connect();
  return tree();
}

DominatorTree dominatorTree(BlockId root, const Adjacency &successors, const Adjacency &predecessors) {
  return DominatorFinder(successors, predecessors).find(root);
}

DominatorTree dominatorsOf(const Graph &graph) {
  return dominatorTree(BlockId(0), graph.successors, graph.predecessors);
}

/// Returns the blocks after which execution leaves the function. If there are none, returns one block of each endless
/// loop.
static std::vector<BlockId> lastBlocks(const Graph &graph) {
  std::vector<BlockId> found;
  llvm::copy_if(graph.order, std::back_inserter(found), [&](BlockId block) { return graph[block].leaves; });
  if (!found.empty())
    return found;
  FoundBlocks coming(graph.size()); // blocks that reach one of these
  for (const BlockId last : llvm::reverse(graph.order)) {
    if (coming.contains(last))
      continue;
    found.push_back(last);
    coming.add(last);
    coming.spread(graph.predecessors);
  }
  return found;
}

DominatorTree postDominatorsOf(const Graph &graph) {
  const std::vector<BlockId> last = lastBlocks(graph);
  Adjacency backwards = graph.predecessors; // plus one node for the exit
  backwards.to.insert(backwards.to.end(), last.begin(), last.end());
  backwards.first.push_back(static_cast<uint32_t>(backwards.to.size()));
  return dominatorTree(BlockId(graph.size()), backwards, graph.successors);
}

namespace {

/// Finds loops from the innermost header outwards. Walks backwards from the back edges of a header, and then treats
/// each found loop as a single node. (Tarjan, "Testing Flow Graph Reducibility", 1974.)
class LoopFinder {
public:
  explicit LoopFinder(const Graph &graph) : graph(graph) {}
  Loops find();

private:
  void search();
  void loopAt(BlockId header);
  BlockId outermost(BlockId block);
  bool isBelow(BlockId block, BlockId above) const {
    return enter[indexOf(above)] <= enter[indexOf(block)] && enter[indexOf(block)] < leave[indexOf(above)];
  }

  const Graph &graph;
  Loops loops;
  std::vector<uint32_t> enter, leave; // intervals in the depth-first search tree
  std::vector<BlockId> found;         // in search order
  std::vector<BlockId>
      merged; // for each block: a header of a loop that contains it (path-compressed), otherwise the block itself
  std::vector<BlockId> waiting;
};

} // namespace

void LoopFinder::search() {
  enter.assign(graph.size(), none);
  leave.assign(graph.size(), 0);
  searchInDepth(
      BlockId(0), graph.successors, [&](BlockId block) { return enter[indexOf(block)] != none; },
      [&](BlockId block, BlockId) {
        enter[indexOf(block)] = static_cast<uint32_t>(found.size());
        found.push_back(block);
      },
      [&](BlockId block) { leave[indexOf(block)] = static_cast<uint32_t>(found.size()); });
}

BlockId LoopFinder::outermost(BlockId block) {
  while (merged[indexOf(block)] != block) {
    merged[indexOf(block)] = merged[indexOf(merged[indexOf(block)])];
    block = merged[indexOf(block)];
  }
  return block;
}

void LoopFinder::loopAt(BlockId header) {
  bool isLoop = false;
  const auto add = [&](BlockId from) {
    const BlockId inner = outermost(from);
    if (inner == header)
      return;
    if (!isBelow(inner, header)) {
      loops.isEnteredAside[indexOf(header)] = true;
      return;
    }
    merged[indexOf(inner)] = header;
    (loops.header[indexOf(inner)] == inner ? loops.outer : loops.header)[indexOf(inner)] = header;
    waiting.push_back(inner);
  };
  for (const BlockId from : graph.predecessors.of(header))
    if (isBelow(from, header)) {
      isLoop = true;
      add(from);
    }
  while (!waiting.empty()) {
    const BlockId block = waiting.back();
    waiting.pop_back();
    llvm::for_each(graph.predecessors.of(block), add);
  }
  if (isLoop)
    loops.header[indexOf(header)] = header;
}

Loops LoopFinder::find() {
  loops.header.assign(graph.size(), BlockId::None);
  loops.outer.assign(graph.size(), BlockId::None);
  loops.isEnteredAside.assign(graph.size(), false);
  for (uint32_t block = 0; block < graph.size(); ++block)
    merged.push_back(BlockId(block));
  if (graph.size())
    search();
  for (const BlockId block : llvm::reverse(found))
    loopAt(block);
  return std::move(loops);
}

Loops loopsOf(const Graph &graph) { return LoopFinder(graph).find(); }

bool Loops::contains(BlockId of, BlockId block) const {
  BlockId around = header[indexOf(block)];
  while (around != BlockId::None && around != of)
    around = outer[indexOf(around)];
  return around == of;
}

} // namespace ptxray
