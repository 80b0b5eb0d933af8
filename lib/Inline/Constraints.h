#pragma once
#include "Inline/Statement.h"

namespace ptxray {

/// Reads LLVM's list of constraints, `=r,r,~{memory}`, into operands and clobbers of the statement.
void readConstraints(const MappedText &list, InlineStatement &statement);

} // namespace ptxray
