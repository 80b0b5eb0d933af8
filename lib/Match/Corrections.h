#pragma once
// Finds, for a refused instruction, the nearest ones that are right, or less wrong: which words are to be changed,
// and what remains to be said of the operands.
#include "Match/Judgement.h"
#include "Match/Written.h"

namespace ptxray {

struct WordChange {
  enum Kind : uint8_t { Replace, Remove, Insert };
  Kind kind;
  uint16_t at;          // a word of the opcode; Insert: the one before
  isa::WordId word = 0; // the new one
  bool isSamePlace(const WordChange &other) const { return kind == other.kind && at == other.at; }
};

struct Correction {
  llvm::SmallVector<WordChange, 3> changes; // none: the words are right
  std::vector<Finding> left;                // findings about the operands, the version and the target
  unsigned cost;                            // what people seldom get wrong costs more
  uint32_t form;
};

/// A word that does not go with the others, as the tables say it.
bool isOfWordsTogether(const Finding &finding);
/// Returns the opcode with the changes.
std::string spellingWith(const Opcode &opcode, llvm::ArrayRef<WordChange> changes);
/// Returns all that cost least. The words of the opcode are known ones; another version or target costs as much as it
/// is worth.
std::vector<Correction> nearestCorrections(const WrittenInstruction &written, unsigned costOfGate);
/// Puts what is to be changed in place of the findings; false: they say it already.
bool adoptCorrections(std::vector<Finding> &findings, const WrittenInstruction &written);
/// Leaves no statement about an instruction that another form of it contradicts.
void keepTrue(std::vector<Finding> &findings, const Opcode &opcode);
/// Has what the version or the target lacks name the words that it lacks, and no others.
void nameGates(std::vector<Finding> &findings, const WrittenInstruction &written);

} // namespace ptxray
