#pragma once
// A launch, recorded while it is made.
#include "../driver/Shape.h"
#include "Real.h"
#include <functional>

namespace ptxray::recorder {

struct Asked : LaunchShape {
  void *function = nullptr;
  void *stream = nullptr;
  bool isPerThread = false; // the stream 0 is that of the thread
  void **parameters = nullptr, **extra = nullptr;
};

/// Makes the launch by `launch`, and records it if that is wanted and possible.
Result record(const Asked &asked, const std::function<Result()> &launch);

} // namespace ptxray::recorder
