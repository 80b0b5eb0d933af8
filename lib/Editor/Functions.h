#pragma once
// Finds the functions of a module only by their braces. For a module of 10 MB, this takes milliseconds, even if it has
// syntax errors.
#include "Source/Range.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace ptxray {

/// Returns the bodies of functions, including braces, in source order. If a closing brace is missing, a body ends
/// before the next line that begins a function.
std::vector<Range> findBodies(llvm::StringRef text);

} // namespace ptxray
