#include "Numbers/MatrixTile.h"
#include "Numbers/Lanes.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <vector>

namespace ptxray::numbers {

namespace {

// Products of elements up to this exponent are numbers of f32. Those that are too small to be are cut off anyway,
// unless all of the sum is as small.
constexpr int greatestInside = 63;
constexpr int leastTop = -100; // exponents to which f32 can be scaled

constexpr uint32_t rowsAtOnce = 4, columnsAtOnce = 8;
constexpr uint32_t mostOfWord = 16; // products whose sum 32 bits hold

/// Vectors of which every processor makes as few as it can.
using Floats = float __attribute__((vector_size(4 * columnsAtOnce)));
using Ints = int32_t __attribute__((vector_size(4 * columnsAtOnce)));
using Doubles = double __attribute__((vector_size(4 * columnsAtOnce))); // half as many
using HalfInts = int32_t __attribute__((vector_size(2 * columnsAtOnce)));
using HalfFloats = float __attribute__((vector_size(2 * columnsAtOnce)));
using Longs = int64_t __attribute__((vector_size(4 * columnsAtOnce)));

#define PTXRAY_INSIDE [[gnu::always_inline]] inline
// The rows that are summed together lie in registers.
#if defined(__clang__)
#define PTXRAY_EACH_ROW _Pragma("clang loop unroll_count(4)")
#else
#define PTXRAY_EACH_ROW _Pragma("GCC unroll 4")
#endif

template <class Vector, class Element> PTXRAY_INSIDE void load(Vector &to, const Element *from) {
  std::memcpy(&to, from, sizeof to);
}
template <class Vector, class Element> PTXRAY_INSIDE void store(Element *to, const Vector &from) {
  std::memcpy(to, &from, sizeof from);
}
PTXRAY_INSIDE void raise(Ints &to, const Ints &other) { to = to > other ? to : other; }
PTXRAY_INSIDE void setPowers(Floats &to, const Ints &exponents) {
  to = __builtin_bit_cast(Floats, (exponents + 127) << 23);
}

/// A reading decodes codes of a format: the loops over them become vectors.
struct Reading {
  explicit Reading(const Format &format)
      : unused(format.unusedBits), fractionBits(format.fractionBits), widening(23 - format.fractionBits),
        ones((1U << format.exponentBits) - 1), fractionMask((1U << format.fractionBits) - 1), bias(format.bias),
        signAt(format.width() - 1), isSigned(format.isSigned),
        special(format.specials == Specials::Ieee     ? uint32_t(format.infinity())
                : format.specials == Specials::OneNaN ? uint32_t(format.ones())
                                                      : ~0U) {}
  uint32_t unused, fractionBits, widening, ones, fractionMask;
  int32_t bias;
  uint32_t signAt, isSigned, special;

