#pragma once
// Finds layouts that avoid the bank conflicts of an access, by trying several.
#include "Traffic/Traffic.h"
#include <string>

namespace ptxray::traffic {

/// Returns a description of the access's wavefronts, and of the padding or swizzle that helps most, if any does.
std::string adviceFor(AccessKind kind, const LaneAddresses &lanes);

} // namespace ptxray::traffic
