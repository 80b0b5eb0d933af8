#pragma once
// What ptxas leaves when all goes well.
#include "Ptxas/MemoryFile.h"

namespace ptxray {

/// What keeps the file from being a whole object file (ELF of 64 bits); empty: nothing does. A compiler that dies while
/// it writes may still end with status 0.
std::string whatIsWrongWith(const MemoryFile &object);

} // namespace ptxray
