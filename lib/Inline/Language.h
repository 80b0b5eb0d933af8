#pragma once
// The languages in which people write PTX.
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace ptxray {

enum class Language : uint8_t { Ptx, Cuda, Python, Llvm, Rust };

/// By the extension; Ptx for what is none of the others.
Language languageOf(llvm::StringRef path);
/// `cuda`; nothing for an unknown one.
std::optional<Language> findLanguage(llvm::StringRef name);

} // namespace ptxray
