#pragma once
#include "Diagnostics/Report.h"

namespace ptxray {

/// A name for each diagnostic of a report that stays when its line moves or registers and labels are
/// numbered anew: a hash of the rule and the line's words, then `:` and how many of the same stand
/// above it, from 1.
std::vector<std::string> fingerprints(const FileReport &report);

} // namespace ptxray
