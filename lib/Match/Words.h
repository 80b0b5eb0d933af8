#pragma once
// Assigns each written qualifier to a slot of a form, and reports qualifiers without a slot.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

/// The remaining words and slots after the assignment.
struct Leftover {
  llvm::SmallVector<uint16_t, 4> strays, missing; // words without a slot, and slots without a required word
  // A word of the slot's class that the slot does not accept, and the slot.
  llvm::SmallVector<std::pair<uint16_t, uint16_t>, 4> misplaced;
  bool empty() const { return strays.empty() && missing.empty() && misplaced.empty(); }
};

/// Fills the slots.
Leftover matchWords(FormView &view);
void reportWords(const FormView &view, Leftover leftover, Judgement &judgement);

/// Reports that a slot is empty.
void reportMissing(const FormView &view, unsigned slot, Phase phase, Judgement &judgement);
/// Returns whether a slot of any form of the instruction accepts the word.
bool someFormKnows(const isa::Mnemonic &mnemonic, isa::WordId word);
/// Returns the index of the word after which the slot's word should be in the manual's order.
uint16_t wordBefore(const FormView &view, unsigned slot);
/// Returns the only word that prevents a form with word `k` from being the intended one.
std::optional<unsigned> conflictingWord(const Opcode &opcode, unsigned k);

} // namespace ptxray
