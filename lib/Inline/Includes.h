#pragma once
// The headers of a source that lie within its project.
#include "Source/SourceBuffer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// Finds the file of `#include "x.h"`, next to the including file or in a folder above it. Nothing is opened outside of
/// the project, which is the folder above that contains `.git` (else the file's own).
class Includes {
public:
  /// The folders are searched as well, wherever they are; `<x.h>` is looked for in them alone.
  explicit Includes(llvm::StringRef path, llvm::ArrayRef<std::string> folders = {});

  /// Null if there is none, it was opened before, or there are too many.
  const SourceBuffer *open(llvm::StringRef written);
  /// Returns the header that differs only in the extension: `fp16.h` for `fp16.hpp`.
  const SourceBuffer *openSameStem();

private:
  const SourceBuffer *openFile(const std::string &path, llvm::StringRef within);

  std::string folder, stem, root;
  llvm::ArrayRef<std::string> folders;
  std::vector<std::string> seen;
  std::vector<std::unique_ptr<SourceBuffer>> buffers;
  size_t bytes = 0;
};

} // namespace ptxray
