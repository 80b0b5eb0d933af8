#pragma once
#include "Source/SourceBuffer.h"
#include <optional>

namespace ptxray {

/// A line of the CUDA or Python source from which the PTX was compiled.
struct Origin {
  std::string path;
  uint32_t line = 0;
};

/// Maps locations in PTX to the original source lines, using `.loc` and line markers (`# 100 "x.cu"`). Construction
/// reads the whole text, so create a table only to print a diagnostic.
class OriginTable {
public:
  explicit OriginTable(const SourceBuffer &source);
  std::optional<Origin> at(uint32_t offset) const;

private:
  enum class MarkKind : uint8_t { Loc, LineMarker, FunctionEnd };
  struct Mark {
    MarkKind kind;
    uint32_t offset; // applies from here to the next mark
    uint32_t file;   // Loc: its number; LineMarker: index into `markerPaths`
    uint32_t line;
  };
  size_t readLine(size_t at);
  void readLoc(llvm::StringRef line, uint32_t offset);
  void readFile(llvm::StringRef line);
  void readLineMarker(llvm::StringRef line, uint32_t offset);

  const SourceBuffer &source;
  std::vector<Mark> marks;
  std::vector<std::pair<uint32_t, std::string>> files; // number and path of each `.file`
  std::vector<std::string> markerPaths;
};

} // namespace ptxray
