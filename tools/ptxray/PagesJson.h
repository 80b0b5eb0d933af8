#pragma once
// Writes pages as JSON (docs/explain.schema.json).
#include "Pages/Page.h"
#include "Source/JsonValue.h"

namespace ptxray {

/// Returns the pages of all instructions, directives, pragmas, special registers, targets and qualifiers.
std::vector<Page> allPages();
Json pagesJson(const std::vector<Page> &pages);

} // namespace ptxray
