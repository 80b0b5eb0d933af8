#pragma once
// The vectors of MatrixTile: four rows by eight columns of numbers, with functions to read, truncate and round them.
#include "Numbers/MatrixTile.h"
#include <bit>
#include <cstring>

namespace ptxray::numbers {

namespace {

// Smallest exponents at which scaled f32 sums keep normal remainders: for products, and for groups.
constexpr int leastTop = -100, leastTopOfGroups = -91;

constexpr uint32_t rowsAtOnce = 4, rowsTogether = Multiplicand::rowsTogether, columnsAtOnce = 8;
constexpr uint32_t mostOfWord = 16;  // maximum number of products whose sum fits 32 bits
constexpr uint32_t sizeOfGroup = 16; // products that are added before they are scaled

/// Vector types with a size that every processor can hold in few registers.
using Floats = float __attribute__((vector_size(4 * columnsAtOnce)));
using Ints = int32_t __attribute__((vector_size(4 * columnsAtOnce)));
using Doubles = double __attribute__((vector_size(4 * columnsAtOnce))); // half as many
using HalfInts = int32_t __attribute__((vector_size(2 * columnsAtOnce)));
using HalfFloats = float __attribute__((vector_size(2 * columnsAtOnce)));
using Longs = int64_t __attribute__((vector_size(4 * columnsAtOnce)));
using Bytes = int8_t __attribute__((vector_size(rowsAtOnce * columnsAtOnce))); // for all four rows

#define PTXRAY_INSIDE [[gnu::always_inline]] inline
// The loop sums as many rows together as fit into the registers.
#if defined(__clang__)
#define PTXRAY_EACH_ROW _Pragma("clang loop unroll_count(4)")
#define PTXRAY_SOME _Pragma("clang loop unroll_count(2)")
#else
#define PTXRAY_EACH_ROW _Pragma("GCC unroll 4")
#define PTXRAY_SOME _Pragma("GCC unroll 2")
#endif

template <class Vector, class Element> PTXRAY_INSIDE void load(Vector &to, const Element *from) {
  std::memcpy(&to, from, sizeof to);
}
template <class Vector, class Element> PTXRAY_INSIDE void store(Element *to, const Vector &from) {
  std::memcpy(to, &from, sizeof from);
}
template <class Vector> PTXRAY_INSIDE void raise(Vector &to, const Vector &other) { to = to > other ? to : other; }
PTXRAY_INSIDE void setPowers(Floats &to, const Ints &exponents) {
  to = __builtin_bit_cast(Floats, (exponents + 127) << 23);
}

/// Integers with more than 32 bits.
struct LongInts {
  Ints high = {}, low = {};
  static constexpr int lowBits = 10;
  PTXRAY_INSIDE void add(const Ints &more) {
    high += more >> lowBits;
    low += more & ((1 << lowBits) - 1);
  }
};
/// Truncates integers to f32, and marks inexact results.
PTXRAY_INSIDE void cut(const LongInts &from, Floats &to, Ints &areCut) {
  const Ints low = from.low & ((1 << LongInts::lowBits) - 1), high = from.high + (from.low >> LongInts::lowBits);
  const Floats great = __builtin_convertvector(high, Floats) * float(1 << LongInts::lowBits);
  const Floats small = __builtin_convertvector(low, Floats);
  const Floats sum = great + small, rest = small - (sum - great); // exact operations
  areCut = (rest < 0) | (rest > 0);
  // The sum was rounded away from zero if the remainder has the opposite sign.
  to = __builtin_bit_cast(Floats, __builtin_bit_cast(Ints, sum) + Ints(rest * sum < 0));
}

PTXRAY_INSIDE void widen(const Floats &from, Doubles (&to)[2]) {
  const HalfFloats first = __builtin_shufflevector(from, from, 0, 1, 2, 3);
  const HalfFloats second = __builtin_shufflevector(from, from, 4, 5, 6, 7);
  to[0] = __builtin_convertvector(first, Doubles);
  to[1] = __builtin_convertvector(second, Doubles);
}
/// Truncates to integers.
PTXRAY_INSIDE void cut(Floats &numbers) {
  constexpr float firstWhole = 0x1p23F;
  const Floats magnitude = __builtin_bit_cast(Floats, __builtin_bit_cast(Ints, numbers) & 0x7fffffff);
  const Ints isWhole = magnitude >= firstWhole;
  const Floats small = __builtin_bit_cast(Floats, __builtin_bit_cast(Ints, numbers) & ~isWhole);
  numbers = isWhole ? numbers : __builtin_convertvector(__builtin_convertvector(small, Ints), Floats);
}

/// Reads accumulators of f32 and their exponents. Zeros get an exponent below any relevant one.
PTXRAY_INSIDE void readSingles(const Ints &codes, Floats &before, Ints &exponents, Ints &areLeft) {
  exponents = (codes >> 23 & 255) - 127;
  const Ints isSpecial = exponents == 128;
  before = __builtin_bit_cast(Floats, codes & ~isSpecial);
  areLeft |= isSpecial;
}
/// Reads accumulators of f16.
PTXRAY_INSIDE void readHalves(const Ints &codes, int32_t ofZero, Floats &before, Ints &exponents, Ints &areLeft) {
  const Ints field = codes >> 10 & 31, fraction = codes & 1023;
  const Ints isSubnormal = field == 0, isZero = (codes & 0x7fff) == 0, isSpecial = field == 31;
  const Ints exponent = (isSubnormal ? Ints{} + 1 : field) - 15;
  const Ints significand = fraction + (isSubnormal ? Ints{} : Ints{} + 1024);
  exponents = isZero ? Ints{} + ofZero : exponent;
  Floats unit;
  setPowers(unit, exponent - 10);
  const Floats magnitude = __builtin_convertvector(significand, Floats) * unit;
  before = __builtin_bit_cast(Floats, (__builtin_bit_cast(Ints, magnitude) | (codes & 0x8000) << 16) & ~isSpecial);
  areLeft |= isSpecial;
}

/// Truncates to f32.
PTXRAY_INSIDE void cutSingles(const Doubles (&made)[2], Ints &codes) {
  constexpr int64_t kept = -(int64_t(1) << 29);
  HalfFloats halves[2];
  for (unsigned i = 0; i < 2; ++i)
    halves[i] =
        __builtin_convertvector(__builtin_bit_cast(Doubles, __builtin_bit_cast(Longs, made[i]) & kept), HalfFloats);
  std::memcpy(&codes, halves, sizeof codes);
}
/// Rounds to the nearest f16, like lanes::narrowedF16.
PTXRAY_INSIDE void roundHalves(const Floats &made, const Ints &areCut, Ints &codes) {
  constexpr int32_t leastNormal = 0x38800000, leastInfinite = 0x477ff000, half = 0x3f000000;
  const Ints odd = __builtin_bit_cast(Ints, made) | (areCut & 1); // sticky bit for inexact sums
  const Ints magnitude = odd & 0x7fffffff, sign = odd >> 16 & 0x8000;
  const Ints normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112 << 23)) >> 13;
  const Ints subnormal = __builtin_bit_cast(Ints, __builtin_bit_cast(Floats, magnitude) + 0.5F) - half;
  Ints rounded = magnitude < leastNormal ? subnormal : normal;
  rounded = magnitude < leastInfinite ? rounded : Ints{} + 0x7c00;
  codes = rounded == 0 ? rounded : rounded | sign; // zero has no sign
}

