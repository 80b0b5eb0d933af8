#pragma once
// The statement that is being typed, recognised by its characters alone, since it mostly cannot be parsed yet.
#include "Source/Range.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

struct Typing {
  enum Where : uint8_t {
    Hidden,  // in a comment or a string
    First,   // at the opcode, the directive, or before any of them
    Guard,   // after `@`
    Operand, // after the opcode
    Argument // after a directive
  };
  Where where = First;
  Range word;                // around the offset; empty: between words
  Range first;               // the opcode or directive
  uint32_t begin = 0;        // of the statement
  unsigned operand = 0;      // commas at the top of the operands
  unsigned element = 0;      // commas within the innermost bracket
  llvm::SmallString<8> open; // brackets that are open: `[{`
};
/// `from` is a place before the offset where a statement begins.
Typing typingAt(llvm::StringRef text, uint32_t from, uint32_t offset);

} // namespace ptxray
