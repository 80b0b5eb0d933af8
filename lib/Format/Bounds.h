#pragma once
// Lines of a text that are not laid out, or not freely: faulty ones, and those that comments speak of.
#include "Format/Typesetter.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// What the parser says of a text.
struct ReadText {
  explicit ReadText(const SourceBuffer &source);
  const SourceBuffer &source;
  llvm::StringRef text;
  bool isFaulty = false;
  std::vector<Range> faults;       // lines that cannot be read
  std::vector<Range> remarks;      // comments that speak to ptxray
  std::optional<Unbalanced> brace; // that is missing or too much
};

/// What stays with a line that is kept: the statements that have a part of it, or all of their function.
enum class Unit : uint8_t { Statement, Function };

Bounds boundsOf(const ReadText &read, const StatementList &statements, Range wanted, Unit unit);

} // namespace ptxray
