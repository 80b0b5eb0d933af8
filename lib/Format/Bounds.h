#pragma once
// Lines of a text that are not laid out, or not freely: faulty ones, and those that comments exclude.
#include "Format/Typesetter.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// The parser's knowledge of a text.
struct ReadText {
  explicit ReadText(const SourceBuffer &source);
  const SourceBuffer &source;
  llvm::StringRef text;
  bool isFaulty = false;
  std::vector<Range> faults;       // lines that cannot be read
  std::vector<Range> remarks;      // comments that speak to ptxray
  std::optional<Unbalanced> brace; // that is missing or too much
};

/// These are kept together with a kept line: the statements that have a part on it, or their whole function.
enum class Unit : uint8_t { Statement, Function };

Bounds boundsOf(const ReadText &read, const StatementList &statements, Range wanted, Unit unit);

} // namespace ptxray
