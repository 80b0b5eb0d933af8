#pragma once
// The tables of a form: which row it is, and what is missing if none fits.
#include "Match/FormView.h"
#include "Match/Judgement.h"

namespace ptxray {

/// Fills the rows, and reports the tables that have none.
void judgeTables(FormView &view, Judgement &judgement);

bool lengthFits(const FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms);
/// `cause`: what asks for that length, in words; empty: what the terms are read from.
void reportLength(const FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms, uint32_t line,
                  Judgement &judgement, const std::string &cause = "");

} // namespace ptxray
