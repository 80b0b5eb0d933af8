#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// A file to be read, or why it cannot be.
struct Input {
  std::string path;
  std::string problem;
  bool isNamed = true; // by an argument; else found below a folder
};

/// Files below a folder may be wanted besides `*.ptx`.
struct WantedInputs {
  bool binaries = false; // by their first bytes
  bool sources = false;  // of other languages, by their extensions
  /// Otherwise, whether a source is wanted; null: no source is.
  llvm::function_ref<bool(const std::string &)> source = nullptr;
};

/// Returns the files that the arguments name: files themselves, and the wanted files below folders, sorted. Links below
/// a folder are not followed, and no folder is searched twice.
std::vector<Input> findInputs(llvm::ArrayRef<llvm::StringRef> arguments, WantedInputs wanted = {});

} // namespace ptxray
