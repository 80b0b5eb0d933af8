#pragma once
// What a condition that does not hold is about, and what it asks for, in words.
#include "Match/FormView.h"

namespace ptxray {

/// What a broken rule is about: the words that call it.
struct Subject {
  Place place = {Place::Mnemonic, 0};
  std::string text; // quoted
  bool found = false;
};
/// The written words and operands that make an expression true.
Subject subjectOf(FormView &view, isa::ExprId when);

std::string join(llvm::ArrayRef<std::string> parts, const char *conjunction);
std::string quote(std::string_view text);
std::string textAt(const FormView &view, Place place);
/// What an expression asks for.
std::string describe(const FormView &view, isa::ExprId id, bool negated = false);
/// A slot whose word is another than the expression asks for.
std::optional<unsigned> wrongSlot(const FormView &view, isa::ExprId id);
/// Two words that do not go together, where they stand side by side; else the second.
Place bothWords(Place one, Place other);
/// `operation-type` for a type that an operation does not take, `type-combination` for one that goes
/// with no other word.
DiagId combinationId(const FormView &view, Place subject, isa::WordId word);
/// Reports that `subject` needs one of `words` in a slot that is empty.
void reportRequired(FormView &view, unsigned slot, llvm::ArrayRef<isa::WordId> words, const Subject &subject,
                    uint32_t line);

} // namespace ptxray
