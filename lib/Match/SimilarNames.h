#pragma once
// Other instructions that may be meant by a refused one.
#include "Match/Finding.h"
#include "Match/Written.h"

namespace ptxray {

/// Replaces the findings about an instruction that is probably not meant by the instruction with a similar name that
/// accepts the text.
bool addSimilar(std::vector<Finding> &findings, const WrittenInstruction &written);
/// `red` with a result: the only instruction described beside it that takes these words and operands, `atom`, is meant.
void offerSibling(Finding &finding, const WrittenInstruction &written);
/// Adds the word with which the number would be allowed, if there is just one: `.ca` instead of `.cg` of `cp.async`.
void offerWordForNumber(Finding &finding, const WrittenInstruction &written);

} // namespace ptxray
