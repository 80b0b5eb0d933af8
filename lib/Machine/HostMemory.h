#pragma once
// How much memory this computer has, and how much of it this process uses.
#include <cstdint>

namespace ptxray::machine {

/// Returns the bytes that a launch may take if nobody says otherwise: three quarters of the memory of this computer, or
/// of the container.
uint64_t usualMemoryLimit();
/// Returns the bytes of memory that this process uses now; 0: the system does not say.
uint64_t memoryInUse();

} // namespace ptxray::machine
