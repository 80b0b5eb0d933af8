#pragma once
// Reports why a condition fails.
#include "Match/Describe.h"
#include "Match/Evaluate.h"
#include "Match/Judgement.h"

namespace ptxray {

/// Reports why an expression is false. `subject` is what requires it.
void explainFailure(const FormView &view, isa::ExprId condition, const Subject &subject, uint32_t line,
                    Judgement &judgement);
/// Reports the warnings of a condition that holds. `value` says that one is about a word alone, not about a
/// combination.
void reportWarnings(const FormView &view, const Truth &truth, const Subject &subject, uint32_t line, bool value,
                    Judgement &judgement);
/// Reports that `subject` needs one of `words` in a slot that is empty.
void reportRequired(const FormView &view, unsigned slot, llvm::ArrayRef<isa::WordId> words, const Subject &subject,
                    uint32_t line, Judgement &judgement);
/// Reports that `subject` needs an operand that is not written. The caller may set the line.
Finding &reportAbsent(const FormView &view, unsigned operand, const Subject &subject, Judgement &judgement);
/// Reports a value outside the ranges. The caller may set the line.
Finding &reportRange(Phase phase, FindingPlace place, llvm::ArrayRef<isa::ValueRange> ranges, int64_t value,
                     Judgement &judgement);
/// Reports a word that cannot be combined with the subject: its type, or another word. The caller adds what would do,
/// and the line.
Finding &reportCombination(const FormView &view, const Subject &subject, FindingPlace place, isa::WordId word,
                           Judgement &judgement);

} // namespace ptxray
