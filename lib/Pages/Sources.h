#pragma once
#include "Isa/Isa.h"

namespace ptxray {

/// The text of an instruction in grammar/isa.
std::string sourceOf(const isa::Entry &entry);

} // namespace ptxray
