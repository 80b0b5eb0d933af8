// Compares the analyses of random graphs with the definitions of their results.
#include "Flow/Dominators.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <random>

using namespace ptxray;

namespace {

Graph randomGraph(std::mt19937 &random) {
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  const uint32_t size = 1 + below(12);
  std::vector<Block> blocks;
  std::vector<BlockId> owners;
  Edges edges;
  for (uint32_t block = 0; block < size; ++block) {
    owners.push_back(BlockId(block));
    blocks.push_back({.first = block, .end = block + 1, .goesOn = false, .leaves = below(4) == 0});
    for (uint32_t left = below(3) + (block == 0); left; --left)
      if (const auto edge = std::pair(BlockId(block), BlockId(below(size))); !llvm::is_contained(edges, edge))
        edges.push_back(edge);
  }
  return graphOf(std::move(blocks), std::move(owners), std::move(edges));
}

/// Returns the blocks that can be reached from a block without passing another.
std::vector<bool> reachedWithout(const Graph &graph, BlockId from, BlockId without) {
  std::vector<bool> reached(graph.size());
  std::vector<BlockId> waiting;
  const auto reach = [&](BlockId block) {
    if (block != without && !reached[indexOf(block)]) {
      reached[indexOf(block)] = true;
      waiting.push_back(block);
    }
  };
  reach(from);
  while (!waiting.empty()) {
    const BlockId block = waiting.back();
    waiting.pop_back();
    llvm::for_each(graph.successors.of(block), reach);
  }
  return reached;
}

/// Returns whether control may end in one of the blocks.
bool canLeave(const Graph &graph, const std::vector<bool> &blocks) {
  for (uint32_t block = 0; block < graph.size(); ++block)
    if (blocks[block] && graph.blocks[block].leaves)
      return true;
  return false;
}

} // namespace

TEST(Graph, ReachesWhatEdgesLeadTo) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 3000; ++round) {
    const Graph graph = randomGraph(random);
    const std::vector<bool> reached = reachedWithout(graph, BlockId(0), BlockId::None);
    for (uint32_t block = 0; block < graph.size(); ++block) {
      ASSERT_EQ(graph.isReached(BlockId(block)), reached[block]);
      for (const BlockId successor : graph.successors.of(BlockId(block)))
        ASSERT_EQ(llvm::is_contained(graph.predecessors.of(successor), BlockId(block)), reached[block]);
    }
    ASSERT_EQ(graph.order.size(), static_cast<size_t>(llvm::count(reached, true)));
  }
}

TEST(Graph, ADominatorIsWhatNoWayGoesRound) {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 3000; ++round) {
    const Graph graph = randomGraph(random);
    const DominatorTree tree = dominatorsOf(graph);
    for (const BlockId a : graph.order) {
      const std::vector<bool> around = reachedWithout(graph, BlockId(0), a);
      for (const BlockId b : graph.order)
        ASSERT_EQ(tree.dominates(a, b), !around[indexOf(b)]) << indexOf(a) << " over " << indexOf(b);
      const BlockId parent = tree.parent[indexOf(a)];
      ASSERT_EQ(parent == BlockId::None, a == BlockId(0));
      ASSERT_TRUE(parent == BlockId::None || (parent != a && tree.dominates(parent, a)));
    }
  }
}

TEST(Graph, APostDominatorIsWhatNoWayToTheEndGoesRound) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 3000; ++round) {
    const Graph graph = randomGraph(random);
    const DominatorTree tree = postDominatorsOf(graph);
    std::vector<BlockId> leaving;
    for (const BlockId block : graph.order)
      if (canLeave(graph, reachedWithout(graph, block, BlockId::None)))
        leaving.push_back(block);
    for (const BlockId block :
         graph.order) // without an end there is some tree, but the definition does not determine which one
      ASSERT_EQ(tree.contains(block), leaving.empty() || llvm::is_contained(leaving, block));
    for (const BlockId a : leaving)
      for (const BlockId b : leaving)
        ASSERT_EQ(tree.dominates(a, b), a == b || !canLeave(graph, reachedWithout(graph, b, a)));
  }
}

TEST(Graph, ABlockOfALoopLeadsToItsHeaderAndBack) {
  std::mt19937 random(4);
  for (unsigned round = 0; round < 3000; ++round) {
    const Graph graph = randomGraph(random);
    const Loops loops = loopsOf(graph);
    const DominatorTree tree = dominatorsOf(graph);
    for (const BlockId block : graph.order) {
      const BlockId header = loops.header[indexOf(block)];
      if (header != BlockId::None) {
        ASSERT_TRUE(reachedWithout(graph, header, BlockId::None)[indexOf(block)]);
        ASSERT_TRUE(llvm::any_of(graph.successors.of(block), [&](BlockId next) -> bool {
          return reachedWithout(graph, next, BlockId::None)[indexOf(header)];
        }));
      }
      // The blocks of a natural loop, by its definition: from each edge that leads back to a block that dominates its
      // source.
      for (const BlockId from : graph.predecessors.of(block))
        if (tree.dominates(block, from)) {
          ASSERT_EQ(loops.header[indexOf(block)], block);
          const std::vector<bool> around = reachedWithout(graph, from, block);
          bool isInside = false;
          for (BlockId at = loops.header[indexOf(from)]; at != BlockId::None; at = loops.outer[indexOf(at)])
            isInside |= at == block;
          ASSERT_TRUE(isInside) << indexOf(from) << " in " << indexOf(block);
        }
    }
  }
}

TEST(Graph, LongAndDeepGraphsTakeLittleTime) {
  constexpr uint32_t size = 200'000;
  std::vector<Block> blocks;
  std::vector<BlockId> owners;
  Edges ladder, nested;
  for (uint32_t block = 0; block < size; ++block) {
    owners.push_back(BlockId(block));
    blocks.push_back({.first = block, .end = block + 1, .goesOn = true, .leaves = block + 1 == size});
    if (block + 1 < size)
      for (Edges *edges : {&ladder, &nested})
        edges->push_back({BlockId(block), BlockId(block + 1)});
    if (block + 2 < size)
      ladder.push_back({BlockId(block), BlockId(block + 2)});
    if (block > size / 2)
      nested.push_back({BlockId(block), BlockId(size - block)});
  }
  for (const Edges &edges : {ladder, nested}) {
    const Graph graph = graphOf(blocks, owners, edges);
    EXPECT_TRUE(dominatorsOf(graph).dominates(BlockId(0), BlockId(size - 1)));
    EXPECT_TRUE(postDominatorsOf(graph).dominates(BlockId(size - 1), BlockId(0)));
    EXPECT_EQ(loopsOf(graph).header.size(), size);
  }
}
