#pragma once
// What is known of an instruction, a directive, a special register or a target, in words: for `ptxray explain` and for
// editors.
#include "Isa/Isa.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace ptxray {

/// The mnemonic that an opcode begins with, else all that begin with what is written.
std::vector<const isa::Mnemonic *> findMnemonics(llvm::StringRef written);
/// Since which version and on which targets the form exists; empty: everywhere.
std::string availabilityOf(const isa::Form &form);
/// Whether no manual has the form.
bool isOfPtxas(const isa::Form &form);
/// What a word is: `rounding: round toward zero`, `a type of 32 bits`; empty: nothing is known but its name.
std::string describeWord(const isa::Word &word);
/// What belongs in the place of an operand: `a register for the result of the type `.type``.
std::string describeOperand(const isa::OperandDecl &operand, const isa::Form &form);
/// `in a body, in the head of an entry`
std::string placesOf(const isa::Directive &directive);

void explainInstruction(llvm::ArrayRef<const isa::Mnemonic *> mnemonics, llvm::StringRef written, bool withSource,
                        llvm::raw_ostream &out);
// False: there is none of that name.
bool explainDirective(llvm::StringRef name, llvm::raw_ostream &out);
bool explainRegister(llvm::StringRef name, llvm::raw_ostream &out);
bool explainTarget(llvm::StringRef name, llvm::raw_ostream &out);
bool explainWord(llvm::StringRef name, llvm::raw_ostream &out); // a qualifier, a type, a space

} // namespace ptxray
