#pragma once
#include "Check/Checker.h"
#include "Render/Render.h"

namespace ptxray {

/// Adds the messages of ptxas about the text to a checked report; returns an exit status, Clean if both agree.
int addVerdict(FileReport &report, llvm::StringRef ptxas, const CheckOptions &options);

} // namespace ptxray
