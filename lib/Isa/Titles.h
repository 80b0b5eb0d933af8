#pragma once
// Short descriptions of instructions.
#include "Isa/Isa.h"

namespace ptxray::isa {

/// Returns the description of an instruction: its own words, if it has any, or the title of its entry.
Text titleOf(const Mnemonic &mnemonic, const Entry &entry);

} // namespace ptxray::isa
