#include "Prove/Phases.h"
#include "Flow/Dominators.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::prove {

constexpr size_t mostWays = 4096;

Phases::Phases(const Model &model, SegmentEdge::Kind barriers) : model(model), barriers(barriers) {
  const size_t count = model.segments.size(), loops = model.loops.size();
  plain.resize(count);
  inside.assign(loops, std::vector<bool>(count));
  loopHasBarrier.assign(loops, false);
  isProper.assign(loops, false);
  firstOf.assign(loops, 0);
  for (uint32_t loop = 0; loop < loops; ++loop) {
    bool isFound = false;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t block = model.segments[i].block;
      inside[loop][i] = llvm::is_contained(model.loopsOf[block], model.loops[loop].header);
      if (!isFound && block == model.loops[loop].header) {
        firstOf[loop] = i;
        isFound = true;
      }
    }
  }
  std::set<uint32_t> after = {0};
  for (uint32_t i = 0; i < model.edges.size(); ++i) {
    const SegmentEdge &edge = model.edges[i];
    if (edge.kind < barriers || edge.kind == SegmentEdge::Plain) {
      plain[edge.from].push_back(i);
      continue;
    }
    after.insert(edge.to);
    for (uint32_t loop = 0; loop < loops; ++loop)
      if (isIn(loop, edge.from) && isIn(loop, edge.to))
        loopHasBarrier[loop] = true;
  }
  for (uint32_t loop = 0; loop < loops; ++loop) { // every path around the loop has a barrier
    std::vector<bool> seen(count);
    std::vector<uint32_t> stack = {firstOf[loop]};
    isProper[loop] = loopHasBarrier[loop];
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      stack.pop_back();
      for (const uint32_t edge : plain[at]) {
        const uint32_t to = model.edges[edge].to;
        if (to == firstOf[loop])
          isProper[loop] = false;
        else if (isIn(loop, to) && !seen[to]) {
          seen[to] = true;
          stack.push_back(to);
        }
      }
    }
  }
  for (const uint32_t start : after)
    starts.push_back(spreadFrom(start));
}

Rounds Phases::crossed(const Rounds &rounds, const SegmentEdge &edge) const {
  Rounds result = rounds;
  for (uint32_t loop = 0; loop < result.size(); ++loop) {
    const bool isFrom = isIn(loop, edge.from), isTo = isIn(loop, edge.to);
    Round &round = result[loop];
    if (isFrom && isTo && edge.to == firstOf[loop])
      round = isProper[loop] && round == Round::Common ? Round::Next : Round::Any;
    else if (!isFrom && isTo)
      round = isProper[loop] ? Round::First : Round::Any;
    else if (isFrom && !isTo && !loopHasBarrier[loop])
      round = Round::Common;
  }
  return result;
}

Phases::Reached Phases::spreadFrom(uint32_t start) const {
  Reached reached;
  Rounds first(model.loops.size(), Round::Common);
  for (uint32_t loop = 0; loop < first.size(); ++loop)
    if (loopHasBarrier[loop] && !isProper[loop])
      first[loop] = Round::Any;
    else if (start == 0 && isIn(loop, start))
      first[loop] = Round::First;
  std::vector<std::pair<uint32_t, Rounds>> work = {{start, first}};
  reached[start].insert(first);
  size_t ways = 0;
  while (!work.empty()) {
    const auto [at, rounds] = work.back();
    work.pop_back();
    if (++ways > mostWays) {
      tooMany = true;
      break;
    }
    for (const uint32_t number : plain[at]) {
      const SegmentEdge &edge = model.edges[number];
      Rounds next = crossed(rounds, edge);
      if (reached[edge.to].insert(next).second)
        work.emplace_back(edge.to, std::move(next));
    }
  }
  return reached;
}

std::set<Together> Phases::together(uint32_t a, uint32_t b) const {
  std::set<Together> ways;
  for (const Reached &reached : starts) {
    const auto first = reached.find(a), second = reached.find(b);
    if (first == reached.end() || second == reached.end())
      continue;
    for (const Rounds &one : first->second)
      for (const Rounds &other : second->second)
        ways.insert({one, other});
  }
  return ways;
}

Rounds Phases::alone(uint32_t segment) const {
  Rounds rounds(model.loops.size(), Round::Common);
  for (uint32_t loop = 0; loop < rounds.size(); ++loop)
    if (isIn(loop, segment))
      rounds[loop] = Round::Any;
  return rounds;
}

std::vector<uint32_t> Phases::parting() const {
  const auto count = static_cast<uint32_t>(model.segments.size());
  const auto end = BlockId(count);
  Edges backwards, forwards;
  std::vector<bool> meets(count); // a path from the segment reaches a barrier
  std::vector<uint32_t> ways(count);
  std::vector<uint32_t> work;
  const auto add = [&](uint32_t from, BlockId to) {
    ++ways[from];
    backwards.emplace_back(to, BlockId(from));
    forwards.emplace_back(BlockId(from), to);
  };
  for (uint32_t i = 0; i < count; ++i) {
    for (const uint32_t edge : plain[i])
      add(i, BlockId(model.edges[edge].to));
    if (model.segments[i].leaves)
      add(i, end);
  }
  for (const SegmentEdge &edge : model.edges)
    if (edge.kind >= barriers && edge.kind != SegmentEdge::Plain) {
      add(edge.from, end);
      if (!meets[edge.from])
        work.push_back(edge.from);
      meets[edge.from] = true;
    }
  while (!work.empty()) {
    const uint32_t at = work.back();
    work.pop_back();
    for (uint32_t i = 0; i < count; ++i)
      for (const uint32_t edge : plain[i])
        if (model.edges[edge].to == at && !meets[i]) {
          meets[i] = true;
          work.push_back(i);
        }
  }
  const Adjacency reversed(count + 1, backwards), ahead(count + 1, forwards);
  const DominatorTree tree = dominatorTree(end, reversed, ahead);
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < count; ++i)
    if (ways[i] > 1 && meets[i] && (!tree.contains(BlockId(i)) || tree.parent[i] == end))
      result.push_back(i);
  return result;
}

} // namespace ptxray::prove
