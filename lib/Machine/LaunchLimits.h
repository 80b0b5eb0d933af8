#pragma once
#include "Machine/LaunchData.h"

namespace ptxray::machine {

/// The bytes of local memory that a thread may have, as on a GPU.
inline constexpr uint64_t mostLocal = 512 << 10;

/// Returns in words what of a launch is more than any GPU can do; empty if it is possible.
std::string brokenLimits(const Launch &launch);

} // namespace ptxray::machine
