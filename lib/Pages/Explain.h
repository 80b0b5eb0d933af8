#pragma once
// Instructions with their words and operands, and directives, described in words for pages and editors.
#include "Isa/Isa.h"
#include <string>
#include <vector>

namespace ptxray {

/// Returns the mnemonic that an opcode begins with; if there is none, all mnemonics that begin with the text.
std::vector<const isa::Mnemonic *> findMnemonics(llvm::StringRef written);
/// Returns the versions and targets that have the form, in words; empty if all have it.
std::string availabilityOf(const isa::Form &form);
/// Returns whether the form is in no manual.
bool isOfPtxas(const isa::Form &form);
/// Returns the meaning of a word in the instruction, `toward zero` or `unsigned integer`; empty if only its name is
/// known.
std::string wordMeaning(const isa::Word &word, llvm::StringRef mnemonic = "");
/// Returns the kind of a word and its meaning: `rounding: toward zero`, `unsigned integer of 32 bits`.
std::string describeWord(const isa::Word &word, llvm::StringRef mnemonic = "");
/// Returns a length as the form writes it: `4`, `.num`, `2 times n of .shape`.
std::string termText(const isa::Term &term, const isa::Form &form);
/// Returns an operand in words: "a register of the type `.type`".
std::string describeOperand(const isa::OperandDecl &operand, const isa::Form &form);
/// Returns the places of a directive in words: `in a body, in the head of an entry`.
std::string placesOf(const isa::Directive &directive);

} // namespace ptxray
