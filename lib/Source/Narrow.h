#pragma once
// Converts a number to fewer bits. Builds with assertions abort if it does not fit.
#include <cassert>
#include <concepts>
#include <utility>

namespace ptxray {

template <std::integral To, std::integral From> constexpr To narrow(From value) {
  assert(std::in_range<To>(value) && "the number has room in fewer bits");
  return static_cast<To>(value);
}

} // namespace ptxray
