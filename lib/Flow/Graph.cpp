#include "Flow/Graph.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

Adjacency::Adjacency(uint32_t nodes, llvm::ArrayRef<std::pair<BlockId, BlockId>> edges)
    : first(nodes + 1), to(edges.size()) {
  for (const auto &[from, target] : edges)
    ++first[indexOf(from) + 1];
  for (uint32_t node = 0; node < nodes; ++node)
    first[node + 1] += first[node];
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (const auto &[from, target] : edges)
    to[next[indexOf(from)]++] = target;
}

/// Returns whether the path ends at the instruction if its guard is true.
static bool endsWhereGuardHolds(const Body &body, uint32_t number, const ModuleState &module) {
  const Facts &facts = body.facts(number);
  bool ends = facts.endsControl();
  if (facts.uses & Calls)
    body.eachUse(number, [&](NamedUse use) { ends |= (use.uses & Calls) && module.neverReturns(use.operand.name); });
  return ends;
}

bool endsControl(const Body &body, uint32_t number, const ModuleState &module) {
  return body.guard(number) == LocalId::None && endsWhereGuardHolds(body, number, module);
}

namespace {

/// The labels of each label list. Several lists with the same name, which is an error, are merged.
class BranchLists {
public:
  explicit BranchLists(const Body &body) : body(body) {
    for (const PlacedDirective &list : body.directives)
      if (list.targets.count)
        lists[static_cast<uint32_t>(body.ast->directives[list.index].label)].push_back(list.targets);
  }
  template <typename See> void eachTarget(LocalId list, See see) const {
    const auto known = lists.find(static_cast<uint32_t>(body.nameOf(list)));
    if (known == lists.end())
      return;
    for (const Slice targets : known->second)
      llvm::for_each(llvm::ArrayRef(body.targets).slice(targets.first, targets.count), see);
  }

private:
  const Body &body;
  llvm::DenseMap<uint32_t, llvm::SmallVector<Slice, 1>> lists; // keyed by name
};

} // namespace

bool isTangled(const Body &body) {
  if (body.targets.empty())
    return false;
  const BranchLists lists(body);
  const uint64_t most = 8 * (uint64_t(body.size()) + body.targets.size()) + 4096;
  uint64_t ways = 0;
  for (const uint32_t number : body.notable)
    if (ways <= most && body.facts(number).has(FactKind::Branches))
      body.eachUse(number, [&](NamedUse use) {
        if (use.uses & Targets)
          lists.eachTarget(use.local, [&](LocalId) { ++ways; });
      });
  return ways > most;
}

namespace {

class GraphBuilder {
public:
  GraphBuilder(const Body &body, const ModuleState &module) : body(body), module(module), lists(body) {}
  Graph build();

private:
  void makeBlocks();
  void endBlock(uint32_t end);
  void addEdges(BlockId block);
  void addTargets(BlockId block, LocalId target);
  void addEdge(BlockId from, uint32_t instruction);

  const Body &body;
  const ModuleState &module;
  const BranchLists lists;
  std::vector<Block> blocks;
  std::vector<BlockId> owners;   // indexed by instruction
  std::vector<bool> isEnd;       // for each instruction: execution may continue elsewhere after it
  std::vector<uint32_t> placeOf; // for each LocalId of a label: the following instruction, plus 1
  Edges edges;
};

} // namespace

/// Adds the block that extends from the end of the previous one to `end`.
void GraphBuilder::endBlock(uint32_t end) {
  const uint32_t first = blocks.empty() ? 0 : blocks.back().end;
  if (first == end)
    return;
  std::fill(owners.begin() + first, owners.begin() + end, BlockId(static_cast<uint32_t>(blocks.size())));
  blocks.push_back({first, end});
  isEnd.push_back(false);
}

