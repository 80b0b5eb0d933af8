#pragma once
#include <cstdint>

namespace ptxray {

struct FormatOptions {
  uint32_t indent = 0;       // spaces per block; 0 for a tab
  bool keepsColumns = false; // preserves tabs and runs of spaces within a line
};

} // namespace ptxray
