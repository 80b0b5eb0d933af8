#pragma once
// The numbers with which the CUDA driver's cuTensorMapEncodeTiled describes a tensor map.
#include "Machine/TensorMap.h"

namespace ptxray::machine {

struct DriverNumbers {
  int type = 0, interleave = 0, swizzle = 0, fill = 0;
};

/// Sets the fields that the numbers encode. Returns false if a number is not a valid code.
bool setDriverNumbers(TensorMap &map, const DriverNumbers &numbers);

} // namespace ptxray::machine
