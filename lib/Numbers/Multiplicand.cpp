#include "Numbers/MatrixTile.h"
#include <algorithm>
#include <bit>
#include <cassert>

namespace ptxray::numbers {

namespace {

// Products of elements up to this exponent fit f32. Products too small for f32 are truncated anyway, unless the whole
// sum is that small.
constexpr int greatestInside = 63;

#define PTXRAY_INSIDE [[gnu::always_inline]] inline

/// Decodes the codes of one format. Compilers vectorise the loops over these functions.
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
  /// Returns the significand, which is less than 2.
  float significand(uint32_t code) const {
    // The code gets the fraction of an f32 between 1 and 2; 1 is subtracted if the number is subnormal.
    const uint32_t least = fieldOf(code) == 0 ? 0x3f800000 : 0;
    const float magnitude =
        std::bit_cast<float>(fractionOf(code) << widening | 0x3f800000) - std::bit_cast<float>(least);
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | (code >> signAt & isSigned) << 31);
  }
  /// Returns the exponent. Subnormal numbers and zeros have the least one.
  int32_t exponent(uint32_t code) const {
    const uint32_t field = fieldOf(code);
    return int32_t(field) + int32_t(field == 0) - bias;
  }
  /// Returns -1 for zero, 0 otherwise.
  int32_t isZero(uint32_t code) const { return -int32_t((fieldOf(code) | fractionOf(code)) == 0); }
  /// Returns -1 for infinity and NaN, 0 otherwise.
  int32_t isSpecial(uint32_t code) const {
    return -int32_t((code >> unused & (ones << fractionBits | fractionMask)) >= special);
  }
};

/// Returns whether the format has more exponents than are kept. Exponents are then relative to the greatest one of the
/// row.
bool isFar(const Format &format) { return (1 << format.exponentBits) - 2 > -Multiplicand::leastExponent; }

/// Decodes a matrix. Separate loops vectorise even if the matrix has few rows.
template <bool IsFar> PTXRAY_INSIDE void decode(Multiplicand &matrix) {
  const Reading reading(*matrix.format);
  const size_t rows = matrix.rows, all = matrix.codes.size();
  Elements<int32_t> found(all);
  const uint32_t *__restrict const codes = matrix.codes.data();
  float *__restrict const values = matrix.values.data();
  int32_t *__restrict const exponents = found.data(), *__restrict const greatest = matrix.greatest.data(),
                            *__restrict const areOutside = matrix.areOutside.data();
  int8_t *__restrict const bytes = matrix.exponents.data();
  for (size_t i = 0; i < all; ++i) {
    exponents[i] = reading.exponent(codes[i]);
    values[i] = reading.significand(codes[i]) * std::bit_cast<float>(uint32_t(exponents[i] + 127) << 23);
  }
  std::fill_n(greatest, matrix.greatest.size(), IsFar ? 1 - reading.bias : int32_t(reading.ones) - reading.bias);
  std::fill_n(areOutside, matrix.areOutside.size(), 0);
  for (size_t first = 0; IsFar && first < all; first += rows)
    for (size_t row = 0; row < rows; ++row)
      greatest[row] = std::max(greatest[row], exponents[first + row]);
  for (size_t first = 0; first < all; first += rows)
    for (size_t row = 0; row < rows; ++row) {
      const uint32_t code = codes[first + row];
      const int32_t exponent = exponents[first + row];
      const int32_t relative = std::max<int32_t>(exponent - greatest[row], Multiplicand::leastExponent);
      areOutside[row] |= reading.isSpecial(code) | -int32_t(exponent > greatestInside);
      exponents[first + row] = reading.isZero(code) ? Multiplicand::ofNoProduct : relative;
    }
  for (size_t i = 0; i < all; ++i)
    bytes[i] = int8_t(exponents[i]);
}

using Decode = void (*)(Multiplicand &);
template <bool IsFar> void decodePlainly(Multiplicand &matrix) { decode<IsFar>(matrix); }
#if defined(__x86_64__) && defined(__GNUC__)
template <bool IsFar> [[gnu::target("avx2")]] void decodeWidely(Multiplicand &matrix) { decode<IsFar>(matrix); }
template <bool IsFar> Decode fastestDecode() {
  return __builtin_cpu_supports("avx2") ? decodeWidely<IsFar> : decodePlainly<IsFar>;
}
#else
template <bool IsFar> Decode fastestDecode() { return decodePlainly<IsFar>; }
#endif

} // namespace

Multiplicand::Multiplicand(uint32_t rows, uint32_t depth, const Format &format, std::span<const uint32_t> codes)
    : rows(rows), depth(depth), format(&format), isFar(numbers::isFar(format)), codes(codes.size()),
      values(codes.size() + rowsTogether), exponents(codes.size() + rowsTogether), greatest(rows + rowsTogether),
      areOutside(rows + rowsTogether) {
  static const Decode near = fastestDecode<false>(), far = fastestDecode<true>();
  assert(codes.size() == size_t(rows) * depth && "one code for each element");
  std::copy(codes.begin(), codes.end(), this->codes.data());
  // Rows beyond the last one are read as well.
  std::fill_n(values.data() + codes.size(), rowsTogether, 0.0F);
  std::fill_n(exponents.data() + codes.size(), rowsTogether, int8_t(ofNoProduct));
  (isFar ? far : near)(*this);
  int32_t anyOutside = 0;
  for (uint32_t row = 0; row < rows; ++row)
    anyOutside |= areOutside.data()[row];
  hasOutside = anyOutside != 0;
}

} // namespace ptxray::numbers
