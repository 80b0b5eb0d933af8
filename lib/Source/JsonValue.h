#pragma once
// JSON values. Slow to compile: only for files that write them.
#include "nlohmann/json.hpp"
#include <string>

namespace ptxray {

using Json = nlohmann::ordered_json;

/// What is not UTF-8 (a path, a byte of the input in a message) becomes U+FFFD. Without `indent` all is one line.
inline std::string dump(const Json &value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace ptxray
