#include "Parse/Decimal.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace ptxray {

namespace {

/// The number digits[0].digits[1]digits[2]... * 10^exponent.
struct Decimal {
  std::string digits;
  int exponent;
};

/// Rounds to `digits` digits. Ignores the decimal separator of the C library, which depends on the locale.
Decimal rounded(double value, int digits) {
  char written[40];
  std::snprintf(written, sizeof written, "%.*e", digits - 1, value);
  Decimal result;
  const char *at = written;
  for (; *at != 'e'; ++at)
    if (*at >= '0' && *at <= '9')
      result.digits += *at;
  result.exponent = std::atoi(at + 1);
  return result;
}

bool isRead(const Decimal &decimal, double value) {
  const int last = decimal.exponent - static_cast<int>(decimal.digits.size()) + 1; // exponent of the last digit
  return std::strtod((decimal.digits + 'e' + std::to_string(last)).c_str(), nullptr) == value;
}

/// Returns the next number with the same number of digits.
Decimal after(Decimal decimal) {
  for (char &digit : llvm::reverse(decimal.digits)) {
    if (digit != '9') {
      ++digit;
      break;
    }
    digit = '0';
  }
  return decimal;
}

Decimal shortest(double value) {
  constexpr int enough = 17; // sufficient for a round trip of every number
  for (int digits = 1; digits < enough; ++digits) {
    const Decimal nearest = rounded(value, digits);
    // For powers of two, the interval above is twice as wide as the interval below.
    for (const Decimal &one : {nearest, after(nearest)})
      if (isRead(one, value))
        return one;
  }
  return rounded(value, enough);
}

} // namespace

std::string decimalText(double value) {
  const double size = std::fabs(value);
  const auto [digits, exponent] = shortest(size);
  std::string withExponent = digits;
  if (digits.size() > 1)
    withExponent.insert(1, ".");
  char written[24];
  std::snprintf(written, sizeof written, "e%+03d", exponent);
  withExponent += written;
  std::string plain = digits;
  if (exponent < 0) {
    plain.insert(0, "0." + std::string(-exponent - 1, '0'));
  } else if (exponent + 1 < static_cast<int>(digits.size())) {
    plain.insert(exponent + 1, ".");
  } else if (exponent + 1 <= static_cast<int>(withExponent.size())) { // an integer needs no exponent
    std::snprintf(written, sizeof written, "%.0f", size);
    plain = written;
  } else {
    plain = withExponent;
  }
  return (std::signbit(value) ? "-" : "") + (plain.size() <= withExponent.size() ? plain : withExponent);
}

} // namespace ptxray
