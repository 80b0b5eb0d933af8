#pragma once
#include "Isa/Isa.h"

namespace ptxray {

/// Returns the source text of an instruction in grammar/isa.
std::string sourceOf(const isa::Entry &entry);

} // namespace ptxray
