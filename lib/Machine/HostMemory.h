#pragma once
// Queries the host's memory size, and the memory that this process uses.
#include <cstdint>

namespace ptxray::machine {

/// Returns the default memory limit of a launch in bytes: three quarters of the memory of the host or the container.
uint64_t usualMemoryLimit();
/// Returns the memory that this process uses in bytes, or 0 if unknown.
uint64_t memoryInUse();

} // namespace ptxray::machine
