#pragma once
// What an instruction does, in a few words.
#include "Isa/Isa.h"

namespace ptxray::isa {

/// Returns what one instruction does, in the words of its own if others share its entry.
Text titleOf(const Mnemonic &mnemonic, const Entry &entry);

} // namespace ptxray::isa
