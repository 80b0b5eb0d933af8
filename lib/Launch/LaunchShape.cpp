#include "Launch/LaunchShape.h"
#include <cstdlib>
#include <string>

namespace ptxray {

std::optional<uint32_t> readNumber32(std::string_view text) {
  const std::string word(text);
  char *end = nullptr;
  const unsigned long long value = std::strtoull(word.c_str(), &end, 0);
  if (word.empty() || word[0] < '0' || word[0] > '9' || *end || value > UINT32_MAX)
    return std::nullopt;
  return static_cast<uint32_t>(value);
}

std::optional<std::array<uint32_t, 3>> readExtents(std::string_view text) {
  std::array<uint32_t, 3> extents = {1, 1, 1};
  for (uint32_t &extent : extents) {
    const size_t end = text.find(',');
    const std::optional<uint32_t> number = readNumber32(text.substr(0, end));
    if (!number || *number == 0)
      return std::nullopt;
    extent = *number;
    if (end == std::string_view::npos)
      return extents;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

} // namespace ptxray
