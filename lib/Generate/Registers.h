#pragma once
// The registers that generated programs compute with: those of samples, but for the narrowest and the widest.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct GeneratedRegister {
  std::string name, family; // `%rd7`, `%rd`
  unsigned number = 0;      // among all of them
  unsigned bits = 0;        // 1: a predicate
};
const std::vector<GeneratedRegister> &generatedRegisters();
/// Returns null if programs have no register of this name.
const GeneratedRegister *findRegister(llvm::StringRef name);
/// Their declarations, a line each type.
std::string registerDeclarations();

/// Returns the text with each name in it as the function wants it. Names begin with `%`, `$`, `_` or a letter.
std::string withNames(llvm::StringRef text, llvm::function_ref<std::string(llvm::StringRef)> change);

} // namespace ptxray
