#pragma once
// Repairs braces in a text with syntax errors. A missing or extra brace changes the meaning of everything after it.
// Therefore the braces of each function are counted first, and the layout determines which one is wrong.
#include "Parse/Scanner.h"
#include "Source/SourceBuffer.h"
#include <vector>

namespace ptxray {

struct BraceRepair {
  enum Kind : uint8_t { Drop, InsertOpen, InsertClose } kind;
  uint32_t offset; // location of the extra or the missing brace
};

/// Returns the repairs in source order. The scanner must be at the beginning of the text.
std::vector<BraceRepair> findBraceRepairs(const Scanner &scanner, const SourceBuffer &source);

/// Returns whether the line at the offset is a vector, `{%r1, %r2},`. Operands may be on separate lines.
bool isVectorLine(llvm::StringRef text, uint32_t offset);

/// Returns whether the only token of the line has probably been deleted.
bool hasTrace(llvm::StringRef line);

} // namespace ptxray
