#pragma once
#include "Inline/Statement.h"

namespace ptxray {

/// Takes LLVM's list of constraints, `=r,r,~{memory}`, apart: operands and clobbers of the statement.
void readConstraints(const MappedText &list, InlineStatement &statement);

} // namespace ptxray
