#pragma once
// Assigns written qualifiers to the slots of a form, and reports those that fit none.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

/// The words and slots that are left when each word has taken its slot.
struct Leftover {
  llvm::SmallVector<uint16_t, 4> strays, missing;                // words, slots
  llvm::SmallVector<std::pair<uint16_t, uint16_t>, 4> misplaced; // a word of the slot's class that the slot has not
  bool empty() const { return strays.empty() && missing.empty() && misplaced.empty(); }
};

/// Fills the slots.
Leftover matchWords(FormView &view);
void reportWords(const FormView &view, Leftover leftover, Judgement &judgement);

/// Reports that a slot has no word.
void reportMissing(const FormView &view, unsigned slot, Phase phase, Judgement &judgement);
/// Whether a slot of one of the mnemonic's forms holds the word.
bool someFormKnows(const isa::Mnemonic &mnemonic, isa::WordId word);
/// The index of the word after which the word of a slot belongs, in the manual's order.
uint16_t wordBefore(const FormView &view, unsigned slot);
/// The only word that conflicts with word `k`, in that a form would fit without it.
std::optional<unsigned> conflictingWord(const Opcode &opcode, unsigned k);

} // namespace ptxray
