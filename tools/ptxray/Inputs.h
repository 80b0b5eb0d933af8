#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// A file to read, or the reason why it cannot be read.
struct Input {
  std::string path;
  std::string problem;
  bool isNamed = true; // named by an argument instead of found in a folder
};

/// Kinds of files that are wanted in folders, in addition to `*.ptx`.
struct WantedInputs {
  bool binaries = false; // recognised by their first bytes
  bool sources = false;  // in other languages, recognised by their extensions
  /// If `sources` is false, decides whether a source is wanted; null if none is.
  llvm::function_ref<bool(const std::string &)> source = nullptr;
};

/// Returns the files that the arguments name: files themselves, and the wanted files in folders, sorted. Does not
/// follow links in folders, and searches no folder twice.
std::vector<Input> findInputs(llvm::ArrayRef<llvm::StringRef> arguments, WantedInputs wanted = {});

} // namespace ptxray
