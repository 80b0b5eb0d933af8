#pragma once
#include "Isa/Isa.h"

namespace ptxray {

/// Returns the text of an instruction in grammar/isa.
std::string sourceOf(const isa::Entry &entry);

} // namespace ptxray
