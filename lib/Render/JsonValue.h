#pragma once
// JSON values for the formats that are made of them. Slow to compile: only for files of this folder.
#include "nlohmann/json.hpp"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

using Json = nlohmann::ordered_json;

/// What is no UTF-8 (a path, a byte of the input in a message) becomes U+FFFD.
inline std::string dump(const Json &value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

} // namespace ptxray
