#pragma once
#include <cstdint>

namespace ptxray::machine {

/// The bytes of local memory that a thread may have, as on a GPU.
inline constexpr uint64_t mostLocal = 512 << 10;

} // namespace ptxray::machine
