#pragma once
// Finds the functions of a text by its braces alone: 10 MB take milliseconds, even if they are faulty.
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace ptxray {

/// Returns the bodies of functions, including braces, in the order of the text. If a closing brace is missing, a body
/// ends before the next line that begins a function.
std::vector<Range> findBodies(llvm::StringRef text);

} // namespace ptxray
