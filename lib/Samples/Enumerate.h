#pragma once
// Enumerates the texts that an entry accepts, for tests that run every combination.
#include "Isa/Availability.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct Enumeration {
  std::vector<std::string> texts; // with semicolon; accepted without a warning
  /// The number of combinations. It exceeds that of texts if a suffix has hundreds of values: those are not multiplied
  /// with each other, but each of them is in some text.
  double combinations = 0;
};

/// Operands are registers by position (`%r0`, `%rd1`) and constants in turn. Empty for an unknown mnemonic, or one
/// whose operands are not registers, constants and addresses.
Enumeration enumerateInstruction(llvm::StringRef mnemonic, const ModuleContext &module);

} // namespace ptxray
