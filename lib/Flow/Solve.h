#pragma once
// Solves forward data-flow problems on a graph. First, the state at the beginning of each block is computed, without
// reports, until nothing changes. Then a rule that reports walks over the instructions, starting from these states. An
// analysis is a class with the members
//|  State                          a copyable type; unreachable blocks have no state
//|  State start() const            the state at the beginning of the function
//|  void step(State &, uint32_t instruction) const
//|  bool join(State &known, const State &other, BlockId block, bool isBack) const
//|                                 merges the state of another path to the block (a back edge if `isBack`); returns
//|                                 whether `known` changed
//|  size_t levels() const          the size of a state
//|  std::vector<uint32_t> places   the instructions that may change a state, ascending
#include "Flow/Analyses.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

namespace ptxray {

template <typename Analysis> class Solution {
public:
  using State = typename Analysis::State;

  Solution(Analyses &analyses, const Analysis &analysis)
      : graph(analyses.graph()), analysis(analysis), entry(graph.size()), isWaiting(graph.size()) {
    if (analyses.budget().allows(Limit::States, analysis.levels() * (graph.size() + analysis.places.size())))
      solve(analyses.budget());
  }
  /// Returns false if the computation was abandoned; the states are then invalid.
  bool isComplete() const { return complete; }
  const std::optional<State> &at(BlockId block) const { return entry[indexOf(block)]; }
  /// Calls `see` with each instruction of the analysis and the state before it.
  template <typename See> void replay(See see) const {
    for (uint32_t block = 0; complete && block < graph.size(); ++block)
      if (entry[block]) {
        State state = *entry[block];
        for (const uint32_t place : placesOf(BlockId(block))) {
          see(place, std::as_const(state));
          analysis.step(state, place);
        }
      }
  }
  /// Returns the state at the end of a reachable block.
  State atEnd(BlockId block) const {
    State state = *entry[indexOf(block)];
    for (const uint32_t place : placesOf(block))
      analysis.step(state, place);
    return state;
  }

private:
  llvm::ArrayRef<uint32_t> placesOf(BlockId block) const {
    const llvm::ArrayRef<uint32_t> places = analysis.places;
    const auto *first = llvm::lower_bound(places, graph[block].first);
    const auto *end = std::lower_bound(first, places.end(), graph[block].end);
    return {first, end};
  }

  /// Computes the states of all blocks. Terminates quickly, because states have few levels.
  void solve(Budget &budget) {
    if (graph.order.empty())
      return;
    entry[indexOf(graph.order.front())] = analysis.start();
    isWaiting[indexOf(graph.order.front())] = true;
    for (unsigned round = 1; !complete && budget.allows(Limit::Rounds, round); ++round) {
      complete = true;
      for (const BlockId block : graph.order) {
        if (!isWaiting[indexOf(block)])
          continue;
        isWaiting[indexOf(block)] = false;
        const State state = atEnd(block);
        for (const BlockId next : graph.successors.of(block))
          if (enter(next, state, isBack(block, next)) && isBack(block, next))
            complete = false; // visited in the next round
      }
    }
  }
  bool isBack(BlockId from, BlockId to) const { return graph.placeOf[indexOf(to)] <= graph.placeOf[indexOf(from)]; }
  bool enter(BlockId block, const State &state, bool isBack) {
    std::optional<State> &known = entry[indexOf(block)];
    if (known && !analysis.join(*known, state, block, isBack))
      return false;
    if (!known)
      known = state;
    return isWaiting[indexOf(block)] = true;
  }

  const Graph &graph;
  const Analysis &analysis;
  std::vector<std::optional<State>> entry; // indexed by block
  std::vector<bool> isWaiting;             // indexed by block
  bool complete = false;
};

/// A bit set for each block.
class BlockSets {
public:
  BlockSets(uint32_t blocks, size_t numbers) : words((numbers + 63) / 64), all(words * blocks) {}
  llvm::MutableArrayRef<uint64_t> of(BlockId block) { return llvm::MutableArrayRef(all).slice(at(block), words); }
  llvm::ArrayRef<uint64_t> of(BlockId block) const { return llvm::ArrayRef(all).slice(at(block), words); }
  bool contains(BlockId block, size_t number) const { return of(block)[number / 64] >> (number % 64) & 1; }
  void add(BlockId block, size_t number) { of(block)[number / 64] |= uint64_t(1) << (number % 64); }
  void addAll(BlockId block) { llvm::fill(of(block), ~uint64_t(0)); }

  /// Propagates elements along edges until nothing changes. An element of a block that is also in its set in `dropped`
  /// is not propagated. Visits blocks in the given order. Returns false if the budget is exhausted.
  template <typename Order> bool spread(Order order, const Adjacency &edges, const BlockSets &dropped, Budget &budget) {
    bool isSolved = false;
    for (unsigned round = 1; !isSolved && budget.allows(Limit::Rounds, round); ++round) {
      isSolved = true;
      for (const BlockId block : order)
        for (const BlockId next : edges.of(block))
          for (size_t word = 0; word < words; ++word) {
            uint64_t &set = all[at(next) + word];
            const uint64_t more = set | (all[at(block) + word] & ~dropped.all[at(block) + word]);
            isSolved &= more == set;
            set = more;
          }
    }
    return isSolved;
  }

private:
  size_t at(BlockId block) const { return indexOf(block) * words; }
  size_t words;
  std::vector<uint64_t> all;
};

/// A state that consists of many small numbers, where lower numbers are worse. Joining two states takes the minimum of
/// each number.
struct Levels {
  llvm::SmallVector<uint8_t, 32> of;

  static Levels all(size_t count, uint8_t level) { return {llvm::SmallVector<uint8_t, 32>(count, level)}; }
};
struct WorseLevels {
  using State = Levels;
  bool join(Levels &known, const Levels &other, BlockId, bool) const {
    bool changed = false;
    for (auto [own, others] : llvm::zip_equal(known.of, other.of))
      if (others < own) {
        own = others;
        changed = true;
      }
    return changed;
  }
};

} // namespace ptxray
