#pragma once
// What is known of instructions, their words and operands, and directives, in words: for pages and for editors.
#include "Isa/Isa.h"
#include <string>
#include <vector>

namespace ptxray {

/// The mnemonic that an opcode begins with, else all that begin with what is written.
std::vector<const isa::Mnemonic *> findMnemonics(llvm::StringRef written);
/// Since which version and on which targets the form exists; empty: everywhere.
std::string availabilityOf(const isa::Form &form);
/// Whether no manual has the form.
bool isOfPtxas(const isa::Form &form);
/// What a word says in the instruction: `toward zero`, `unsigned integer`; empty: nothing is known but its name.
std::string wordMeaning(const isa::Word &word, llvm::StringRef mnemonic = "");
/// What a word is, and what it says: `rounding: toward zero`, `unsigned integer of 32 bits`.
std::string describeWord(const isa::Word &word, llvm::StringRef mnemonic = "");
/// A length as the form has it: `4`, `.num`, `2 times n of .shape`.
std::string termText(const isa::Term &term, const isa::Form &form);
/// What belongs in the place of an operand: `a register of the type `.type``.
std::string describeOperand(const isa::OperandDecl &operand, const isa::Form &form);
/// `in a body, in the head of an entry`
std::string placesOf(const isa::Directive &directive);

} // namespace ptxray
