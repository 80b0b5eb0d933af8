#pragma once
// The words that an instruction has in place of a wrong one: of the same kind, or for the same purpose.
#include "Match/Finding.h"
#include "Match/Written.h"

namespace ptxray {

/// Returns whether two words of an instruction serve the same purpose: `.ca` and `.wb`, `.nan` and `.NaN`.
bool areAlike(const isa::Mnemonic &mnemonic, isa::WordId a, isa::WordId b);
/// Returns whether the instruction does something else without the word. Hints, such as `.uni`, change no result.
bool carriesMeaning(const isa::Mnemonic &mnemonic, isa::WordId word);
/// Returns whether the remedy of an error removes a word that decides what the instruction computes.
bool changesMeaning(const Finding &f, const Opcode &opcode);
/// Adds a note that names the words which the instruction has in place of the one at the finding, or goes with.
void offerPartners(Finding &f, const Opcode &opcode);

/// Drops a finding about the version or target for a word of which another finding says that it does not fit.
void mergeGates(std::vector<Finding> &findings);
/// Replaces a finding about the kind of an operand by one that says that the last operand is missing, if a constant
/// there makes the instruction right. Explains `%f1 [%rd1]`, which lacks a comma.
void offerMissingOperand(Finding &f, const WrittenInstruction &written);

} // namespace ptxray
