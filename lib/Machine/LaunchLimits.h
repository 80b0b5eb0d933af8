#pragma once
#include "Machine/Launch.h"

namespace ptxray::machine {

/// What of a launch is more than any GPU can do, in words; empty if it is possible.
std::string brokenLimits(const Launch &launch);

} // namespace ptxray::machine
