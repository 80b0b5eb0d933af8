#pragma once
// Other instructions that may be meant by a refused one.
#include "Match/Finding.h"
#include "Match/Written.h"

namespace ptxray {

/// Replaces the findings about an instruction that is probably not meant by the instruction with a similar name that
/// accepts the text.
bool addSimilar(std::vector<Finding> &findings, const WrittenInstruction &written);
/// Returns the findings about the words, whatever the operands are.
std::vector<Finding> findingsOfWords(const Opcode &opcode, const Availability &availability);
/// `.shared.cta`, `.commit.group`, `.try_wait_parity`: in place of what is wrong with each word, where there is to be
/// `::`, `_` or a dot.
bool addSeparators(std::vector<Finding> &findings, const WrittenInstruction &written);
/// `try_wait.parity`: the names that end so, with what is missing in front of it.
void offerWholeNames(Finding &finding, const WrittenInstruction &written);
/// `red` with a result: the only instruction described beside it that takes these words and operands, `atom`, is meant.
void offerSibling(Finding &finding, const WrittenInstruction &written);
/// Adds the word with which the number, or the length of the vector, would be allowed, if there is just one: `.ca`
/// instead of `.cg` of `cp.async`.
void offerWordForNumber(Finding &finding, const WrittenInstruction &written);

} // namespace ptxray
