#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// A file to read, or one that cannot be read and why.
struct Input {
  std::string path;
  std::string problem;
};

/// The files that the arguments name: files as they are, folders as the `*.ptx` below them, sorted; if wanted also as
/// what is a binary by its first bytes.
std::vector<Input> findInputs(llvm::ArrayRef<llvm::StringRef> arguments, bool wantsBinaries = false);

} // namespace ptxray
