#pragma once
#include <cstdint>
#include <string>

namespace ptxray {

/// Returns a number with its noun: `1 byte`, `2 bytes`, `2 launches`.
inline std::string counted(uint64_t count, const std::string &thing) {
  const bool isHissing = thing.ends_with('s') || thing.ends_with("ch");
  return std::to_string(count) + " " + thing + (count == 1 ? "" : isHissing ? "es" : "s");
}

} // namespace ptxray
