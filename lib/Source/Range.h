#pragma once
#include <cassert>
#include <cstdint>

namespace ptxray {

/// A half-open range of bytes in one source, counted from 0. Lines and columns are computed from it only when a
/// diagnostic is printed.
struct Range {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool operator==(const Range &) const = default;
  uint32_t size() const {
    assert(begin <= end && "a range does not end before it begins");
    return end - begin;
  }
};

} // namespace ptxray
