#pragma once
// Determines which parts of a kernel two threads of a block may execute at the same time, between the same two
// barriers, and in which iterations of the enclosing loops.
#include "Prove/Model.h"
#include <set>

namespace ptxray::prove {

/// The loop iteration of a thread, relative to the preceding barrier.
enum class Round : uint8_t {
  Common, // equal to the other thread's iteration, if that is also Common; after the loop: the last iteration
  First,
  Next, // the iteration after Common
  Any,
};
using Rounds = std::vector<Round>; // indexed by loop of the model

struct Together {
  Rounds a, b;
  auto operator<=>(const Together &) const = default;
};

class Phases {
public:
  /// Computes phases. `barriers` is the weakest kind of barrier that separates them.
  Phases(const Model &model, SegmentEdge::Kind barriers);
  bool isTooMany() const { return tooMany; }
  /// Returns the combinations of iterations in which two segments may execute at the same time.
  std::set<Together> together(uint32_t a, uint32_t b) const;
  /// Returns the segments at whose end threads may diverge to different barriers.
  std::vector<uint32_t> parting() const;
  /// Returns the combinations of iterations in which two threads may execute one segment.
  std::set<Together> within(uint32_t segment) const { return together(segment, segment); }
  bool hasBarrier(uint32_t loop) const { return loopHasBarrier[loop]; }
  /// Returns the iterations of a thread if only its segment is known.
  Rounds alone(uint32_t segment) const;

private:
  using Reached = std::map<uint32_t, std::set<Rounds>>; // keyed by segment
  Reached spreadFrom(uint32_t start) const;
  Rounds crossed(const Rounds &rounds, const SegmentEdge &edge) const;
  bool isIn(uint32_t loop, uint32_t segment) const { return inside[loop][segment]; }

  const Model &model;
  SegmentEdge::Kind barriers;
  std::vector<std::vector<uint32_t>> plain; // indexed by segment: indices of edges
  std::vector<std::vector<bool>> inside;    // indexed by loop and segment
  std::vector<bool> loopHasBarrier, isProper;
  std::vector<uint32_t> firstOf; // indexed by loop: first segment of its header
  std::vector<Reached> starts;
  mutable bool tooMany = false;
};

} // namespace ptxray::prove
