#pragma once
// Enumerates the instructions that an entry accepts, for tests of every combination.
#include "Isa/Availability.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct Enumeration {
  std::vector<std::string> texts; // with a semicolon; accepted without a warning
  /// The number of combinations. It exceeds the number of texts if a suffix has hundreds of values: these are not
  /// combined with each other, but each of them appears in some text.
  double combinations = 0;
};

/// Returns all accepted texts of a mnemonic. Operands are registers by position (`%r0`, `%rd1`), or constants in turn.
/// Empty for an unknown mnemonic, or if it has operands other than registers, constants and addresses.
Enumeration enumerateInstruction(llvm::StringRef mnemonic, const ModuleContext &module);

} // namespace ptxray
