#pragma once
// Sections that several kinds of pages have in common.
#include "Isa/Isa.h"
#include "Pages/Examples.h"
#include "Pages/Page.h"
#include "Targets/Needs.h"

namespace ptxray {

/// Returns the section of the manual; for something newer, or in no manual, what is known.
PageSection manualSection(isa::Text manual);
/// Returns the section about versions and targets.
PageSection needsSection(llvm::ArrayRef<isa::ExprId> gates);
PageSection needsSection(const Demands &demands);
/// Returns the section that says what a line does.
PageSection effectsSection(std::string title, const ReadExample &read);
/// The needs of a word besides those that the page has told: `needs PTX 8.6 and sm_100a`; empty if that is enough.
std::string furtherNeeds(const Demands &known, llvm::ArrayRef<isa::ExprId> gates);
/// Adds a row, or its words to a row with the same contents.
void addOrJoin(PageRow row, std::vector<PageRow> &rows);
/// Adds a formula with its condition, and what its functions are, unless that was said above.
void addFormula(std::string text, std::string condition, const std::vector<std::string> &functions,
                PageSection &section);
/// Adds a correct line, and a typical mistake with its report.
void addExample(llvm::StringRef name, Page &page);

} // namespace ptxray
