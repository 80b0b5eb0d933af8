#pragma once
// Finds the headers of a source within its project.
#include "Source/SourceBuffer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// Finds the file of `#include "x.h"`, next to the including file or in a parent folder. Opens only files within the
/// project: the closest parent folder with a `.git`, or else the source's own folder.
class Includes {
public:
  /// Constructs a search for the headers of the source at `path`. `folders` are also searched, even if they are outside
  /// of the project; `<x.h>` is searched only in them.
  explicit Includes(llvm::StringRef path, llvm::ArrayRef<std::string> folders = {});

  /// Returns the header, or null if it does not exist, was opened before, or exceeds the maximum number of headers.
  const SourceBuffer *open(llvm::StringRef written);
  /// Returns the header whose name differs only in the extension: `fp16.h` for `fp16.hpp`.
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
