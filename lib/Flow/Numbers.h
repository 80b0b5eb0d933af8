#pragma once
// A set of possible integer values: an arithmetic sequence, optionally relative to the address of a variable. The
// sequence either has bounds, or its step is a power of two that describes alignment.
//|  0 .. 127                 %tid.x with `.reqntid 128`
//|  0 .. 508 in steps of 4   shl.b32 of it by 2
//|  4 in steps of 16         mad.lo.s32 of any number, 16 and 4
// A register with N bits contains the number modulo 2^N.
#include "Flow/Body.h"

namespace ptxray {

struct Numbers {
  bool isBounded = false;
  int64_t low = 0, high = 0; // lower bound; without bounds, any one of the values
  uint64_t step = 1;         // difference of consecutive values; 0 for a single value
  LocalId base = LocalId::None;

  static Numbers of(int64_t number) { return {true, number, number, 0, LocalId::None}; }
  static Numbers between(int64_t low, int64_t high, uint64_t step = 1) {
    return {true, low, high, low == high ? 0 : step, LocalId::None};
  }
  /// Returns an unbounded sequence with a step, which must be a power of two, and one of its values.
  static Numbers apart(uint64_t step, int64_t one = 0) { return {false, one, one, step ? step : 1, LocalId::None}; }

  /// Bound on absolute values, so that sums do not overflow; larger values are unknown.
  static constexpr int64_t mostKnown = int64_t(1) << 61;

  bool isOne() const { return isBounded && low == high; }
  bool isNumber() const { return isOne() && base == LocalId::None; }
  bool operator==(const Numbers &) const = default;
};

/// Returns the result of an integer or predicate operation, truncated to its type. Returns nothing for other
/// operations.
std::optional<uint64_t> constantResult(const Computation &computation, llvm::ArrayRef<uint64_t> sources);
/// Returns the possible results of an integer operation.
Numbers numbersOf(const Computation &computation, llvm::ArrayRef<Numbers> sources);
/// Returns whether the operands have no common bits, so that `or` equals addition: all values of one are multiples of a
/// power of two above those of the other.
bool areApart(const Numbers &a, const Numbers &b);
/// Returns the numbers without bounds, keeping only the step.
Numbers withoutBounds(const Numbers &numbers);
/// Returns the union of two sets, as one sequence.
Numbers eitherOf(const Numbers &a, const Numbers &b);
/// Returns the numbers as an operand of the given type interprets them.
Numbers readAs(const Numbers &numbers, isa::TypeKind kind, unsigned bits);

} // namespace ptxray
