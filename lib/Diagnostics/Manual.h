#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// A section of the PTX manual on the web. Its number is that of one version of the manual; the anchor
/// finds it in the others, too.
struct ManualSection {
  llvm::StringLiteral number, title, anchor;
  std::string url() const;
};
inline constexpr llvm::StringLiteral manualVersion = "9.0";

/// Null for what that version of the manual does not have. Of several numbers (`9.7.1.1, 9.7.3.3`) the first counts.
const ManualSection *findManualSection(llvm::StringRef numbers);

} // namespace ptxray
