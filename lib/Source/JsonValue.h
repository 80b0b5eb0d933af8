#pragma once
// JSON values. The header is slow to compile: include it only in files that write JSON.
#include "nlohmann/json.hpp"
#include <string>

namespace ptxray {

using Json = nlohmann::ordered_json;

/// Serialises a value. Bytes that are not UTF-8 (in a path, or quoted in a message) become U+FFFD. A negative `indent`
/// produces one line.
inline std::string dump(const Json &value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace ptxray
