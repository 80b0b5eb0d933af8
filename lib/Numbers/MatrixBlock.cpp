#include "Numbers/MatrixBlock.h"
#include "Numbers/Lanes.h"
#include <bit>
#include <cassert>
#include <vector>

namespace ptxray::numbers {
namespace {

constexpr unsigned width = 8;           // columns at a time
constexpr float noExponent = -16384.0F; // the exponent of zero, which has no part in the maximum

/// Elements as a significand below 2 and an exponent, both as f32: an exponent has its place in such a number, and
/// comparing and shifting floats takes one instruction on every processor.
struct Parts {
  std::vector<float> significands, exponents;
  bool hasSpecial; // infinity or NaN
};

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
  float significand(uint32_t code) const {
    // A significand has the fraction of an f32 between 1 and 2, from which 1 is taken if the number is subnormal.
    const uint32_t least = fieldOf(code) == 0 ? 0x3f800000 : 0;
    const float magnitude =
        std::bit_cast<float>(fractionOf(code) << widening | 0x3f800000) - std::bit_cast<float>(least);
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | (code >> signAt & isSigned) << 31);
  }
  /// Subnormal numbers keep the least exponent.
  float exponent(uint32_t code) const {
    const uint32_t field = fieldOf(code);
    const auto exponent = float(int32_t(field) + int32_t(field == 0) - bias);
    return (field | fractionOf(code)) == 0 ? noExponent : exponent;
  }
  /// Not 0: infinity or NaN.
  uint32_t isSpecial(uint32_t code) const {
    return uint32_t((code >> unused & (ones << fractionBits | fractionMask)) >= special);
  }
};

bool hasSpecial(const MatrixCodes &matrix) {
  const Reading reading(matrix.format);
  uint32_t isSpecial = 0;
  for (const uint32_t code : matrix.codes)
    isSpecial |= reading.isSpecial(code);
  return isSpecial != 0;
}

Parts partsOf(const MatrixCodes &matrix) {
  const Reading reading(matrix.format);
  const size_t count = matrix.codes.size();
  Parts parts{std::vector<float>(count), std::vector<float>(count), hasSpecial(matrix)};
  float *const significands = parts.significands.data(), *const exponents = parts.exponents.data();
  const uint32_t *const codes = matrix.codes.data();
  for (size_t i = 0; i < count; ++i)
    significands[i] = reading.significand(codes[i]);
  for (size_t i = 0; i < count; ++i)
    exponents[i] = reading.exponent(codes[i]);
  return parts;
}

/// Cut. What is less than the least normal number is cut where subnormal ones end.
uint32_t singleOf(double value, uint32_t lostBits) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const double cut = std::bit_cast<double>(bits & ~((uint64_t(1) << 29) - 1));
  const auto normal = std::bit_cast<uint32_t>(float(cut)); // exact, or infinity
  const double magnitude = std::abs(value);
  const bool isSubnormal = magnitude < 0x1p-126;
  const uint32_t subnormal = uint32_t(int32_t((isSubnormal ? magnitude : 0.0) * 0x1p149)) | uint32_t(bits >> 63) << 31;
  const uint32_t code = (isSubnormal ? subnormal : normal) & ~((1U << lostBits) - 1);
  return code == 0x80000000 ? 0 : code; // there is no negative zero
}

/// Rounded to the nearest, from a float that is odd where it is not exact.
uint32_t halfOf(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t rest = (uint64_t(1) << 29) - 1;
  const auto cut = float(std::bit_cast<double>(bits & ~rest));
  const float odd = std::bit_cast<float>(std::bit_cast<uint32_t>(cut) | uint32_t((bits & rest) != 0));
  const uint32_t code = lanes::narrowedF16(odd);
  return code == 0x8000 ? 0 : code;
}

/// Columns holds eight sums, and adds to them what one row of A gives.
class Columns {
public:
  Columns(const Parts &a, const Parts &b, const MatrixSize &size, const Format &result, const SumModel &model)
      : a(a), b(b), size(size), reading(result), isHalf(result.width() == 16), model(model) {}

  /// False: one of the sums is not finite, and so not to be had in this way.
  bool add(const uint16_t *rowsOfB, unsigned row, unsigned column, uint32_t *sums) const {
    for (unsigned begin = 0; begin < size.depth; begin += model.products) {
      uint32_t isSpecial = 0;
      for (unsigned j = 0; j < width; ++j)
        isSpecial |= reading.isSpecial(sums[j]);
      if (isSpecial)
        return false;
      addAtOnce(rowsOfB, row, column, begin, std::min(size.depth, begin + model.products), sums);
    }
    return true;
  }

private:
  void addAtOnce(const uint16_t *rowsOfB, unsigned row, unsigned column, unsigned begin, unsigned end,
                 uint32_t *sums) const;

  const Parts &a, &b;
  const MatrixSize size;
  const Reading reading; // how the sums are read
  const bool isHalf;
  const SumModel model;
};

/// A significand in units of the last place that is added, cut. The exponent is that of a float with such a factor.
inline int32_t unitsOf(float significand, float exponent) {
  const float field = exponent > 0.0F ? exponent : 0.0F;
  return int32_t(significand * std::bit_cast<float>(uint32_t(int32_t(field)) << 23));
}

