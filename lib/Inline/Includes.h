#pragma once
// The headers of a source, as far as they lie in its project.
#include "Source/SourceBuffer.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// Finds what `#include "x.h"` of a file means: beside it, or in a folder above it. Nothing outside of the project, the
/// folder above with a `.git` (else the file's own), is opened.
class Includes {
public:
  explicit Includes(llvm::StringRef path);

  /// Null: there is none, it was asked for before, or there are too many.
  const SourceBuffer *open(llvm::StringRef written);
  /// The header whose name differs in the extension alone: of `fp16.hpp` that is `fp16.h`.
  const SourceBuffer *openSameStem();

private:
  const SourceBuffer *openFile(const std::string &path);

  std::string folder, stem, root;
  std::vector<std::string> seen;
  std::vector<std::unique_ptr<SourceBuffer>> buffers;
  size_t bytes = 0;
};

} // namespace ptxray
