#pragma once
// Analyses the statement that is being typed. It usually cannot be parsed yet, so only its characters are used.
#include "Source/Range.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

struct Typing {
  enum Where : uint8_t {
    Hidden,  // within a comment or a string
    First,   // at the opcode or directive, or before them
    Guard,   // after `@`
    Operand, // after the opcode
    Argument // after a directive
  };
  Where where = First;
  Range word;                // the word at the offset; empty between words
  Range first;               // the opcode or directive
  uint32_t begin = 0;        // offset of the statement
  unsigned operand = 0;      // number of commas before the cursor at the top level of the operands
  unsigned element = 0;      // number of commas within the innermost bracket
  llvm::SmallString<8> open; // currently open brackets: `[{`
};
/// Analyses the statement at `offset`. `from` is an earlier offset at which a statement begins.
Typing typingAt(llvm::StringRef text, uint32_t from, uint32_t offset);

} // namespace ptxray
