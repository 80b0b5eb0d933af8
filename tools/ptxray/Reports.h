#pragma once
#include "Check/Checker.h"
#include "Render/Render.h"

namespace ptxray {

/// Adds what ptxas says of the text to a report that is checked already; an exit status, Clean when
/// both agree.
int addVerdict(FileReport &report, llvm::StringRef ptxas, const CheckOptions &options);

} // namespace ptxray
