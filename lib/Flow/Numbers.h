#pragma once
// An integer may be one of a few numbers in steps, or one of those after the address of a variable. They lie between
// bounds, or have none, and then a power of two as the step still says how they are aligned.
//   0 .. 127                 %tid.x with `.reqntid 128`
//   0 .. 508 in steps of 4   shl.b32 of it by 2
//   4 in steps of 16         mad.lo.s32 of any number, 16 and 4
// A register of so many bits holds what such a number leaves in so many bits.
#include "Flow/Body.h"

namespace ptxray {

struct Numbers {
  bool isBounded = false;
  int64_t low = 0, high = 0; // without bounds `low` is any of them
  uint64_t step = 1;         // from one to the next; 0: there is one alone
  LocalId base = LocalId::None;

  static Numbers of(int64_t number) { return {true, number, number, 0, LocalId::None}; }
  static Numbers between(int64_t low, int64_t high, uint64_t step = 1) {
    return {true, low, high, low == high ? 0 : step, LocalId::None};
  }
  /// Nothing is known but that they are so far apart, a power of two.
  static Numbers apart(uint64_t step, int64_t one = 0) { return {false, one, one, step ? step : 1, LocalId::None}; }

  /// Numbers beyond are not told apart, so that sums of them do not overflow.
  static constexpr int64_t mostKnown = int64_t(1) << 61;

  bool isOne() const { return isBounded && low == high; }
  bool isNumber() const { return isOne() && base == LocalId::None; }
  bool operator==(const Numbers &) const = default;
};

/// Returns the result of an instruction's arithmetic with integers or predicates, cut to its type; nothing for all
/// others.
std::optional<uint64_t> constantResult(const Computation &computation, llvm::ArrayRef<uint64_t> sources);
/// Returns the numbers that an integer function makes of such sources.
Numbers numbersOf(const Computation &computation, llvm::ArrayRef<Numbers> sources);
/// Returns whether one of the numbers is a multiple of more than the other can be, so that `or` adds them.
bool areApart(const Numbers &a, const Numbers &b);
/// Returns the same numbers without bounds: what is left is how far apart they are.
Numbers withoutBounds(const Numbers &numbers);
/// Returns the numbers that are one or the other.
Numbers eitherOf(const Numbers &a, const Numbers &b);
/// Returns the numbers as a type reads them.
Numbers readAs(const Numbers &numbers, isa::TypeKind kind, unsigned bits);

} // namespace ptxray
