#include "Numbers/MatrixSum.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <vector>

namespace ptxray::numbers {
namespace {

/// A row of the models of MMA-Sim (github.com/microsoft/MMA-Sim), which its authors compared with these chips. It
/// includes what ptxas generates for instructions that a chip lacks.
struct Row {
  MatrixUnit unit;
  uint8_t first, last; // range of architectures
  enum Operand : uint8_t { Quad, Wide, Byte } operand;
  SumWay way;
  uint8_t fractionBits, bytes; // total size of the products that are added in one step
  int16_t zeroExponent;
  uint8_t resultBits;
};
constexpr Row rows[] = {
    {MatrixUnit::Mma, 70, 79, Row::Quad, SumWay::Fused, 23, 8, -131, 23},
    {MatrixUnit::Mma, 80, 255, Row::Quad, SumWay::Separate, 0, 8, 0, 23},
    {MatrixUnit::Mma, 70, 74, Row::Wide, SumWay::Fused, 23, 8, -131, 23}, // wmma
    {MatrixUnit::Mma, 75, 89, Row::Wide, SumWay::Fused, 24, 16, -132, 23},
    {MatrixUnit::Mma, 90, 255, Row::Wide, SumWay::Fused, 25, 32, -133, 23},
    {MatrixUnit::Mma, 89, 89, Row::Byte, SumWay::Fused, 13, 16, -132, 13},
    {MatrixUnit::Mma, 90, 119, Row::Byte, SumWay::Pairs, 25, 16, -133, 23},
    {MatrixUnit::Mma, 120, 255, Row::Byte, SumWay::Fused, 25, 32, -133, 23},
    {MatrixUnit::Wgmma, 90, 99, Row::Wide, SumWay::Fused, 25, 32, -133, 23},
    {MatrixUnit::Wgmma, 90, 99, Row::Byte, SumWay::Fused, 13, 32, -133, 13},
    {MatrixUnit::Tcgen05, 100, 255, Row::Wide, SumWay::Fused, 25, 32, -133, 23},
    {MatrixUnit::Tcgen05, 100, 255, Row::Byte, SumWay::Fused, 25, 32, -133, 23},
};
constexpr SumModel scaledGroups{SumWay::Fused, 35, 64, -139, 23};

/// significand / 2^23 * 2^exponent
struct Addend {
  int64_t significand;
  int exponent;
};
constexpr Format cutSingle{"f32", 8, 13, 127, Specials::Ieee, true, true, 10};

/// Non-finite addends, which decide the result alone.
struct Exceptions {
  bool hasNaN = false, hasInfinity[2] = {false, false};

