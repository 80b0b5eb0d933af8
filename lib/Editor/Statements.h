#pragma once
// The instruction around a place, taken apart.
#include "Editor/Excerpt.h"

namespace ptxray {

/// An instruction of an excerpt's body; `number` counts within the body.
struct FoundInstruction {
  const Instruction *instruction;
  uint32_t number;
};
/// Returns the one whose statement the offset is in, its semicolon included.
std::optional<FoundInstruction> instructionAt(const Excerpt &excerpt, uint32_t offset);

/// Returns the name and qualifiers of an opcode as they are in the text.
llvm::SmallVector<Range, 16> wordsOf(llvm::StringRef text, Range opcode);

/// Returns an operand as it was written at the top of the list, from 0, and its place.
llvm::SmallVector<const Operand *, 8> topOperands(const Ast &ast, const Instruction &instruction);

/// Returns the word, or the blank between words, at a place: letters, digits, `_ $ % . :` and nothing else.
Range wordAt(llvm::StringRef text, uint32_t offset);
/// Returns whether the offset is in a comment or a string; `from` is a place outside of them before it.
bool isHidden(llvm::StringRef text, uint32_t from, uint32_t offset);

} // namespace ptxray
