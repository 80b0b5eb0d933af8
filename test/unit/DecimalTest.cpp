#include "Parse/Decimal.h"
#include <bit>
#include <charconv>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ptxray;

namespace {

void isAsToChars(double value) {
  if (!std::isfinite(value))
    return;
  char digits[32];
  const size_t length = std::to_chars(digits, digits + sizeof digits, value).ptr - digits;
  EXPECT_EQ(decimalText(value), std::string(digits, length));
}

TEST(Decimal, IsWhatToCharsWrites) {
  for (const double value : {0.0, -0.0, 0.1, 1e21, 1e22, 1e23, 123456789012345680000.0, 9007199254740993.0, 5e-324})
    isAsToChars(value);
  for (int exponent = -1074; exponent < 1024; ++exponent) // around a power of two the distances differ
    for (const int64_t step : {0, 1, -1})
      isAsToChars(std::bit_cast<double>(std::bit_cast<int64_t>(std::ldexp(1.0, exponent)) + step));
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    isAsToChars(std::bit_cast<double>(random()));
    isAsToChars(static_cast<double>(static_cast<int64_t>(random()) >> random() % 64));
    isAsToChars(static_cast<double>(random() % 1000000) / 1000);
  }
}

} // namespace
