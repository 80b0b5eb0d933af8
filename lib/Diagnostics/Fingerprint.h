#pragma once
#include "Diagnostics/Report.h"

namespace ptxray {

/// Returns a name for each diagnostic of a report that does not change if its line moves, or if registers and labels
/// are renumbered. The name is a hash of the rule and the line's words, then `:` and the number of this occurrence
/// among equal ones, from 1.
std::vector<std::string> fingerprints(const FileReport &report);

} // namespace ptxray
