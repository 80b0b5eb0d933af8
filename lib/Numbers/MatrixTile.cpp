#include "Numbers/MatrixTile.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ptxray::numbers {

namespace {

// Elements within these exponents have products that f32 holds exactly, and that are greater than any product of others
// by less than what f32 can be scaled by.
constexpr int leastInside = -48, greatestInside = 48;
constexpr int16_t ofNoProduct = -16000; // of a zero: no sum with it is the greatest
constexpr int leastTop = -100;          // exponents to which f32 can be scaled
constexpr uint32_t sideBySide = 32;     // sums that are made side by side
constexpr uint32_t mostOfWord = 16;     // products whose sum 32 bits hold

float powerOfTwo(int exponent) { return std::bit_cast<float>(uint32_t(127 + exponent) << 23); }

} // namespace

Multiplicand::Multiplicand(uint32_t rows, uint32_t depth, const Format &format, std::span<const uint32_t> codes,
                           uint32_t products)
    : rows(rows), depth(depth), factors(size_t(rows) * depth), values(size_t(rows) * depth),
      exponents(size_t(rows) * depth), isOutside(rows), hasZero(size_t(rows) * ((depth + products - 1) / products)) {
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t k = 0; k < depth; ++k) {
      const Factor factor = factors[size_t(row) * depth + k] = factorOf(codes[size_t(row) * depth + k], format);
      const size_t at = size_t(k) * rows + row;
      const bool isFinite = factor.kind == Number::Kind::Finite;
      exponents[at] = ofNoProduct;
      if (factor.kind == Number::Kind::Zero)
        hasZero[size_t(k / products) * rows + row] = 1;
      else if (!isFinite || factor.exponent < leastInside || factor.exponent > greatestInside)
        isOutside[row] = 1;
      else {
        exponents[at] = factor.exponent;
        values[at] = static_cast<float>(factor.significand) * powerOfTwo(factor.exponent - 10);
      }
    }
}

namespace {

/// One step of K of `sideBySide` sums side by side.
struct Step {
  const float *a; // of one row: the first column of the step; others follow at `strideOfA`
  const int16_t *exponentsOfA;
  const float *b; // the first of the rows, in the first column; other columns follow at `strideOfB`
  const int16_t *exponentsOfB;
  size_t strideOfA, strideOfB;
  uint32_t products;
  bool hasZeroInA;
  const uint8_t *hasZeroInB; // of each row
  const int16_t *shift;      // exponents of the scales of each sum; null: there are none
};

/// These are the sums before the step, as f32, and after it.
struct Sums {
  float before[sideBySide];
  int16_t exponents[sideBySide]; // of zeros the model's
  double made[sideBySide];       // exact, but for what was cut off before it was added
  int16_t top[sideBySide];       // the greatest exponent
  uint32_t codes[sideBySide];    // f32, cut
};

/// The greatest exponents. The loops are plain, so that they become vectors.
[[gnu::always_inline]] inline void findTop(const Step &step, const SumModel &model, const int16_t *shift, Sums &sums) {
  int16_t top[sideBySide];
  for (int16_t &one : top)
    one = 2 * ofNoProduct;
  for (uint32_t k = 0; k < step.products; ++k) {
    const int16_t exponent = step.exponentsOfA[k * step.strideOfA];
    const int16_t *of = step.exponentsOfB + k * step.strideOfB;
    for (uint32_t i = 0; i < sideBySide; ++i)
      top[i] = std::max<int16_t>(top[i], static_cast<int16_t>(exponent + of[i]));
  }
  const int16_t ofZero = model.zeroExponent;
  for (uint32_t i = 0; i < sideBySide; ++i) {
    const int16_t least = step.hasZeroInA || step.hasZeroInB[i] ? ofZero : ofNoProduct;
    sums.top[i] = std::max(std::max(sums.exponents[i], least), static_cast<int16_t>(top[i] + shift[i]));
  }
}

[[gnu::always_inline]] inline void addStep(const Step &step, const SumModel &model, Sums &sums) {
  constexpr int leastScale = 1, greatestScale = 254; // of f32; further away are zeros, and what is cut off
  int16_t shift[sideBySide] = {};
  if (step.shift)
    std::memcpy(shift, step.shift, sizeof shift);
  findTop(step, model, shift, sums);
  float scale[sideBySide];
  double made[sideBySide];
  for (uint32_t i = 0; i < sideBySide; ++i) {
    const int exponent = 127 + model.fractionBits - std::max<int>(sums.top[i], leastTop);
    const int shifted = std::clamp(exponent + shift[i], leastScale, greatestScale);
    scale[i] = std::bit_cast<float>(uint32_t(shifted) << 23);
    made[i] = static_cast<int32_t>(sums.before[i] * std::bit_cast<float>(uint32_t(exponent) << 23));
  }
  for (uint32_t begin = 0; begin < step.products; begin += mostOfWord) {
    int32_t part[sideBySide] = {};
    const uint32_t end = std::min(begin + mostOfWord, step.products);
    for (uint32_t k = begin; k < end; ++k) {
      const float value = step.a[k * step.strideOfA];
      const float *by = step.b + k * step.strideOfB;
      for (uint32_t i = 0; i < sideBySide; ++i)
        part[i] += static_cast<int32_t>(value * by[i] * scale[i]);
    }
    for (uint32_t i = 0; i < sideBySide; ++i)
      made[i] += part[i];
  }
  const uint64_t kept = ~((uint64_t(1) << (52 - model.resultBits)) - 1);
  for (uint32_t i = 0; i < sideBySide; ++i) {
    const int64_t unit = 1023 + std::max<int>(sums.top[i], leastTop) - model.fractionBits;
    sums.made[i] = made[i] * std::bit_cast<double>(uint64_t(unit) << 52);
    const double whole = std::bit_cast<double>(std::bit_cast<uint64_t>(sums.made[i]) & kept);
    sums.codes[i] = std::bit_cast<uint32_t>(static_cast<float>(whole));
  }
}

/// The same for sums of f32.
[[gnu::always_inline]] inline void readSingles(const uint32_t *codes, int16_t ofZero, Sums &sums) {
  for (uint32_t i = 0; i < sideBySide; ++i) {
    const auto field = static_cast<int32_t>(codes[i] >> 23 & 255);
    const bool isNumber = field != 255;
    const int32_t exponent = std::max(field, 1) - 127;
    sums.exponents[i] = static_cast<int16_t>(isNumber && codes[i] << 1 != 0 ? exponent : ofZero);
    sums.before[i] = std::bit_cast<float>(isNumber ? codes[i] : 0);
  }
}

using AddStep = void (*)(const Step &, const SumModel &, const uint32_t *, Sums &);
/// Codes: of sums that are f32; null: they have been read.
[[gnu::always_inline]] inline void readAndAdd(const Step &step, const SumModel &model, const uint32_t *codes,
                                              Sums &sums) {
  if (codes)
    readSingles(codes, model.zeroExponent, sums);
  addStep(step, model, sums);
}
void addPlainly(const Step &step, const SumModel &model, const uint32_t *codes, Sums &sums) {
  readAndAdd(step, model, codes, sums);
}
#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("avx2")]] void addWidely(const Step &step, const SumModel &model, const uint32_t *codes, Sums &sums) {
  readAndAdd(step, model, codes, sums);
}
AddStep fastest() { return __builtin_cpu_supports("avx2") ? addWidely : addPlainly; }
#else
AddStep fastest() { return addPlainly; }
#endif

