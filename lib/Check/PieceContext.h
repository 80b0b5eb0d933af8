#pragma once
// The names that a piece of code may use without declaring them.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct PieceContext {
  std::vector<std::string> constants; // names that stand for numbers of any value
  std::vector<std::string> declared;  // elsewhere; a family as `%r<`
  bool wideAddresses = false;         // as nvcc compiles: there are no addresses of 32 bits

  /// OptiX compiles PTX as well, and knows functions of its own.
  bool declares(llvm::StringRef name) const {
    return name.starts_with("_optix_") || llvm::is_contained(declared, name) ||
           llvm::is_contained(declared, name.rtrim("0123456789").str() + "<");
  }
};

} // namespace ptxray
