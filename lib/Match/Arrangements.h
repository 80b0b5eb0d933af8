#pragma once
#include "Match/Finding.h"
#include "Match/Written.h"

namespace ptxray {

/// Replaces findings about single operands by one that explains all of them, such as a wrong order or missing braces.
bool addArrangement(std::vector<Finding> &findings, const WrittenInstruction &written);

} // namespace ptxray
