#pragma once
// Finds the instruction at a location, and its parts.
#include "Editor/Excerpt.h"

namespace ptxray {

/// An instruction of an excerpt's body. `number` is its index in the body.
struct FoundInstruction {
  const Instruction *instruction;
  uint32_t number;
};
/// Returns the instruction whose statement contains the offset, including the semicolon.
std::optional<FoundInstruction> instructionAt(const Excerpt &excerpt, uint32_t offset);

/// Returns the name and qualifiers of an opcode as they are in the text.
llvm::SmallVector<Range, 16> wordsOf(llvm::StringRef text, Range opcode);

/// Returns the operands as they are written, without flattening lists.
llvm::SmallVector<const Operand *, 8> topOperands(const Ast &ast, const Instruction &instruction);

/// Returns the word, or the blank between words, at an offset. Words consist of letters, digits and `_ $ % . :`.
Range wordAt(llvm::StringRef text, uint32_t offset);
/// Returns whether the offset is in a comment or a string. `from` must be an earlier offset outside of both.
bool isHidden(llvm::StringRef text, uint32_t from, uint32_t offset);

} // namespace ptxray
