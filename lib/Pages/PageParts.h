#pragma once
// Sections that several kinds of pages share.
#include "Isa/Isa.h"
#include "Pages/Examples.h"
#include "Pages/Page.h"
#include "Targets/Needs.h"

namespace ptxray {

/// Returns the section about the manual. For features that no manual describes, the section says so.
PageSection manualSection(isa::Text manual);
/// Returns the section about versions and targets.
PageSection needsSection(llvm::ArrayRef<isa::ExprId> gates);
PageSection needsSection(const Demands &demands);
/// Returns the section about the effects of a line.
PageSection effectsSection(std::string title, const ReadExample &read);
/// Returns the requirements of a word beyond those on the page: `needs PTX 8.6 and sm_100a`; empty if there are none.
std::string furtherNeeds(const Demands &known, llvm::ArrayRef<isa::ExprId> gates);
/// Adds a row, or adds its words to a row with the same contents.
void addOrJoin(PageRow row, std::vector<PageRow> &rows);
/// Adds a formula with its condition, and explains its functions unless the section already does.
void addFormula(std::string text, std::string condition, const std::vector<std::string> &functions,
                PageSection &section);
/// Adds a correct line, and a typical mistake with its report.
void addExample(llvm::StringRef name, Page &page);

} // namespace ptxray
