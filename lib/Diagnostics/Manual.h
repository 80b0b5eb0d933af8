#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// A section of the PTX manual on the web. The number is valid for one version of the manual only; the anchor
/// identifies the section in other versions.
struct ManualSection {
  llvm::StringLiteral number, title, anchor;
  std::string url() const;
};
inline constexpr llvm::StringLiteral manualVersion = "9.0";

/// Returns the section with the first of several numbers (`9.7.1.1, 9.7.3.3`). Returns null if this version of the
/// manual lacks it.
const ManualSection *findManualSection(llvm::StringRef numbers);

} // namespace ptxray
