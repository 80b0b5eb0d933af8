#pragma once
// The names that a piece of code may use without a declaration.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct PieceContext {
  std::vector<std::string> constants; // names of numbers with unknown values
  std::vector<std::string> declared;  // names that are declared elsewhere; a family is written as `%r<`
  bool wideAddresses = false;         // true for output of nvcc, which has no 32-bit addresses

  /// Returns whether the context declares a name. OptiX also compiles PTX, and provides its own functions.
  bool declares(llvm::StringRef name) const {
    return name.starts_with("_optix_") || llvm::is_contained(declared, name) ||
           llvm::is_contained(declared, name.rtrim("0123456789").str() + "<");
  }
};

} // namespace ptxray