void Columns::addAtOnce(const uint16_t *rowsOfB, unsigned row, unsigned column, unsigned begin, unsigned end,
                        uint32_t *sums) const {
  float before[width], exponents[width], greatest[width];
  const auto zero = float(model.zeroExponent);
  for (unsigned j = 0; j < width; ++j)
    before[j] = reading.significand(sums[j]);
  for (unsigned j = 0; j < width; ++j)
    exponents[j] = reading.exponent(sums[j]);
  for (unsigned j = 0; j < width; ++j)
    greatest[j] = exponents[j] > zero ? exponents[j] : zero;
  const float *const first = &a.exponents[size_t(row) * size.depth];
  for (unsigned k = begin; k < end; ++k) {
    const float *const second = &b.exponents[size_t(rowsOfB[k]) * size.columns + column];
    for (unsigned j = 0; j < width; ++j) {
      const float exponent = first[k] + second[j];
      greatest[j] = exponent > greatest[j] ? exponent : greatest[j];
    }
  }
  const float unit = float(model.fractionBits + f32.bias);
  float scale[width];
  for (unsigned j = 0; j < width; ++j)
    scale[j] = unit - greatest[j];
  const float *const factors = &a.significands[size_t(row) * size.depth];
  int32_t units[2][width] = {}; // each holds half of 32 products
  for (unsigned k = begin; k < end; ++k) {
    const float *const second = &b.exponents[size_t(rowsOfB[k]) * size.columns + column];
    const float *const others = &b.significands[size_t(rowsOfB[k]) * size.columns + column];
    int32_t *const to = units[k & 1];
    for (unsigned j = 0; j < width; ++j)
      to[j] += unitsOf(factors[k] * others[j], first[k] + second[j] + scale[j]);
  }
  double values[width];
  for (unsigned j = 0; j < width; ++j) {
    const int32_t last = unitsOf(before[j], exponents[j] + scale[j]);
    const double count = double(units[0][j]) + double(units[1][j]) + double(last);
    const auto power = std::bit_cast<double>(uint64_t(int32_t(greatest[j]) - model.fractionBits + f64.bias) << 52);
    values[j] = count * power;
  }
  for (unsigned j = 0; j < width; ++j)
    sums[j] = isHalf ? halfOf(values[j]) : singleOf(values[j], 23 - model.resultBits);
}

std::vector<Factor> factorsOf(const MatrixCodes &matrix) {
  std::vector<Factor> factors;
  factors.reserve(matrix.codes.size());
  for (const uint32_t code : matrix.codes)
    factors.push_back(factorOf(code, matrix.format));
  return factors;
}

/// One element after the other.
class Elements {
public:
  Elements(const MatrixSize &size, const MatrixCodes &a, const MatrixCodes &b)
      : size(size), a(factorsOf(a)), b(factorsOf(b)) {}

  uint32_t sum(const uint16_t *rowsOfB, unsigned row, unsigned column, uint32_t before, const Format &result,
               const SumModel &model) const {
    std::vector<Factor> second;
    second.reserve(size.depth);
    for (unsigned k = 0; k < size.depth; ++k)
      second.push_back(b[size_t(rowsOfB[k]) * size.columns + column]);
    return uint32_t(sumOfProducts({&a[size_t(row) * size.depth], size.depth}, second, before, result, model));
  }

private:
  const MatrixSize &size;
  std::vector<Factor> a, b;
};

/// Elements that are not finite are rare: whether there is one in a row of A or in eight columns of B.
bool isSpecialIn(const MatrixCodes &a, const MatrixCodes &b, const MatrixSize &size, unsigned row, unsigned column) {
  bool isSpecial = hasSpecial({a.codes.subspan(size_t(row) * size.depth, size.depth), a.format});
  for (size_t at = column; at < b.codes.size(); at += size.columns)
    isSpecial |= hasSpecial({b.codes.subspan(at, width), b.format});
  return isSpecial;
}

} // namespace

void multiplyAndAdd(const MatrixSize &size, const MatrixCodes &a, const MatrixCodes &b,
                    std::span<const uint16_t> chosen, std::span<uint32_t> sums, const Format &result,
                    const SumModel &model) {
  assert(size.columns % width == 0 && "eight columns are added at a time");
  std::vector<uint16_t> all;
  for (unsigned k = 0; chosen.empty() && k < size.depth; ++k)
    all.push_back(uint16_t(k));
  const Parts partsOfA = partsOf(a), partsOfB = partsOf(b);
  const Columns columns(partsOfA, partsOfB, size, result, model);
  std::vector<Elements> slow; // made when it is needed
  for (unsigned row = 0; row < size.rows; ++row) {
    const uint16_t *const rowsOfB = chosen.empty() ? all.data() : &chosen[size_t(row) * size.depth];
    for (unsigned column = 0; column < size.columns; column += width) {
      uint32_t *const to = &sums[size_t(row) * size.columns + column];
      uint32_t before[width];
      std::copy(to, to + width, before);
      const bool isSpecial = (partsOfA.hasSpecial || partsOfB.hasSpecial) && isSpecialIn(a, b, size, row, column);
      if (model.way == SumWay::Fused && !isSpecial && columns.add(rowsOfB, row, column, to))
        continue;
      if (slow.empty())
        slow.emplace_back(size, a, b);
      for (unsigned j = 0; j < width; ++j)
        to[j] = slow[0].sum(rowsOfB, row, column + j, before[j], result, model);
    }
  }
}

} // namespace ptxray::numbers
