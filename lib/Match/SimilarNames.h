#pragma once
// Finds other instructions that may be intended instead of a rejected one.
#include "Match/Finding.h"
#include "Match/Written.h"

namespace ptxray {

/// If the instruction is probably not intended, replaces the findings about it with an instruction of a similar name
/// that is valid here.
bool addSimilar(std::vector<Finding> &findings, const WrittenInstruction &written);
/// Returns the findings about the words, independently of the operands.
std::vector<Finding> findingsOfWords(const Opcode &opcode, const Availability &availability);
/// For words such as `.shared.cta`, `.commit.group`, or `.try_wait_parity`, replaces the findings about single words by
/// the correct separator: `::`, `_` or a dot.
bool addSeparators(std::vector<Finding> &findings, const WrittenInstruction &written);
/// For a name such as `try_wait.parity`, offers the mnemonics that end with it, with the missing beginning.
void offerWholeNames(Finding &finding, const WrittenInstruction &written);
/// Returns the words that can follow a beginning of a name: `.arrive` and `.wait` for `barrier.cluster`.
llvm::SmallVector<std::string, 8> wordsAfter(llvm::StringRef beginning);
/// Adds the words that can follow the name instead of an unknown one: `.l` instead of `.left`.
void offerContinuation(Finding &finding, const WrittenInstruction &written);
/// For `red` with a result, offers `atom`: the only instruction in the same entry that accepts these words and
/// operands.
void offerSibling(Finding &finding, const WrittenInstruction &written);
/// For `set.eq.u32` with a predicate as its result, offers `setp`: the only instruction whose name has one more letter,
/// and that accepts these words and operands.
void offerLongerName(Finding &f, const WrittenInstruction &written);
/// Adds the words that would permit the number, or the length of the vector: `.ca` instead of `.cg` of `cp.async`. For
/// a vector, a single such word becomes the remedy: `.x4` for four registers with `.x2`.
void offerWordForNumber(Finding &finding, const WrittenInstruction &written);

} // namespace ptxray
