#pragma once
// Matches the tables of a form: which row it is, and what is missing if none fits.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

/// Fills in the rows, and reports the tables that have no fitting row.
void judgeTables(FormView &view, Judgement &judgement);

bool lengthFits(const FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms);
/// Reports a wrong length. `cause` is what requires that length, in words; if it is empty, it is read from the terms.
void reportLength(const FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms, uint32_t line,
                  Judgement &judgement, const std::string &cause = "");

} // namespace ptxray