void readHalves(const uint32_t *codes, int16_t ofZero, Sums &sums) {
  for (uint32_t i = 0; i < sideBySide; ++i) {
    const uint32_t field = codes[i] >> 10 & 31, fraction = codes[i] & 1023;
    const int exponent = static_cast<int>(std::max(field, 1u)) - f16.bias;
    const bool isNumber = field != 31;
    sums.exponents[i] = static_cast<int16_t>(isNumber && (field || fraction) ? exponent : ofZero);
    const auto significand = static_cast<float>(fraction | (field ? 1024u : 0));
    const float magnitude = isNumber ? significand * powerOfTwo(exponent - 10) : 0;
    sums.before[i] = codes[i] & 0x8000 ? -magnitude : magnitude;
  }
}

/// The nearest f16; ties to even.
uint32_t nearestHalf(double number) {
  const uint64_t bits = std::bit_cast<uint64_t>(number);
  const int exponent = std::max(static_cast<int>(bits >> 52 & 2047) - 1023, f16.leastExponent());
  // A number of f16 that is added has its last bit where that of the result is.
  const double ulp = std::bit_cast<double>(uint64_t(1023 + exponent - 10) << 52), magic = ulp * 0x1.8p52;
  const double magnitude = std::abs(number), rounded = (magnitude + magic) - magic;
  if (rounded == 0)
    return 0;
  const uint32_t sign = bits >> 63 ? 0x8000 : 0;
  if (rounded >= 65536)
    return sign | 0x7c00;
  const auto units = static_cast<uint32_t>(rounded / ulp); // up to 2048
  return sign | ((static_cast<uint32_t>(exponent - f16.leastExponent()) << 10) + units);
}

/// The scales of a row of A and of all rows of B.
struct Scales {
  const Factor *ofA = nullptr; // null: there are none
  std::span<const Factor> ofB;
};
/// Is true if products that are scaled so are still inside what f32 holds.
bool isNearOne(const Factor &scale) {
  return scale.kind == Number::Kind::Finite && scale.significand == 1024 && std::abs(scale.exponent) <= greatestInside;
}

/// Sums of a row of A, from one step on to the next.
class RowOfSums {
public:
  RowOfSums(const Multiplicand &a, uint32_t row, const Multiplicand &b, const Format &result, const SumModel &model,
            const Scales &scales = {})
      : a(a), row(row), b(b), result(result), model(model), scales(scales) {}

