#pragma once
#include "Check/CheckModule.h"
#include "Render/Render.h"

namespace ptxray {

/// Checks the source of a report; without one the report is that it cannot be read, and why.
void checkReport(FileReport &report, const std::string &problem, const CheckOptions &options);
/// The same of a source; afterwards the parser holds the whole text.
void checkReport(FileReport &report, const CheckOptions &options, Parser &kept);

/// Adds what ptxas says of the text to a report that is checked already; an exit status, Clean when
/// both agree.
int addVerdict(FileReport &report, const Ast &ast, llvm::StringRef ptxas, const CheckOptions &options);

} // namespace ptxray
