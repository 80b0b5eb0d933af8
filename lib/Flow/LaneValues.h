#pragma once
// A value in the lanes of a warp is known to some degree, from nothing to everything that can be:
//   Same      it is the same in all lanes that execute the instruction, perhaps a known number
//   Lanes     it is a known number in each lane; in warp w it is w times `step` more
//   Spread    lanes have known distances from the one with the least number, which is the same in all but not known
//   Splits    a predicate that in some warp holds in some lanes and not in others
//   Unknown
// `Same` is a cautious claim, `Lanes` and `Splits` are certain ones. `Spread` is found where it is asked for; it takes
// for granted that no sum goes round.
#include "Flow/BlockShape.h"
#include "Flow/Budget.h"
#include <deque>
#include <optional>

namespace ptxray {

struct LaneValue {
  enum Kind : uint8_t { Same, Lanes, Spread, Splits, Unknown };
  bool isUnset = true; // nothing is known yet
  Kind kind = Same;
  bool isNumber = false; // of Same
  uint32_t pattern = 0;  // of Lanes and Spread
  uint64_t number = 0;   // of Same

  static LaneValue of(Kind kind) { return {false, kind, false, 0, 0}; }
  static LaneValue ofNumber(uint64_t number) { return {false, Same, true, 0, number}; }
  /// Some lanes of a warp certainly have another value than others.
  bool differs() const { return kind == Lanes || kind == Splits; }
  bool operator==(const LaneValue &) const = default;
};

struct LanePattern {
  std::array<uint64_t, warpSize> lanes{};
  uint64_t step = 0;
  bool operator==(const LanePattern &) const = default;
};

/// The integer functions of such values, and what they have in common.
class LaneArithmetic {
public:
  LaneArithmetic(const BlockShape &shape, Budget &budget, bool findsSpreads)
      : shape(shape), budget(budget), findsSpreads(findsSpreads) {}

  LaneValue enumerated(uint64_t step);
  /// Returns one of the three numbers of a thread, in a block whose shape is exact.
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
