#pragma once
// Why a condition fails: what is reported of it.
#include "Match/Describe.h"
#include "Match/Evaluate.h"
#include "Match/Judgement.h"

namespace ptxray {

/// Reports why an expression that is false is false. `subject` is what needs it.
void explainFailure(const FormView &view, isa::ExprId condition, const Subject &subject, uint32_t line,
                    Judgement &judgement);
/// Reports what held with a warning. `value`: of a word alone, not of words together.
void reportWarnings(const FormView &view, const Truth &truth, const Subject &subject, uint32_t line, bool value,
                    Judgement &judgement);
/// Reports that `subject` needs one of `words` in a slot that is empty.
void reportRequired(const FormView &view, unsigned slot, llvm::ArrayRef<isa::WordId> words, const Subject &subject,
                    uint32_t line, Judgement &judgement);
/// A value outside the ranges. The caller may set the line.
Finding &reportRange(Phase phase, Place place, llvm::ArrayRef<isa::ValueRange> ranges, int64_t value,
                     Judgement &judgement);
/// `operation-type` for a type that an operation does not take, `type-combination` for one that goes
/// with no other word.
DiagId combinationId(const FormView &view, Place subject, isa::WordId word);

} // namespace ptxray
