#pragma once
// What a condition is about and what it asks for, in words.
#include "Match/FormView.h"

namespace ptxray {

/// What a broken rule is about: the words that call it.
struct Subject {
  Place place = {Place::Mnemonic, 0};
  std::string text; // quoted
  bool found = false;
};
/// The written words and operands that make an expression true.
Subject subjectOf(const FormView &view, isa::ExprId when);

/// What an expression asks for.
std::string describe(const FormView &view, isa::ExprId id, bool negated = false);

/// An operand as messages call it, by its place: `operand 2`.
std::string operandText(const FormView &view, unsigned index);
/// What belongs in the place of an operand: `a predicate`, `an address in brackets`.
std::string operandKind(const FormView &view, unsigned index);
std::string textAt(const FormView &view, Place place);
/// The first of the words that is written; the opcode if none is.
Place placeOfWord(const FormView &view, llvm::ArrayRef<isa::WordId> words);
llvm::SmallVector<isa::WordId, 8> wordsOf(const isa::Slot &slot);
llvm::ArrayRef<isa::WordId> wordList(const isa::Expr &e);
/// A slot whose word is another than the expression asks for.
std::optional<unsigned> wrongSlot(const FormView &view, isa::ExprId id);
/// Two words that do not go together, if they are neighbours; else the second.
Place bothWords(Place one, Place other);

} // namespace ptxray
