#pragma once
// A condition is put into words here: what it is about and what it requires.
#include "Match/FormView.h"

namespace ptxray {

/// The subject of a violated rule: the words that trigger it.
struct Subject {
  FindingPlace place = {FindingPlace::Mnemonic, 0};
  std::string text; // quoted
  bool found = false;
};
/// Returns the written words and operands that make an expression true.
Subject subjectOf(const FormView &view, isa::ExprId when);

/// Returns the requirement of an expression, in words.
std::string describe(const FormView &view, isa::ExprId id, bool negated = false);

/// Returns the place at which an operand is missing: after the one before it.
FindingPlace placeBefore(const FormView &view, unsigned operand);
/// Returns the name of an operand in messages, by its place: `operand 2`.
std::string operandText(const FormView &view, unsigned index);
/// Returns what an operand has to be: `a predicate`, `an address in brackets`.
std::string operandKind(const FormView &view, unsigned index);
std::string textAt(const FormView &view, FindingPlace place);
/// Returns the first of the words that is written; the opcode if none is written.
FindingPlace placeOfWord(const FormView &view, llvm::ArrayRef<isa::WordId> words);
llvm::SmallVector<isa::WordId, 8> wordsOf(const isa::Slot &slot);
llvm::ArrayRef<isa::WordId> wordList(const isa::Expr &e);
/// Returns a slot that holds a word which the expression does not allow.
std::optional<unsigned> wrongSlot(const FormView &view, isa::ExprId id);
/// Two words that cannot be combined if they are adjacent, else only the second.
FindingPlace bothWords(FindingPlace one, FindingPlace other);

} // namespace ptxray
