#pragma once
// What a kernel computed against what it should have.
#include "Buffer.h"

namespace ptxray {

struct Comparison {
  bool isEqual = false;
  std::string report; // one line, also when all is as expected
};

/// Sizes must be equal. With a tolerance, elements may differ by that much, or by that part of the expected value.
Comparison compare(const Bytes &found, const Buffer &expected, const ElementType &type, double tolerance);

} // namespace ptxray