PTXRAY_INSIDE bool areSome(const Ints (&masks)[rowsAtOnce]) {
  const Ints all = masks[0] | masks[1] | masks[2] | masks[3];
  uint64_t words[sizeof all / 8];
  std::memcpy(words, &all, sizeof all);
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}
/// Returns whether any number is negative.
PTXRAY_INSIDE bool hasSign(const Ints &numbers) {
  uint64_t words[sizeof numbers / 8];
  std::memcpy(words, &numbers, sizeof numbers);
  return ((words[0] | words[1] | words[2] | words[3]) & 0x8000000080000000) != 0;
}
/// Truncates integers to f32, and returns the remainders.
PTXRAY_INSIDE void cut(const Ints &from, Floats &to, Ints &rest) {
  const Floats nearest = __builtin_convertvector(from, Floats);
  rest = from - __builtin_convertvector(nearest, Ints); // 2^31 wraps, but the difference is still correct
  const Ints sign = from >> 31, away = ((rest ^ sign) - sign) >> 31;
  to = __builtin_bit_cast(Floats, __builtin_bit_cast(Ints, nearest) + away);
}

PTXRAY_INSIDE void rowOf(const Bytes &all, uint32_t i, Ints &to) {
  to = __builtin_bit_cast(Ints, all) << (24 - 8 * i) >> 24;
}

PTXRAY_INSIDE int64_t eightBytes(const int8_t *from) {
  int64_t eight;
  std::memcpy(&eight, from, sizeof eight);
  return eight;
}
/// Transposes the bytes of four rows from row order to column order.
PTXRAY_INSIDE void turn(Bytes &bytes) {
  bytes = __builtin_shufflevector(bytes, bytes, 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27, 4, 12, 20, 28,
                                  5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
}

} // namespace

} // namespace ptxray::numbers
