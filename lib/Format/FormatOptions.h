#pragma once
#include <cstdint>

namespace ptxray {

struct FormatOptions {
  uint32_t indent = 0; // blanks for each block; 0: a tab
};

} // namespace ptxray
