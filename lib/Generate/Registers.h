#pragma once
// The registers of generated programs: those of samples, except the narrowest and the widest.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct GeneratedRegister {
  std::string name, family; // `%rd7`, `%rd`
  unsigned number = 0;      // index among all registers
  unsigned bits = 0;        // 1 for a predicate
};
const std::vector<GeneratedRegister> &generatedRegisters();
/// Returns the register with this name, or null if programs have none.
const GeneratedRegister *findRegister(llvm::StringRef name);
/// Returns the declarations of all registers, one line per type.
std::string registerDeclarations();

/// Returns the text with `change` applied to each name. Names begin with `%`, `$`, `_` or a letter.
std::string withNames(llvm::StringRef text, llvm::function_ref<std::string(llvm::StringRef)> change);

} // namespace ptxray
