#pragma once
// Descriptions of instructions, their words and operands, and directives, for pages and editors.
#include "Isa/Isa.h"
#include <string>
#include <vector>

namespace ptxray {

/// Returns the mnemonic with which an opcode begins. If there is none, returns all mnemonics that begin with the text.
std::vector<const isa::Mnemonic *> findMnemonics(llvm::StringRef written);
/// Returns the versions and targets that support the form, as text; empty if all do.
std::string availabilityOf(const isa::Form &form);
/// Returns whether no manual describes the form.
bool isOfPtxas(const isa::Form &form);
/// Returns the meaning of a word in the instruction, `toward zero` or `unsigned integer`; empty if only its name is
/// known.
std::string wordMeaning(const isa::Word &word, llvm::StringRef mnemonic = "");
/// Returns the category of a word and its meaning: `rounding: toward zero`, `unsigned integer of 32 bits`.
std::string describeWord(const isa::Word &word, llvm::StringRef mnemonic = "");
/// Returns a length in the notation of the form: `4`, `.num`, `2 times n of .shape`.
std::string termText(const isa::Term &term, const isa::Form &form);
/// Returns the description of an operand: "a register of the type `.type`".
std::string describeOperand(const isa::OperandDecl &operand, const isa::Form &form);
/// Returns the permitted positions of a directive: `in a body, in the head of an entry`.
std::string placesOf(const isa::Directive &directive);

} // namespace ptxray
