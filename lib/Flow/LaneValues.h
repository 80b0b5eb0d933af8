#pragma once
// The value of a register in the lanes of a warp, as precisely as it can be determined:
//|  Same      the same in all lanes that execute the instruction, possibly a known number
//|  Lanes     a known number in each lane; w times `step` more in warp w
//|  Spread    known distances from the lane with the smallest number, which is unknown but uniform
//|  Splits    a predicate that is true in only some lanes of at least one warp
//|  Unknown
// `Same` is a conservative claim; `Lanes` and `Splits` are certain. `Spread` is computed on request only, and assumes
// that sums do not wrap around.
#include "Flow/BlockShape.h"
#include "Flow/Budget.h"
#include <deque>
#include <optional>

namespace ptxray {

struct LaneValue {
  enum Kind : uint8_t { Same, Lanes, Spread, Splits, Unknown };
  bool isUnset = true; // not computed yet
  Kind kind = Same;
  bool isNumber = false; // for Same
  uint32_t pattern = 0;  // for Lanes and Spread
  uint64_t number = 0;   // for Same

  static LaneValue of(Kind kind) { return {false, kind, false, 0, 0}; }
  static LaneValue ofNumber(uint64_t number) { return {false, Same, true, 0, number}; }
  /// Returns whether some lanes of a warp certainly have different values.
  bool differs() const { return kind == Lanes || kind == Splits; }
  bool operator==(const LaneValue &) const = default;
};

struct LanePattern {
  std::array<uint64_t, warpSize> lanes{};
  uint64_t step = 0;
  bool operator==(const LanePattern &) const = default;
};

/// Evaluates integer functions on lane values, and owns their patterns.
class LaneArithmetic {
public:
  LaneArithmetic(const BlockShape &shape, Budget &budget, bool findsSpreads)
      : shape(shape), budget(budget), findsSpreads(findsSpreads) {}

  LaneValue enumerated(uint64_t step);
  /// Returns one coordinate of %tid in a block with an exact shape.
  LaneValue placed(unsigned dimension);
  LaneValue result(const Computation &computation, llvm::ArrayRef<LaneValue> sources);
  LaneValue join(const LaneValue &a, const LaneValue &b);
  const LanePattern &patternOf(const LaneValue &value) const { return patterns[value.pattern]; }

private:
  using Sources = llvm::ArrayRef<LaneValue>;
  LaneValue add(const LanePattern &pattern);
  llvm::SmallVector<uint64_t, 8> warpsFor(const Computation &computation, Sources sources) const;
  std::optional<LanePattern> inWarp(const Computation &computation, Sources sources, uint64_t warp) const;
  LaneValue lanewise(const Computation &computation, Sources sources);
  LaneValue spread(LanePattern pattern, unsigned bits);
  LaneValue spreadResult(const Computation &computation, Sources sources);

  const BlockShape &shape;
  Budget &budget;
  const bool findsSpreads;
  std::deque<LanePattern> patterns;
};

} // namespace ptxray
