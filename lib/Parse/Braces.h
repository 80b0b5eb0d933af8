#pragma once
// A missing or superfluous brace changes the meaning of everything after it, far from its place. In a faulty text, the
// braces of each function are counted first, and the layout decides which one is wrong.
#include "Parse/Scanner.h"
#include "Source/SourceBuffer.h"
#include <vector>

namespace ptxray {

struct BraceRepair {
  enum Kind : uint8_t { Drop, InsertOpen, InsertClose } kind;
  uint32_t offset; // of the brace, or of the place where one is missing
};

/// Returns the repairs in the order of the text. The scanner must be at the beginning of the text in question.
std::vector<BraceRepair> findBraceRepairs(const Scanner &scanner, const SourceBuffer &source);

/// Returns whether the line that begins there is a vector, `{%r1, %r2},`: operands may be on lines of their own.
bool isVectorLine(llvm::StringRef text, uint32_t offset);

/// Returns whether a line looks as if its only token had been removed.
bool hasTrace(llvm::StringRef line);

} // namespace ptxray
