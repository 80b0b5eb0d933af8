#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// A file to read, or one that cannot be read and why.
struct Input {
  std::string path;
  std::string problem;
  bool isNamed = true; // by an argument; else found below a folder
};

/// What is wanted below folders besides `*.ptx`.
struct WantedInputs {
  bool binaries = false; // by their first bytes
  bool sources = false;  // of other languages, by their extensions
  /// Else, whether a source is wanted; null: none is.
  llvm::function_ref<bool(const std::string &)> source = nullptr;
};

/// The files that the arguments name: files as they are, folders as what is wanted below them, sorted.
std::vector<Input> findInputs(llvm::ArrayRef<llvm::StringRef> arguments, WantedInputs wanted = {});

} // namespace ptxray
