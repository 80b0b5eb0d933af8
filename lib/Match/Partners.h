#pragma once
// The valid alternatives to a wrong word of an instruction: words of the same kind, or with the same purpose.
#include "Match/Finding.h"
#include "Match/Written.h"

namespace ptxray {

/// Returns whether two words of an instruction serve the same purpose: `.ca` and `.wb`, `.nan` and `.NaN`.
bool areAlike(const isa::Mnemonic &mnemonic, isa::WordId a, isa::WordId b);
/// Returns whether the word affects the result of the instruction. Hints, such as `.uni`, do not.
bool carriesMeaning(const isa::Mnemonic &mnemonic, isa::WordId word);
/// Returns whether the remedy of an error removes a word that affects the result of the instruction.
bool changesMeaning(const Finding &f, const Opcode &opcode);
/// Adds a note that lists the valid alternatives to the word at the finding, or the words that it requires.
void offerPartners(Finding &f, const Opcode &opcode);

/// Removes a finding about the version or target for a word that another finding already rejects.
void mergeGates(std::vector<Finding> &findings);
/// Replaces a finding about the kind of an operand with one about a missing last operand, if a constant there makes the
/// instruction valid. Explains `%f1 [%rd1]`, which lacks a comma.
void offerMissingOperand(Finding &f, const WrittenInstruction &written);

} // namespace ptxray
