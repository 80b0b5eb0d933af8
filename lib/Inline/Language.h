#pragma once
// The languages whose sources can contain PTX.
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace ptxray {

enum class Language : uint8_t { Ptx, Cuda, Python, Llvm, Rust, Julia, Mojo, Zig };

/// Returns the language for the extension of the path; Ptx for unknown extensions.
Language languageOf(llvm::StringRef path);
/// Returns the language with a name such as `cuda`, or nothing if there is none.
std::optional<Language> findLanguage(llvm::StringRef name);

} // namespace ptxray
