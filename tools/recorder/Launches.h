#pragma once
// Records a launch.
#include "../driver/Shape.h"
#include "Real.h"
#include <functional>

namespace ptxray::recorder {

struct Asked : LaunchShape {
  void *function = nullptr;
  void *stream = nullptr;
  bool isPerThread = false; // stream 0 is the per-thread default stream
  void **parameters = nullptr, **extra = nullptr;
};

/// Calls `launch`, and records the launch if that is wanted and possible.
Result record(const Asked &asked, const std::function<Result()> &launch);

} // namespace ptxray::recorder
