#pragma once
// Describes a condition as text: its subject, and its requirement.
#include "Match/FormView.h"

namespace ptxray {

/// The subject of a violated rule: the words that trigger it.
struct Subject {
  FindingPlace place = {FindingPlace::Mnemonic, 0};
  std::string text; // in backticks
  bool found = false;
};
/// Returns the written words and operands that make an expression true.
Subject subjectOf(const FormView &view, isa::ExprId when);

/// Returns the requirement of an expression as text.
std::string describe(const FormView &view, isa::ExprId id, bool negated = false);

/// Returns the location of a missing operand, after the previous operand.
FindingPlace placeBefore(const FormView &view, unsigned operand);
/// Returns the name of an operand in messages, by its position: `operand 2`.
std::string operandText(const FormView &view, unsigned index);
/// Returns the required kind of an operand: `a predicate`, `an address in brackets`.
std::string operandKind(const FormView &view, unsigned index);
std::string textAt(const FormView &view, FindingPlace place);
/// Returns the location of the first word in `words` that is written, or of the opcode if none is.
FindingPlace placeOfWord(const FormView &view, llvm::ArrayRef<isa::WordId> words);
llvm::SmallVector<isa::WordId, 8> wordsOf(const isa::Slot &slot);
llvm::ArrayRef<isa::WordId> wordList(const isa::Expr &e);
/// Returns a slot with a word that the expression does not allow.
std::optional<unsigned> wrongSlot(const FormView &view, isa::ExprId id);
/// Returns the location of two words that cannot be combined: both words if they are adjacent, otherwise the second.
FindingPlace bothWords(FindingPlace one, FindingPlace other);

} // namespace ptxray
