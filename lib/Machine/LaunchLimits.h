#pragma once
#include "Machine/LaunchData.h"

namespace ptxray::machine {

/// Returns in words what of a launch is more than any GPU can do; empty if it is possible.
std::string brokenLimits(const Launch &launch);

} // namespace ptxray::machine
