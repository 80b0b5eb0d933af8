#pragma once
// Searches the paths of one thread for an instruction, and tracks the known predicates on each path.
#include "Flow/Analyses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <set>

namespace ptxray {

/// A predicate, and its value on a path.
using KnownPredicate = std::pair<LocalId, bool>;

/// A block on a path, with the predicates that are known there.
struct PathPoint {
  BlockId block;
  llvm::SmallVector<KnownPredicate, 4> known;

  std::optional<bool> valueOf(LocalId predicate) const {
    const auto *found = llvm::find_if(known, [&](const KnownPredicate &one) { return one.first == predicate; });
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }
  bool operator<(const PathPoint &other) const {
    return std::pair(block, llvm::ArrayRef(known).vec()) < std::pair(other.block, llvm::ArrayRef(other.known).vec());
  }
};

enum class PathStep : uint8_t { Continues, Ends, Found };

/// Follows paths up to `gates`, which are instructions that end all paths. If a condition that is the same for all
/// threads of `uniform`, or that a loop changes, decides whether a gate is reached, only the paths to the gate are
/// followed.
class PathSearch {
public:
  PathSearch(const Body &body, Analyses &analyses, std::vector<uint32_t> gates, isa::Scope uniform);

  /// Follows all paths from before an instruction. Calls `see` with each instruction and the path; its result
  /// determines how the path continues. Calls `atEnd` with each last instruction of a path that leaves the function.
  /// Returns false if there are too many paths.
  template <typename See, typename AtEnd>
  bool follow(uint32_t start, llvm::ArrayRef<KnownPredicate> known, See see, AtEnd atEnd) {
    seen.clear();
    waiting.clear();
    PathPoint first = {graph.blockOf(start), llvm::SmallVector<KnownPredicate, 4>(known)};
    walk(std::move(first), start, see, atEnd);
    while (!waiting.empty()) {
      if (seen.size() > mostPaths)
        return false;
      PathPoint point = std::move(waiting.back());
      waiting.pop_back();
      const uint32_t begin = graph[point.block].first;
      walk(std::move(point), begin, see, atEnd);
    }
    return true;
  }
  /// Returns whether the predicate of a gate, or of another guarded instruction, is the same for all threads.
  bool isUniform(LocalId predicate);

private:
  static constexpr size_t mostPaths = 4096;

  template <typename See, typename AtEnd> void walk(PathPoint point, uint32_t number, See see, AtEnd atEnd) {
    const Block &block = graph[point.block];
    for (; number < block.end; ++number) {
      const LocalId guard = body.guard(number);
      const bool isNot = body.instruction(number).guardNot;
      const std::optional<bool> value = guard == LocalId::None ? std::nullopt : point.valueOf(guard);
      const bool isSkipped = value && *value == isNot;
      if (!isSkipped && llvm::is_contained(gates, number)) {
        if (guard == LocalId::None || value || isUniform(guard))
          return;
        point.known.push_back({guard, isNot});
      } else if (!isSkipped && see(number, std::as_const(point)) != PathStep::Continues) {
        return;
      }
      forget(point, number);
    }
    const uint32_t last = block.last();
    const std::optional<bool> value =
        body.guard(last) == LocalId::None ? std::nullopt : point.valueOf(body.guard(last));
    if (block.leaves && !(value && *value == body.instruction(last).guardNot))
      atEnd(last);
    leave(point);
  }
  void forget(PathPoint &point, uint32_t number) const;
  void leave(const PathPoint &point);
  bool leadsToGate(BlockId block);

  const Body &body;
  Analyses &analyses;
  const Graph &graph;
  std::vector<uint32_t> gates;
  const isa::Scope uniform;
  std::set<PathPoint> seen;
  std::vector<PathPoint> waiting;
};

} // namespace ptxray