  uint32_t fieldOf(uint32_t code) const { return code >> unused >> fractionBits & ones; }
  uint32_t fractionOf(uint32_t code) const { return code >> unused & fractionMask; }
  /// The significand is less than 2.
  float significand(uint32_t code) const {
    // It has the fraction of an f32 between 1 and 2, from which 1 is taken if the number is subnormal.
    const uint32_t least = fieldOf(code) == 0 ? 0x3f800000 : 0;
    const float magnitude =
        std::bit_cast<float>(fractionOf(code) << widening | 0x3f800000) - std::bit_cast<float>(least);
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | (code >> signAt & isSigned) << 31);
  }
  /// Subnormal numbers keep the least exponent, and so do zeros.
  int32_t exponent(uint32_t code) const {
    const uint32_t field = fieldOf(code);
    return int32_t(field) + int32_t(field == 0) - bias;
  }
  /// -1: it is zero.
  int32_t isZero(uint32_t code) const { return -int32_t((fieldOf(code) | fractionOf(code)) == 0); }
  /// -1: infinity or NaN.
  int32_t isSpecial(uint32_t code) const {
    return -int32_t((code >> unused & (ones << fractionBits | fractionMask)) >= special);
  }
};

PTXRAY_INSIDE void decode(Multiplicand &matrix, uint32_t products) {
  const Reading reading(*matrix.format);
  const uint32_t rows = matrix.rows;
  std::fill_n(matrix.areOutside.data(), matrix.areOutside.size(), 0);
  std::fill_n(matrix.haveZero.data(), matrix.haveZero.size(), 0);
  for (uint32_t k = 0; k < matrix.depth; ++k) {
    const uint32_t *const codes = matrix.codes.data() + matrix.at(0, k);
    float *const values = matrix.values.data() + matrix.at(0, k);
    int32_t *const exponents = matrix.exponents.data() + matrix.at(0, k);
    int32_t *const areOutside = matrix.areOutside.data(), *const haveZero =
                                                              matrix.haveZero.data() + size_t(k / products) * rows;
    for (uint32_t row = 0; row < rows; ++row) {
      const uint32_t code = codes[row];
      const int32_t exponent = reading.exponent(code), isZero = reading.isZero(code);
      values[row] = reading.significand(code) * std::bit_cast<float>(uint32_t(exponent + 127) << 23);
      exponents[row] = isZero ? Multiplicand::ofNoProduct : exponent;
      areOutside[row] |= reading.isSpecial(code) | -int32_t(exponent > greatestInside);
      haveZero[row] |= isZero;
    }
  }
}

/// The sums of a step of K, while it is made.
struct Sums {
  Ints codes[rowsAtOnce];                          // in the format of the result
  Ints areLeft[rowsAtOnce];                        // -1: a sum is not to be had in this way
  Ints shifts[rowsAtOnce];                         // exponents of scales
  Doubles made[rowsAtOnce][2];                     // f16: what is to be rounded
  const uint16_t *columns[rowsAtOnce] = {nullptr}; // of the products of each row, if A is sparse
};

/// One step of K, with its number: `products` from `first` on, of rows of A by eight rows of B.
struct Step {
  const Multiplicand &a, &b;
  uint32_t row[rowsAtOnce], column;
  uint32_t number, first, products;
};

/// Sums of f32 before the step, and their exponents.
PTXRAY_INSIDE void readSingles(Ints &codes, int32_t ofZero, Floats &before, Ints &exponents, Ints &areLeft) {
  const Ints field = codes >> 23 & 255;
  const Ints isSpecial = field == 255, isZero = (codes << 1) == 0;
  exponents = isZero ? Ints{} + ofZero : (field == 0 ? Ints{} + 1 : field) - 127;
  before = __builtin_bit_cast(Floats, codes & ~isSpecial);
  areLeft |= isSpecial;
}
/// The same for sums of f16.
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

PTXRAY_INSIDE void widen(const Ints &from, Doubles (&to)[2]) {
  HalfInts halves[2];
  std::memcpy(halves, &from, sizeof from);
  to[0] = __builtin_convertvector(halves[0], Doubles);
  to[1] = __builtin_convertvector(halves[1], Doubles);
}

/// The greatest exponents of products.
template <bool IsSparse>
PTXRAY_INSIDE void findTop(const Step &step, const Sums &sums, int32_t ofZero, Ints (&top)[rowsAtOnce],
                           Ints (&least)[rowsAtOnce]) {
  const Multiplicand &a = step.a, &b = step.b;
  const int32_t *const ofA = a.exponents.data(), *const ofB = b.exponents.data() + step.column;
  Ints lowest[rowsAtOnce];
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsAtOnce; ++i) {
    top[i] = Ints{} + 2 * Multiplicand::ofNoProduct;
    lowest[i] = Ints{};
  }
  for (uint32_t k = step.first; k < step.first + step.products; ++k) {
    Ints second;
    if (!IsSparse)
      load(second, ofB + size_t(k) * b.rows);
    PTXRAY_EACH_ROW
    for (uint32_t i = 0; i < rowsAtOnce; ++i) {
      if (IsSparse)
        load(second, ofB + size_t(sums.columns[i][k]) * b.rows);
      const Ints exponent = second + ofA[a.at(step.row[i], k)];
      raise(top[i], exponent);
      if (IsSparse)
        lowest[i] = lowest[i] < exponent ? lowest[i] : exponent;
    }
  }
  Ints zerosOfB = {};
  if (!IsSparse)
    load(zerosOfB, b.haveZero.data() + size_t(step.number) * b.rows + step.column);
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsAtOnce; ++i) {
    const Ints isZero = IsSparse ? lowest[i] < Multiplicand::ofNoProduct / 2
                                 : zerosOfB | a.haveZero.data()[size_t(step.number) * a.rows + step.row[i]];
    least[i] = isZero ? Ints{} + ofZero : Ints{} + Multiplicand::ofNoProduct;
  }
}

