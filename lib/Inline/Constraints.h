#pragma once
#include "Inline/Statement.h"

namespace ptxray {

/// Parses LLVM's list of constraints, such as `=r,r,~{memory}`, into operands and clobbers of the statement.
void readConstraints(const MappedText &list, InlineStatement &statement);

} // namespace ptxray
