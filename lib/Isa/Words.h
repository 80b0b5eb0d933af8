#pragma once
// The words that C++ knows by name: `isa::words::global` is the id of `.global`. A word that grammar/isa has no longer
// is found by the compiler.
#include "Isa/Tables.h"

namespace ptxray::isa::words {
#include "IsaWords.inc"
} // namespace ptxray::isa::words
