#pragma once
// Compares what a kernel computed with the expected data.
#include "Buffer.h"

namespace ptxray::launcher {

struct Comparison {
  bool isEqual = false;
  std::string report; // one line, also when all is as expected
};

/// Sizes must be equal. The tolerances are absolute, and relative to the expected value.
Comparison compare(const Bytes &found, const Buffer &expected, const ElementType &type, double tolerance);

} // namespace ptxray::launcher