/// The sums are exact but for what was cut off before it was added.
template <bool IsSparse> PTXRAY_INSIDE void addParts(const Step &step, const Floats (&scale)[rowsAtOnce], Sums &sums) {
  const Multiplicand &a = step.a, &b = step.b;
  const float *const ofA = a.values.data(), *const ofB = b.values.data() + step.column;
  for (uint32_t begin = 0; begin < step.products; begin += mostOfWord) {
    Ints part[rowsAtOnce] = {};
    const uint32_t end = step.first + std::min(begin + mostOfWord, step.products);
    for (uint32_t k = step.first + begin; k < end; ++k) {
      Floats second;
      if (!IsSparse)
        load(second, ofB + size_t(k) * b.rows);
      PTXRAY_EACH_ROW
      for (uint32_t i = 0; i < rowsAtOnce; ++i) {
        if (IsSparse)
          load(second, ofB + size_t(sums.columns[i][k]) * b.rows);
        part[i] += __builtin_convertvector(second * ofA[a.at(step.row[i], k)] * scale[i], Ints);
      }
    }
    PTXRAY_EACH_ROW
    for (uint32_t i = 0; i < rowsAtOnce; ++i) {
      Doubles more[2];
      widen(part[i], more);
      sums.made[i][0] += more[0];
      sums.made[i][1] += more[1];
    }
  }
}

/// Cut to what f32 keeps.
PTXRAY_INSIDE void cutSingles(const Doubles (&made)[2], int64_t kept, Ints &codes) {
  HalfFloats halves[2];
  for (unsigned i = 0; i < 2; ++i)
    halves[i] =
        __builtin_convertvector(__builtin_bit_cast(Doubles, __builtin_bit_cast(Longs, made[i]) & kept), HalfFloats);
  std::memcpy(&codes, halves, sizeof codes);
}

template <bool IsSparse, bool IsHalf, bool IsScaled>
PTXRAY_INSIDE void addStep(const Step &step, const SumModel &model, Sums &sums) {
  constexpr int leastScale = 1, greatestScale = 254; // of f32; further away are zeros, and what is cut off
  Ints top[rowsAtOnce], least[rowsAtOnce];
  findTop<IsSparse>(step, sums, model.zeroExponent, top, least);
  Floats scale[rowsAtOnce];
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsAtOnce; ++i) {
    Floats before;
    Ints exponents;
    if (IsHalf)
      readHalves(sums.codes[i], model.zeroExponent, before, exponents, sums.areLeft[i]);
    else
      readSingles(sums.codes[i], model.zeroExponent, before, exponents, sums.areLeft[i]);
    const Ints isOnlyZeros = (top[i] < Multiplicand::ofNoProduct / 2) & (__builtin_bit_cast(Ints, before) << 1 == 0);
    if (IsScaled)
      top[i] += sums.shifts[i];
    raise(top[i], exponents);
    raise(top[i], least[i]);
    // Sums this small would be cut off as a whole.
    sums.areLeft[i] |= (top[i] < leastTop) & ~isOnlyZeros;
    raise(top[i], Ints{} + leastTop);
    const Ints exponent = model.fractionBits - top[i];
    setPowers(scale[i], exponent);
    if (IsScaled) {
      Ints shifted = exponent + 127 + sums.shifts[i];
      shifted = shifted > greatestScale ? Ints{} + greatestScale : shifted < leastScale ? Ints{} + leastScale : shifted;
      scale[i] = __builtin_bit_cast(Floats, shifted << 23);
    }
    Floats unit;
    setPowers(unit, exponent);
    widen(__builtin_convertvector(before * unit, Ints), sums.made[i]);
  }
  addParts<IsSparse>(step, scale, sums);
  const int64_t kept = -(int64_t(1) << (52 - model.resultBits));
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsAtOnce; ++i) {
    HalfInts units[2]; // of the last place that is added
    const Ints exponents = top[i] - model.fractionBits + 1023;
    std::memcpy(units, &exponents, sizeof exponents);
    for (unsigned half = 0; half < 2; ++half)
      sums.made[i][half] *= __builtin_bit_cast(Doubles, __builtin_convertvector(units[half], Longs) << 52);
    if (!IsHalf)
      cutSingles(sums.made[i], kept, sums.codes[i]);
  }
}

using AddStep = void (*)(const Step &, const SumModel &, Sums &);
template <bool IsSparse, bool IsHalf, bool IsScaled>
void addPlainly(const Step &step, const SumModel &model, Sums &sums) {
  addStep<IsSparse, IsHalf, IsScaled>(step, model, sums);
}
using Decode = void (*)(Multiplicand &, uint32_t);
void decodePlainly(Multiplicand &matrix, uint32_t products) { decode(matrix, products); }
#if defined(__x86_64__) && defined(__GNUC__)
template <bool IsSparse, bool IsHalf, bool IsScaled>
[[gnu::target("avx2")]] void addWidely(const Step &step, const SumModel &model, Sums &sums) {
  addStep<IsSparse, IsHalf, IsScaled>(step, model, sums);
}
[[gnu::target("avx2")]] void decodeWidely(Multiplicand &matrix, uint32_t products) { decode(matrix, products); }
template <bool IsSparse, bool IsHalf, bool IsScaled = false> AddStep fastest() {
  return __builtin_cpu_supports("avx2") ? addWidely<IsSparse, IsHalf, IsScaled>
                                        : addPlainly<IsSparse, IsHalf, IsScaled>;
}
Decode fastestDecode() { return __builtin_cpu_supports("avx2") ? decodeWidely : decodePlainly; }
#else
template <bool IsSparse, bool IsHalf, bool IsScaled = false> AddStep fastest() {
  return addPlainly<IsSparse, IsHalf, IsScaled>;
}
Decode fastestDecode() { return decodePlainly; }
#endif

