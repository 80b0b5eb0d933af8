#pragma once
// The instruction around a place, taken apart.
#include "Editor/Excerpt.h"

namespace ptxray {

/// An instruction of an excerpt's body; `number` counts within the body.
struct FoundInstruction {
  const Instruction *instruction;
  uint32_t number;
};
/// The instruction whose statement, including its semicolon, contains the offset.
std::optional<FoundInstruction> instructionAt(const Excerpt &excerpt, uint32_t offset);

/// The name and qualifiers of an opcode as they are in the text.
llvm::SmallVector<Range, 16> wordsOf(llvm::StringRef text, Range opcode);

/// How the instruction was understood.
Judged judgedAt(const Body &body, const ModuleContext &module, uint32_t number);
inline Judged judgedAt(const Excerpt &excerpt, uint32_t number) {
  return judgedAt(*excerpt.body(), excerpt.module(), number);
}

/// The top-level operands as they are written, from 0, with their places.
llvm::SmallVector<const Operand *, 8> topOperands(const Ast &ast, const Instruction &instruction);

/// The word, or the blank between words, at a place. Words consist of letters, digits and `_ $ % . :`.
Range wordAt(llvm::StringRef text, uint32_t offset);
/// Whether the offset is in a comment or a string; `from` is a place outside of them before it.
bool isHidden(llvm::StringRef text, uint32_t from, uint32_t offset);

} // namespace ptxray
