#pragma once
// Matches the tables of a form: finds the row that fits, or the missing part if none fits.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

/// Stores the rows that fit, and reports the tables without one.
void judgeTables(FormView &view, Judgement &judgement);

bool lengthFits(const FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms);
/// Reports a wrong length. `cause` is the text that requires that length; if it is empty, it is derived from the terms.
void reportLength(const FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms, uint32_t line,
                  Judgement &judgement, const std::string &cause = "");

} // namespace ptxray
