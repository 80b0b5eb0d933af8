#pragma once
#include "Isa/Isa.h"

namespace ptxray {

/// What grammar/isa says of an instruction, as it is written there.
std::string sourceOf(const isa::Entry &entry);

} // namespace ptxray