/// Rounded to the nearest, from a float that is odd where it is not exact.
uint32_t halfOf(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t rest = (uint64_t(1) << 29) - 1;
  const auto cut = float(std::bit_cast<double>(bits & ~rest));
  const float odd = std::bit_cast<float>(std::bit_cast<uint32_t>(cut) | uint32_t((bits & rest) != 0));
  const uint32_t code = lanes::narrowedF16(odd);
  return code == 0x8000 ? 0 : code; // there is no negative zero
}

/// Scales of rows; without any all products are as they are.
struct Scales {
  std::span<const Factor> ofA, ofB;
};
/// Is true if products that are scaled so are still inside what f32 holds.
bool isNearOne(const Factor &scale) {
  constexpr int farthest = 48;
  return scale.kind == Number::Kind::Finite && scale.significand == 1024 && std::abs(scale.exponent) <= farthest;
}

/// Makes four rows by eight columns of sums at a time.
class Tile {
public:
  Tile(const RowsOfProduct &rows, const Multiplicand &b, const Format &result, const SumModel &model,
       const Scales &scales)
      : rows(rows), b(b), result(result), model(model), scales(scales), isHalf(result.width() == 16) {
    assert(b.rows % columnsAtOnce == 0 && "eight columns are added at a time");
    static const std::array<AddStep, 5> steps = {fastest<false, false>(), fastest<false, true>(),
                                                 fastest<true, false>(), fastest<true, true>(),
                                                 fastest<false, false, true>()};
    addOne = steps[!scales.ofA.empty() ? 4 : size_t(!rows.columns.empty()) * 2 + size_t(isHalf)];
  }
  void add(std::span<uint32_t> to) {
    const bool isFused = model.way == SumWay::Fused;
    for (uint32_t column = 0; column < b.rows; column += columnsAtOnce)
      for (uint32_t row = 0; row < rows.count; row += rowsAtOnce)
        isFused ? addAtOnce(row, column, to) : addAlone(row, column, to);
  }

private:
  /// The rows that are summed together; the last one takes the place of those that there are not.
  uint32_t rowAt(uint32_t row, uint32_t i) const { return std::min(row + i, rows.count - 1); }
  uint32_t *sumsAt(std::span<uint32_t> to, uint32_t row, uint32_t column) const {
    return &to[size_t(row) * b.rows + column];
  }

