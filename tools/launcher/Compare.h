#pragma once
// Compares the results of a kernel with the expected data.
#include "Buffer.h"

namespace ptxray::launcher {

struct Comparison {
  bool isEqual = false;
  std::string report; // one line, also on success
};

/// Compares two buffers, which must have the same size. The tolerance is both absolute, and relative to the expected
/// value.
Comparison compare(const Bytes &found, const Buffer &expected, const ElementType &type, double tolerance);

} // namespace ptxray::launcher
