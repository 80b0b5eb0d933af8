#pragma once
// This finds by trying what ends the conflicts of an access to shared memory.
#include "Traffic/Traffic.h"
#include <string>

namespace ptxray::traffic {

/// Says how many passes the access takes, and which padding or swizzle helps most, if one of those that are tried does.
std::string adviceFor(AccessKind kind, const LaneAddresses &lanes);

} // namespace ptxray::traffic
