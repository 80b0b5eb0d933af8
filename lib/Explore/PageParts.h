#pragma once
// Sections that several kinds of pages have.
#include "Explore/Page.h"
#include "Isa/Isa.h"

namespace ptxray {

/// Where the manual says it; of something newer, or of no manual, what is known.
PageSection manualSection(isa::Text manual);
/// Since when and where.
PageSection needsSection(llvm::ArrayRef<isa::ExprId> gates);
/// Rows that say the same become one, with the words of all.
void addOrJoin(PageRow row, std::vector<PageRow> &rows);
/// A correct line and a typical mistake with what is reported of it.
void addExample(llvm::StringRef name, Page &page);

} // namespace ptxray