/// Splits the body into blocks, which begin after each label and each branch.
void GraphBuilder::makeBlocks() {
  placeOf.assign(body.locals.size(), 0);
  owners.resize(body.size());
  llvm::ArrayRef<PlacedLabel> labels = body.labels;
  const auto endBlocksBefore = [&](uint32_t instruction) {
    for (; !labels.empty() && labels.front().before <= instruction; labels = labels.drop_front()) {
      endBlock(labels.front().before);
      placeOf[static_cast<uint32_t>(labels.front().local)] = labels.front().before + 1;
    }
  };
  for (const uint32_t number : body.notable)
    if (endsWhereGuardHolds(body, number, module)) {
      endBlocksBefore(number);
      endBlock(number + 1);
      isEnd.back() = true;
    }
  endBlocksBefore(body.size());
  endBlock(body.size());
}

void GraphBuilder::addEdge(BlockId from, uint32_t instruction) {
  if (instruction < body.size())
    edges.push_back({from, owners[instruction]});
  else
    blocks[indexOf(from)].leaves = true;
}

/// Adds edges to a label, or to all labels of a list.
void GraphBuilder::addTargets(BlockId block, LocalId target) {
  if (const uint32_t place = placeOf[static_cast<uint32_t>(target)]) {
    addEdge(block, place - 1);
    return;
  }
  const size_t before = edges.size();
  lists.eachTarget(target, [&](LocalId one) {
    if (const uint32_t place = placeOf[static_cast<uint32_t>(one)])
      addEdge(block, place - 1);
  });
  llvm::sort(edges.begin() + before, edges.end());
  edges.erase(std::unique(edges.begin() + before, edges.end()), edges.end());
}

void GraphBuilder::addEdges(BlockId id) {
  Block &block = blocks[indexOf(id)];
  const uint32_t last = block.last();
  const bool ends = isEnd[indexOf(id)];
  block.goesOn = (!ends || body.guard(last) != LocalId::None) && block.end < body.size();
  if (block.goesOn)
    edges.push_back({id, BlockId(indexOf(id) + 1)});
  else
    block.leaves = !ends;
  if (!ends)
    return;
  const Facts &facts = body.facts(last);
  if (!facts.has(FactKind::Branches)) {
    block.leaves = llvm::any_of(facts.actions, [](const Action &action) {
      return action.kind == FactKind::Ends && static_cast<isa::End>(action.detail) != isa::End::Grid;
    });
    block.aborts = !block.leaves;
    return;
  }
  body.eachUse(last, [&](NamedUse use) {
    if (use.uses & Targets)
      addTargets(id, use.local);
  });
}

/// Computes the order of the blocks by a depth-first search.
static void orderBlocks(Graph &graph) {
  graph.placeOf.assign(graph.size(), ~0u);
  if (!graph.size())
    return;
  searchInDepth(
      BlockId(0), graph.successors, [&](BlockId block) { return graph.isReached(block); },
      [&](BlockId block, BlockId) { graph.placeOf[indexOf(block)] = 0; },
      [&](BlockId block) { graph.order.push_back(block); });
  std::reverse(graph.order.begin(), graph.order.end());
  for (uint32_t place = 0; place < graph.order.size(); ++place)
    graph.placeOf[indexOf(graph.order[place])] = place;
}

Graph graphOf(std::vector<Block> blocks, std::vector<BlockId> owners, Edges edges) {
  Graph graph;
  graph.blocks = std::move(blocks);
  graph.owners = std::move(owners);
  graph.successors = Adjacency(graph.size(), edges);
  orderBlocks(graph);
  llvm::erase_if(edges, [&](const auto &edge) { return !graph.isReached(edge.first); });
  for (auto &[from, to] : edges)
    std::swap(from, to);
  graph.predecessors = Adjacency(graph.size(), edges);
  return graph;
}

Graph GraphBuilder::build() {
  makeBlocks();
  for (uint32_t block = 0; block < blocks.size(); ++block)
    addEdges(BlockId(block));
  return graphOf(std::move(blocks), std::move(owners), std::move(edges));
}

Graph graphOf(const Body &body, const ModuleState &module) { return GraphBuilder(body, module).build(); }

} // namespace ptxray
