#pragma once
// Where the functions of a text are, found by its braces alone: a text of 10 MB in milliseconds, faulty as it may be.
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace ptxray {

/// The bodies of functions, braces included, in the order of the text. Where a closing brace is missing, a body ends
/// before the next line that begins a function.
std::vector<Range> findBodies(llvm::StringRef text);

} // namespace ptxray
