#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// A section of the PTX manual on the web. The number is that of one version of the manual; the anchor leads to the
/// same section in other versions.
struct ManualSection {
  llvm::StringLiteral number, title, anchor;
  std::string url() const;
};
inline constexpr llvm::StringLiteral manualVersion = "9.0";

/// Null if that version of the manual lacks the section. The first of several numbers (`9.7.1.1, 9.7.3.3`) is looked
/// up.
const ManualSection *findManualSection(llvm::StringRef numbers);

} // namespace ptxray
