#pragma once
// The languages in which people write PTX.
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace ptxray {

enum class Language : uint8_t { Ptx, Cuda, Python, Llvm, Rust, Julia, Mojo, Zig };

/// Returns the language by the extension of the path; Ptx if it is none of the others.
Language languageOf(llvm::StringRef path);
/// Returns the language with a name such as `cuda`; nothing if it is unknown.
std::optional<Language> findLanguage(llvm::StringRef name);

} // namespace ptxray