  void add(const Number::Kind kind, bool isNegative) {
    hasNaN |= kind == Number::Kind::NaN;
    hasInfinity[isNegative ? 1 : 0] |= kind == Number::Kind::Infinite;
  }
  void addProduct(const Factor &a, const Factor &b) {
    const bool isInfinite = a.kind == Number::Kind::Infinite || b.kind == Number::Kind::Infinite;
    const bool isZero = a.kind == Number::Kind::Zero || b.kind == Number::Kind::Zero;
    const bool isNaN = a.kind == Number::Kind::NaN || b.kind == Number::Kind::NaN || (isInfinite && isZero);
    if (isNaN || isInfinite)
      add(isNaN ? Number::Kind::NaN : Number::Kind::Infinite, (a.significand < 0) != (b.significand < 0));
  }
  bool decide() const { return hasNaN || hasInfinity[0] || hasInfinity[1]; }
  Number result() const {
    return hasNaN || (hasInfinity[0] && hasInfinity[1]) ? Number::invalid() : Number::infinity(hasInfinity[1]);
  }
};

Addend addendOf(const Number &c, const Format &format, int zeroExponent) {
  if (c.kind != Number::Kind::Finite)
    return {0, zeroExponent};
  const int exponent = std::max(c.exponent, format.leastExponent());
  const auto significand = int64_t(c.significand >> (104 + exponent - c.exponent));
  return {c.isNegative ? -significand : significand, exponent};
}

/// significand * 2^exponent
struct Total {
  int64_t significand;
  int exponent;
};

/// Adds all addends. The loops are plain so that compilers vectorise them.
Total total(std::span<const Addend> addends, const SumModel &model) {
  int greatest = addends[0].exponent;
  for (const Addend &addend : addends)
    greatest = std::max(greatest, addend.exponent);
  const int left = std::max(model.fractionBits - 23, 0), right = std::max(23 - model.fractionBits, 0);
  int64_t sum = 0;
  for (const Addend &addend : addends) {
    const auto magnitude = uint64_t(std::abs(addend.significand)) << left;
    const auto cut = int64_t(magnitude >> std::min(greatest - addend.exponent + right, 63));
    sum += addend.significand < 0 ? -cut : cut;
  }
  return {sum, greatest - model.fractionBits};
}

/// Stores a sum in the result's format. Tensor cores never return negative zero.
uint64_t stored(const Number &sum, const Format &result, const SumModel &model) {
  const bool isHalf = result.width() == 16;
  const bool isGreat = !isHalf && sum.kind == Number::Kind::Finite && sum.exponent > f32.greatestExponent();
  const Format &format = model.resultBits == 13 && !isHalf && !sum.isNaN() ? cutSingle : result;
  const uint64_t code = store(isGreat ? Number::infinity(sum.isNegative) : sum, format,
                              {.rounding = isHalf ? Rounding::Nearest : Rounding::Zero});
  return code == result.signBit() ? 0 : code;
}

uint64_t stored(const Total &total, const Format &result, const SumModel &model) {
  const bool isNegative = total.significand < 0;
  const auto magnitude = uint64_t(std::abs(total.significand));
  const int top = 63 - std::countl_zero(magnitude | 1), field = top + total.exponent + f32.bias;
  if (result.width() == 32 && magnitude != 0 && field > 0 && field < 255) { // the most frequent case, for speed
    const uint64_t fraction = magnitude >> std::max(top - 23, 0) << std::max(23 - top, 0);
    const uint64_t kept = fraction >> (23 - model.resultBits) << (23 - model.resultBits);
    return (isNegative ? f32.signBit() : 0) | uint64_t(field) << 23 | (kept & 0x7fffff);
  }
  return stored(Number::scaled(isNegative, magnitude, total.exponent), result, model);
}

constexpr size_t mostAddends = 65;

uint64_t fusedSum(std::span<const Factor> a, std::span<const Factor> b, uint64_t c, const Format &result,
                  const SumModel &model) {
  Addend addends[mostAddends];
  for (size_t begin = 0; begin < a.size(); begin += model.products) {
    const size_t count = std::min<size_t>(model.products, a.size() - begin);
    const Number before = read(c, result);
    bool isException = !before.isFinite();
    addends[count] = addendOf(before, result, model.zeroExponent);
    for (size_t i = 0; i < count; ++i) {
      const Factor &x = a[begin + i], &y = b[begin + i];
      isException |= (x.kind > Number::Kind::Finite) | (y.kind > Number::Kind::Finite);
      const int32_t product = x.significand * y.significand;
      addends[i] = {int64_t(product) * 8, product == 0 ? model.zeroExponent : x.exponent + y.exponent};
    }
    if (!isException) {
      c = stored(total({addends, count + 1}, model), result, model);
      continue;
    }
    Exceptions exceptions;
    exceptions.add(before.kind, before.isNegative);
    for (size_t i = begin; i < begin + count; ++i)
      exceptions.addProduct(a[i], b[i]);
    c = stored(exceptions.result(), result, model);
  }
  return c;
}

/// Returns the first two factors of each four, then the others, as f16, where more of them are normal.
std::vector<Factor> pairsOf(std::span<const Factor> factors) {
  std::vector<Factor> result;
  for (const size_t pair : {0, 2})
    for (size_t i = 0; i < factors.size(); ++i)
      if ((i & 2) == pair) {
        Factor factor = factors[i];
        if (factor.kind == Number::Kind::Finite)
          for (; std::abs(factor.significand) < 1024 && factor.exponent > f16.leastExponent(); --factor.exponent)
            factor.significand *= 2;
        result.push_back(factor);
      }
  return result;
}

Number numberOf(const Factor &factor) {
  if (factor.kind != Number::Kind::Finite)
    return {factor.kind, factor.isMinusZero || factor.significand < 0};
  return Number::scaled(factor.significand < 0, Wide(std::abs(factor.significand)), factor.exponent - 10);
}

uint64_t separateSum(std::span<const Factor> a, std::span<const Factor> b, const Number &c, const Format &result) {
  const auto single = [](const Number &number) { return read(store(number, f32, {}), f32); };
  const auto added = [&](const Number &so, size_t i) { return single(fused(numberOf(a[i]), numberOf(b[i]), so)); };
  const Number zero = Number::zero(false);
  if (result.width() == 32)
    return store(sum(c, added(added(added(added(zero, 0), 1), 2), 3)), f32, {});
  const Number first = added(single(product(numberOf(a[0]), numberOf(b[0]))), 1);
  const Number second = added(single(product(numberOf(a[2]), numberOf(b[2]))), 3);
  return store(single(sum(single(sum(c, first)), second)), result, {});
}

} // namespace

SumModel sumModel(const MatrixKind &kind) {
  if (kind.hasGroups)
    return scaledGroups;
  const Row::Operand operand = kind.isQuad ? Row::Quad : kind.operand->width() < 16 ? Row::Byte : Row::Wide;
  const Row *row = std::find_if(std::begin(rows), std::end(rows), [&](const Row &one) {
    return one.unit == kind.unit && one.operand == operand && one.first <= kind.architecture &&
           kind.architecture <= one.last;
  });
  assert(row != std::end(rows) && "the instruction exists there");
  const unsigned bytes = operand == Row::Byte ? 1 : kind.operand->width() / 8;
  const int half = kind.result->width() == 16 ? 112 : 0; // difference between the exponent ranges of f32 and f16
  return {row->way, row->fractionBits, uint8_t(row->bytes / bytes), int16_t(row->zeroExponent + half), row->resultBits};
}

Factor factorOf(uint64_t code, const Format &format) {
  code >>= format.unusedBits;
  const uint64_t fraction = code & ((uint64_t(1) << format.fractionBits) - 1);
  const auto greatest = (1 << format.exponentBits) - 1,
             field = static_cast<int>(code >> format.fractionBits & greatest);
  const bool isNegative = format.isSigned && (code >> (format.exponentBits + format.fractionBits) & 1);
  const bool isNaN = format.specials == Specials::OneNaN && (code & format.ones()) == format.ones();
  if (isNaN || (format.specials == Specials::Ieee && field == greatest)) {
    const bool isInfinite = !isNaN && fraction == 0;
    return {.kind = isInfinite ? Number::Kind::Infinite : Number::Kind::NaN, .significand = isNegative ? -1 : 1};
  }
  if (format.hasZero && field == 0 && fraction == 0)
    return {.isMinusZero = isNegative};
  const bool isNormal = !format.hasZero || field != 0;
  const auto magnitude =
      static_cast<int32_t>((fraction | uint64_t(isNormal) << format.fractionBits) << (10 - format.fractionBits));
  return {.kind = Number::Kind::Finite,
          .exponent = int16_t((isNormal ? field : 1) - format.bias),
          .significand = isNegative ? -magnitude : magnitude};
}

uint64_t sumOfProducts(std::span<const Factor> a, std::span<const Factor> b, uint64_t c, const Format &result,
                       const SumModel &model) {
  switch (model.way) {
  case SumWay::Separate: return separateSum(a, b, read(c, result), result);
  case SumWay::Pairs: {
    const std::vector<Factor> x = pairsOf(a), y = pairsOf(b);
    SumModel halves = model;
    halves.products = uint8_t(std::min<size_t>(model.products, a.size() / 2));
    return store(sum(read(c, result), read(fusedSum(x, y, 0, result, halves), result)), result, {});
  }
  case SumWay::Fused: break;
  }
  return fusedSum(a, b, c, result, model);
}

uint32_t scaledSumOfProducts(std::span<const Factor> a, std::span<const Factor> b, std::span<const Factor> scalesOfA,
                             std::span<const Factor> scalesOfB, uint32_t c, const SumModel &model, bool hasGroups) {
  Addend addends[mostAddends];
  const Number sum = read(c, f32);
  Exceptions exceptions;
  exceptions.add(sum.kind, sum.isNegative);
  for (const auto &scales : {scalesOfA, scalesOfB})
    for (const Factor &scale : scales)
      exceptions.add(scale.kind, false);
  const size_t perGroup = hasGroups ? 16 : 1, perScale = a.size() / scalesOfA.size();
  size_t count = 0;
  addends[count++] = addendOf(sum, f32, model.zeroExponent);
  for (size_t begin = 0; begin < a.size(); begin += perGroup) {
    const Factor &first = scalesOfA[begin / perScale], &second = scalesOfB[begin / perScale];
    bool isZero = true;
    int64_t products = 0; // in units of 2^-20
    int exponent = 0;
    for (size_t i = begin; i < begin + perGroup; ++i) {
      exceptions.addProduct(a[i], b[i]);
      if (a[i].kind != Number::Kind::Finite || b[i].kind != Number::Kind::Finite)
        continue;
      isZero = false;
      exponent = hasGroups ? 0 : a[i].exponent + b[i].exponent;
      products += int64_t(a[i].significand) * b[i].significand << (a[i].exponent + b[i].exponent - exponent);
    }
    isZero |= first.kind != Number::Kind::Finite || second.kind != Number::Kind::Finite;
    // The last of the 20 bits after the point are 0, so each scale keeps 3 bits.
    addends[count++] = isZero ? Addend{0, model.zeroExponent}
                              : Addend{(products * (first.significand >> 7) * (second.significand >> 7)) >> 3,
                                       exponent + first.exponent + second.exponent};
  }
  if (exceptions.decide())
    return uint32_t(stored(exceptions.result(), f32, model));
  return uint32_t(stored(total({addends, count}, model), f32, model));
}

uint64_t chainOfProducts(std::span<const uint64_t> a, std::span<const uint64_t> b, uint64_t c, Rounding rounding) {
  for (size_t i = 0; i < a.size(); ++i)
    c = store(fused(read(a[i], f64), read(b[i], f64), read(c, f64)), f64, {.rounding = rounding});
  return c;
}

uint32_t integerSum(std::span<const int32_t> a, std::span<const int32_t> b, uint32_t c, bool finite) {
  int64_t sum = int32_t(c);
  for (size_t i = 0; i < a.size(); ++i)
    sum += int64_t(a[i]) * b[i];
  return uint32_t(finite ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
}

} // namespace ptxray::numbers
