#pragma once
// The words that C++ refers to by name: `isa::words::global` is the id of `.global`. The compiler reports a word that
// grammar/isa no longer has.
#include "Isa/Tables.h"

namespace ptxray::isa::words {
#include "IsaWords.inc"
} // namespace ptxray::isa::words
