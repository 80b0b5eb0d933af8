#pragma once
// Finds the nearest correct, or less wrong, instructions for a rejected one: the words to change, and the remaining
// findings about the operands.
#include "Match/Judgement.h"
#include "Match/Written.h"

namespace ptxray {

struct WordChange {
  enum Kind : uint8_t { Replace, Remove, Insert };
  Kind kind;
  uint16_t at;          // index of a word in the opcode; for Insert, of the word before
  isa::WordId word = 0; // the new word
  bool isSamePlace(const WordChange &other) const { return kind == other.kind && at == other.at; }
};

struct Correction {
  llvm::SmallVector<WordChange, 3> changes; // empty if the words need no change
  std::vector<Finding> left;                // findings about the operands, the version and the target
  unsigned cost;                            // cost of the changes, which is higher for rare mistakes
  uint32_t form;
};

/// Returns whether the finding is about words that the tables do not allow together.
bool isOfWordsTogether(const Finding &finding);
/// Returns the opcode after the changes.
std::string spellingWith(const Opcode &opcode, llvm::ArrayRef<WordChange> changes);
/// Returns all corrections with the lowest cost. All words of the opcode must be known. A different version or target
/// also has a cost.
std::vector<Correction> nearestCorrections(const WrittenInstruction &written, unsigned costOfGate);
/// Replaces the findings with the words to change. Returns false if the findings already name these words.
bool adoptCorrections(std::vector<Finding> &findings, const WrittenInstruction &written);
/// Removes each statement about an instruction that another form of it contradicts.
void keepTrue(std::vector<Finding> &findings, const Opcode &opcode);
/// Makes findings about the version or the target name exactly the words that require a different one.
void nameGates(std::vector<Finding> &findings, const WrittenInstruction &written);

} // namespace ptxray
