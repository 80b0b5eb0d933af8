#pragma once
#include <cstdint>

namespace ptxray::machine {

/// Maximum local memory per thread in bytes, as on a GPU.
inline constexpr uint64_t mostLocal = 512 << 10;

} // namespace ptxray::machine
