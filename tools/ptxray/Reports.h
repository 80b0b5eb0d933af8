#pragma once
#include "Check/Checker.h"
#include "Render/Render.h"

namespace ptxray {

/// Adds the messages of ptxas to a checked report. Returns an exit status, which is Clean if both agree.
int addVerdict(FileReport &report, llvm::StringRef ptxas, const CheckOptions &options);

} // namespace ptxray
