#pragma once
// Sections that several kinds of pages have in common.
#include "Isa/Isa.h"
#include "Pages/Page.h"
#include "Targets/Needs.h"

namespace ptxray {

/// The section of the manual; for something newer, or in no manual, what is known.
PageSection manualSection(isa::Text manual);
/// The section about versions and targets.
PageSection needsSection(llvm::ArrayRef<isa::ExprId> gates);
PageSection needsSection(const Demands &demands);
/// Adds a row, or its words to a row with the same contents.
void addOrJoin(PageRow row, std::vector<PageRow> &rows);
/// Adds a formula with its condition, unless it is there, and what its functions are, unless that was said above.
void addFormula(std::string text, std::string condition, const std::vector<std::string> &functions,
                PageSection &section);
/// Adds a correct line, and a typical mistake with its report.
void addExample(llvm::StringRef name, Page &page);

} // namespace ptxray
