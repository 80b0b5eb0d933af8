#pragma once
// The parts of a kernel that two threads of a block may execute at the same time: between the same two barriers, and in
// which rounds of the loops around.
#include "Prove/Model.h"
#include <set>

namespace ptxray::prove {

/// The round of a loop in which a thread is, as seen from the barrier before.
enum class Round : uint8_t {
  Common, // the same as of the other thread, if that one is Common too; after the loop: the last one
  First,
  Next, // the one after Common
  Any,
};
using Rounds = std::vector<Round>; // by the loops of the model

struct Together {
  Rounds a, b;
  auto operator<=>(const Together &) const = default;
};

class Phases {
public:
  /// `barriers`: the weakest that part the phases.
  Phases(const Model &model, SegmentEdge::Kind barriers);
  bool isTooMany() const { return tooMany; }
  /// Returns the ways in which two segments may be executed at the same time.
  std::set<Together> together(uint32_t a, uint32_t b) const;
  /// Returns the segments in which control may part so that threads come to different barriers.
  std::vector<uint32_t> parting() const;
  /// Returns the ways in which two threads are in one segment.
  std::set<Together> within(uint32_t segment) const { return together(segment, segment); }
  bool hasBarrier(uint32_t loop) const { return loopHasBarrier[loop]; }
  /// Rounds of a thread of which nothing is known but where it is.
  Rounds alone(uint32_t segment) const;

private:
  using Reached = std::map<uint32_t, std::set<Rounds>>; // by segment
  Reached spreadFrom(uint32_t start) const;
  Rounds crossed(const Rounds &rounds, const SegmentEdge &edge) const;
  bool isIn(uint32_t loop, uint32_t segment) const { return inside[loop][segment]; }

  const Model &model;
  SegmentEdge::Kind barriers;
  std::vector<std::vector<uint32_t>> plain; // by segment: edges
  std::vector<std::vector<bool>> inside;    // by loop and segment
  std::vector<bool> loopHasBarrier, isProper;
  std::vector<uint32_t> firstOf; // by loop: the first segment of its header
  std::vector<Reached> starts;
  mutable bool tooMany = false;
};

} // namespace ptxray::prove