  void add(uint32_t first, uint32_t *codes) {
    static const AddStep addOne = fastest();
    const uint32_t count = std::min(sideBySide, b.rows - first);
    const bool isHalf = result.width() == 16;
    uint32_t here[sideBySide] = {};
    std::copy_n(codes, count, here);
    for (uint32_t k = 0; k < a.depth; k += model.products) {
      Sums sums;
      if (isHalf)
        readHalves(here, model.zeroExponent, sums);
      addOne(stepAt(k, first, count), model, isHalf ? nullptr : here, sums);
      for (uint32_t i = 0; i < count; ++i)
        here[i] = isSimple(first + i, here[i], sums, i) ? (isHalf ? nearestHalf(sums.made[i]) : sums.codes[i])
                                                        : oneByOne(k, first + i, here[i]);
    }
    std::copy_n(here, count, codes);
  }

private:
  /// The columns of B are copied where fewer than `sideBySide` rows are left.
  Step stepAt(uint32_t k, uint32_t first, uint32_t count) {
    const uint32_t products = std::min<uint32_t>(model.products, a.depth - k), number = k / model.products;
    const size_t atA = size_t(k) * a.rows + row, atB = size_t(k) * b.rows + first;
    Step step{&a.values[atA],
              &a.exponents[atA],
              &b.values[atB],
              &b.exponents[atB],
              a.rows,
              b.rows,
              products,
              a.hasZero[size_t(number) * a.rows + row] != 0,
              &b.hasZero[size_t(number) * b.rows + first],
              nullptr};
    if (scales.ofA) {
      shift.assign(sideBySide, 0);
      for (uint32_t i = 0; i < count; ++i)
        if (isNearOne(*scales.ofA) && isNearOne(scales.ofB[first + i]))
          shift[i] = static_cast<int16_t>(scales.ofA->exponent + scales.ofB[first + i].exponent);
      step.shift = shift.data();
    }
    if (count == sideBySide)
      return step;
    values.assign(size_t(products) * sideBySide, 0);
    exponents.assign(size_t(products) * sideBySide, ofNoProduct);
    zeros.assign(sideBySide, 0);
    std::copy_n(step.hasZeroInB, count, zeros.data());
    for (uint32_t i = 0; i < products; ++i) {
      std::copy_n(step.b + i * step.strideOfB, count, &values[size_t(i) * sideBySide]);
      std::copy_n(step.exponentsOfB + i * step.strideOfB, count, &exponents[size_t(i) * sideBySide]);
    }
    step.b = values.data();
    step.exponentsOfB = exponents.data();
    step.hasZeroInB = zeros.data();
    step.strideOfB = sideBySide;
    return step;
  }
  bool isSimple(uint32_t column, uint32_t code, const Sums &sums, uint32_t i) const {
    const uint32_t infinity = result.width() == 32 ? 0x7f800000 : 0x7c00;
    // Scaled products may all be so small that the clamped exponent cuts them off.
    if (scales.ofA && (sums.top[i] < leastTop || !isNearOne(*scales.ofA) || !isNearOne(scales.ofB[column])))
      return false;
    return !a.isOutside[row] && !b.isOutside[column] && (code & infinity) != infinity &&
           (sums.top[i] >= leastTop || (sums.before[i] == 0 && sums.made[i] == 0));
  }
  uint32_t oneByOne(uint32_t k, uint32_t column, uint32_t code) const {
    const size_t count = std::min<size_t>(model.products, a.depth - k);
    if (scales.ofA)
      return scaledSumOfProducts({&a.factors[size_t(row) * a.depth], count},
                                 {&b.factors[size_t(column) * b.depth], count}, {scales.ofA, 1},
                                 scales.ofB.subspan(column, 1), code, model, /*hasGroups=*/false);
    return static_cast<uint32_t>(sumOfProducts({&a.factors[size_t(row) * a.depth + k], count},
                                               {&b.factors[size_t(column) * b.depth + k], count}, code, result, model));
  }

  const Multiplicand &a;
  const uint32_t row;
  const Multiplicand &b;
  const Format &result;
  const SumModel &model;
  const Scales scales;
  std::vector<int16_t> shift;
  std::vector<float> values;
  std::vector<int16_t> exponents;
  std::vector<uint8_t> zeros;
};

} // namespace

void addProducts(const Multiplicand &a, uint32_t first, uint32_t count, const Multiplicand &b, std::span<uint32_t> sums,
                 const Format &result, const SumModel &model) {
  for (uint32_t row = 0; row < count; ++row) {
    RowOfSums one(a, first + row, b, result, model);
    for (uint32_t column = 0; column < b.rows; column += sideBySide)
      one.add(column, &sums[size_t(row) * b.rows + column]);
  }
}

void addScaledProducts(const Multiplicand &a, uint32_t first, uint32_t count, const Multiplicand &b,
                       std::span<const Factor> scalesOfA, std::span<const Factor> scalesOfB, std::span<uint32_t> sums,
                       const SumModel &model) {
  for (uint32_t row = 0; row < count; ++row) {
    RowOfSums one(a, first + row, b, f32, model, {&scalesOfA[row], scalesOfB});
    for (uint32_t column = 0; column < b.rows; column += sideBySide)
      one.add(column, &sums[size_t(row) * b.rows + column]);
  }
}

} // namespace ptxray::numbers