  void addAtOnce(uint32_t row, uint32_t column, std::span<uint32_t> to) {
    Sums sums;
    Step step{rows.a, b, {}, column, 0, 0, 0};
    Ints areOutside;
    load(areOutside, b.areOutside.data() + column);
    for (uint32_t i = 0; i < rowsAtOnce; ++i) {
      step.row[i] = rows.first + rowAt(row, i);
      load(sums.codes[i], sumsAt(to, rowAt(row, i), column));
      sums.areLeft[i] = areOutside | rows.a.areOutside.data()[step.row[i]];
      if (!rows.columns.empty())
        sums.columns[i] = &rows.columns[size_t(step.row[i]) * rows.a.depth];
    }
    if (!scales.ofA.empty())
      setShifts(row, column, sums);
    std::array<Ints, rowsAtOnce> before, alwaysLeft;
    std::copy(std::begin(sums.areLeft), std::end(sums.areLeft), alwaysLeft.begin());
    for (; step.first < rows.a.depth; step.first += model.products, ++step.number) {
      step.products = std::min<uint32_t>(model.products, rows.a.depth - step.first);
      std::copy(std::begin(sums.codes), std::end(sums.codes), before.begin());
      addOne(step, model, sums);
      if (isHalf)
        round(sums);
      if (areSomeLeft(sums))
        addLeft(step, row, column, before, sums);
      std::copy(alwaysLeft.begin(), alwaysLeft.end(), sums.areLeft);
    }
    for (uint32_t i = 0; i < rowsAtOnce && row + i < rows.count; ++i)
      store(sumsAt(to, row + i, column), sums.codes[i]);
  }
  static void round(Sums &sums) {
    for (uint32_t i = 0; i < rowsAtOnce; ++i)
      for (uint32_t j = 0; j < columnsAtOnce; ++j)
        sums.codes[i][j] = int32_t(halfOf(sums.made[i][j / (columnsAtOnce / 2)][j % (columnsAtOnce / 2)]));
  }
  static bool areSomeLeft(const Sums &sums) {
    Ints all = sums.areLeft[0];
    for (uint32_t i = 1; i < rowsAtOnce; ++i)
      all |= sums.areLeft[i];
    uint64_t words[sizeof all / 8];
    std::memcpy(words, &all, sizeof all);
    return (words[0] | words[1] | words[2] | words[3]) != 0;
  }
  void addLeft(const Step &step, uint32_t row, uint32_t column, const std::array<Ints, rowsAtOnce> &before,
               Sums &sums) const {
    for (uint32_t i = 0; i < rowsAtOnce; ++i)
      for (uint32_t j = 0; j < columnsAtOnce; ++j)
        if (sums.areLeft[i][j])
          sums.codes[i][j] =
              int32_t(oneByOne(rowAt(row, i), column + j, step.first, step.products, uint32_t(before[i][j])));
  }
  void addAlone(uint32_t row, uint32_t column, std::span<uint32_t> to) {
    for (uint32_t i = 0; i < rowsAtOnce && row + i < rows.count; ++i)
      for (uint32_t j = 0; j < columnsAtOnce; ++j) {
        uint32_t &sum = *sumsAt(to, row + i, column + j);
        sum = oneByOne(row + i, column + j, 0, rows.a.depth, sum);
      }
  }
  void setShifts(uint32_t row, uint32_t column, Sums &sums) const {
    for (uint32_t i = 0; i < rowsAtOnce; ++i)
      for (uint32_t j = 0; j < columnsAtOnce; ++j) {
        const Factor &first = scales.ofA[rowAt(row, i)], &second = scales.ofB[column + j];
        const bool isNear = isNearOne(first) && isNearOne(second);
        sums.shifts[i][j] = isNear ? first.exponent + second.exponent : 0;
        sums.areLeft[i][j] |= isNear ? 0 : -1;
      }
  }
  uint32_t oneByOne(uint32_t row, uint32_t column, uint32_t first, uint32_t count, uint32_t code) const {
    std::vector<Factor> ofA, ofB;
    for (uint32_t k = first; k < first + count; ++k) {
      const size_t at = size_t(rows.first + row) * rows.a.depth + k;
      ofA.push_back(rows.a.factor(rows.first + row, k));
      ofB.push_back(b.factor(column, rows.columns.empty() ? k : rows.columns[at]));
    }
    if (!scales.ofA.empty())
      return scaledSumOfProducts(ofA, ofB, scales.ofA.subspan(row, 1), scales.ofB.subspan(column, 1), code, model,
                                 /*hasGroups=*/false);
    return uint32_t(sumOfProducts(ofA, ofB, code, result, model));
  }

  const RowsOfProduct &rows;
  const Multiplicand &b;
  const Format &result;
  const SumModel &model;
  const Scales scales;
  const bool isHalf;
  AddStep addOne;
};

} // namespace

Multiplicand::Multiplicand(uint32_t rows, uint32_t depth, const Format &format, std::span<const uint32_t> codes,
                           uint32_t products)
    : rows(rows), depth(depth), format(&format), codes(codes.size()), values(codes.size()), exponents(codes.size()),
      areOutside(rows), haveZero(size_t(rows) * ((depth + products - 1) / products)) {
  static const Decode decodeAll = fastestDecode();
  assert(codes.size() == size_t(rows) * depth && "one code for each element");
  std::copy(codes.begin(), codes.end(), this->codes.data());
  decodeAll(*this, products);
}

void addProducts(const RowsOfProduct &rows, const Multiplicand &b, std::span<uint32_t> sums, const Format &result,
                 const SumModel &model) {
  Tile(rows, b, result, model, {}).add(sums);
}

void addScaledProducts(const RowsOfProduct &rows, const Multiplicand &b, std::span<const Factor> scalesOfA,
                       std::span<const Factor> scalesOfB, std::span<uint32_t> sums, const SumModel &model) {
  assert(rows.a.depth <= model.products && "all products are added at once");
  Tile(rows, b, f32, model, {scalesOfA, scalesOfB}).add(sums);
}

} // namespace ptxray::numbers
