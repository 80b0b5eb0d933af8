#pragma once
// Each written qualifier takes a slot of a form: this finds which one, and reports the qualifiers that take none.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

/// Holds what is left when each word has taken its slot.
struct Leftover {
  llvm::SmallVector<uint16_t, 4> strays, missing;                // words, slots
  llvm::SmallVector<std::pair<uint16_t, uint16_t>, 4> misplaced; // a word of the slot's class that the slot has not
  bool empty() const { return strays.empty() && missing.empty() && misplaced.empty(); }
};

/// Fills the slots.
Leftover matchWords(FormView &view);
void reportWords(const FormView &view, Leftover leftover, Judgement &judgement);

/// Reports that no word is in a slot.
void reportMissing(const FormView &view, unsigned slot, Phase phase, Judgement &judgement);
/// Returns whether a slot of one of the instruction's forms holds the word.
bool someFormKnows(const isa::Mnemonic &mnemonic, isa::WordId word);
/// Returns the place in the manual's order where the word of a slot goes: after the word with this index.
uint16_t wordBefore(const FormView &view, unsigned slot);
/// Returns the only word that keeps some form with word `k` from being the one that is meant.
std::optional<unsigned> conflictingWord(const Opcode &opcode, unsigned k);

} // namespace ptxray
