// Compares element by element. The result holds the number of different elements, the first of them, the greatest
// error, and the mean error.
#include "Compare.h"
#include <cmath>
#include <cstdio>

namespace ptxray::launcher {

/// Returns the position of an element: `[3, 17]` if the expected data have a shape, else `3`.
static std::string position(uint64_t index, const std::vector<uint64_t> &shape) {
  if (shape.size() < 2)
    return std::to_string(index);
  std::string text = "]";
  for (size_t i = shape.size(); i-- > 0;) {
    text = std::to_string(index % shape[i]) + text;
    if (i)
      text = ", " + text;
    index /= shape[i];
  }
  return "[" + text;
}

static std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

Comparison compare(const Bytes &found, const Buffer &expected, const ElementType &type, double tolerance) {
  if (found.size() != expected.bytes.size())
    return {false,
            "has " + std::to_string(found.size()) + " bytes, " + std::to_string(expected.bytes.size()) + " expected"};
  const uint64_t count = countIn(type, found.size());
  uint64_t different = 0, first = 0, worst = 0;
  double greatest = 0, sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t a = element(type, found, i), b = element(type, expected.bytes, i);
    if (a == b)
      continue;
    const double f = decode(type, a), e = decode(type, b);
    if (std::isnan(f) && std::isnan(e))
      continue;
    const double error = f == e ? 0 : std::isfinite(f) && std::isfinite(e) ? std::fabs(f - e) : INFINITY;
    sum += error;
    if (error > greatest) {
      greatest = error;
      worst = i;
    }
    if (error <= tolerance * std::max(1.0, std::fabs(e)) && (tolerance > 0 || error == 0))
      continue;
    if (different++ == 0)
      first = i;
  }
  auto pair = [&](uint64_t i) {
    return position(i, expected.shape) + ": " + show(type, element(type, found, i)) + ", expected " +
           show(type, element(type, expected.bytes, i));
  };
  const std::string errors = greatest == 0
                                 ? ""
                                 : "; greatest error " + number(greatest) + " at " + position(worst, expected.shape) +
                                       ", mean " + number(sum / static_cast<double>(count));
  if (different == 0)
    return {true, "is as expected: " + std::to_string(count) + " elements of " + type.name + errors};
  return {false, "is not as expected: " + std::to_string(different) + " of " + std::to_string(count) +
                     " elements differ, first number " + pair(first) + errors};
}

} // namespace ptxray::launcher
