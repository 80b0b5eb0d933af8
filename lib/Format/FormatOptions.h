#pragma once
#include <cstdint>

namespace ptxray {

struct FormatOptions {
  uint32_t indent = 0;       // blanks for each block; 0: a tab
  bool keepsColumns = false; // a tab, and two or more blanks, within a line stay
};

} // namespace ptxray
