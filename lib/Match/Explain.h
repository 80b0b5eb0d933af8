#pragma once
// Reports why a condition fails.
#include "Match/Describe.h"
#include "Match/Evaluate.h"
#include "Match/Judgement.h"

namespace ptxray {

/// Reports why an expression is false. `subject` describes the words that require it.
void explainFailure(const FormView &view, isa::ExprId condition, const Subject &subject, uint32_t line,
                    Judgement &judgement);
/// Reports the warnings of a condition that holds. `value` means that a warning is about a single word, not about a
/// combination.
void reportWarnings(const FormView &view, const Truth &truth, const Subject &subject, uint32_t line, bool value,
                    Judgement &judgement);
/// Reports that `subject` requires one of `words`, but the slot is empty.
void reportRequired(const FormView &view, unsigned slot, llvm::ArrayRef<isa::WordId> words, const Subject &subject,
                    uint32_t line, Judgement &judgement);
/// Reports that `subject` requires an operand that is missing. The caller may set the line.
Finding &reportAbsent(const FormView &view, unsigned operand, const Subject &subject, Judgement &judgement);
/// Reports a value outside the ranges. The caller may set the line.
Finding &reportRange(Phase phase, FindingPlace place, llvm::ArrayRef<isa::ValueRange> ranges, int64_t value,
                     Judgement &judgement);
/// Reports that a word, such as a type, cannot be combined with the subject. The caller adds the accepted alternatives,
/// and the line.
Finding &reportCombination(const FormView &view, const Subject &subject, FindingPlace place, isa::WordId word,
                           Judgement &judgement);

} // namespace ptxray
