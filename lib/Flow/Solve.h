#pragma once
// Data flow, forward over a graph. What holds at the beginning of each block is found in silence, until nothing
// changes; a rule that reports then walks over the instructions once more, from these states. An analysis is a value
// that has
//   State                          of a copyable type. A block that control never comes to has none
//   State start() const            at the beginning of the function
//   void step(State &, uint32_t instruction) const
//   bool join(State &known, const State &other, BlockId block, bool isBack) const
//                                  adds what holds on another way to the block, round a loop or not, and says whether
//                                  that changes what was known
//   size_t levels() const          the size of a state
//   std::vector<uint32_t> places   the instructions that it steps over, ascending; no other one changes a state
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
  /// Is false when the search was given up, and nothing is known.
  bool isComplete() const { return complete; }
  const std::optional<State> &at(BlockId block) const { return entry[indexOf(block)]; }
  /// Calls `see` with each of the places, and the state before it.
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
  /// The state at the end of a block that is reached.
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

  /// Each block changes a few times, since states have few levels.
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
            complete = false; // its turn comes in the next round
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
  std::vector<std::optional<State>> entry; // by block
  std::vector<bool> isWaiting;             // by block
  bool complete = false;
};

/// Sets of so many numbers, one for each block.
class BlockSets {
public:
  BlockSets(uint32_t blocks, size_t numbers) : words((numbers + 63) / 64), all(words * blocks) {}
  llvm::MutableArrayRef<uint64_t> of(BlockId block) { return llvm::MutableArrayRef(all).slice(at(block), words); }
  llvm::ArrayRef<uint64_t> of(BlockId block) const { return llvm::ArrayRef(all).slice(at(block), words); }
  bool contains(BlockId block, size_t number) const { return of(block)[number / 64] >> (number % 64) & 1; }
  void add(BlockId block, size_t number) { of(block)[number / 64] |= uint64_t(1) << (number % 64); }
  void addAll(BlockId block) { llvm::fill(of(block), ~uint64_t(0)); }

  /// Hands what is in the sets on from block to block, in this order, until nothing changes: what `dropped` has of a
  /// block it keeps to itself. Returns whether that came to an end.
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

/// A state of many small numbers, the least of which is the worst that can be said: what comes together becomes the
/// worse.
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
