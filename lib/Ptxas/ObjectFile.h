#pragma once
// Checks the object file that ptxas has written.
#include "Ptxas/MemoryFile.h"

namespace ptxray {

/// Returns why the file is not a complete object file (64-bit ELF); empty if it is. A compiler that crashes while
/// writing may still exit with status 0.
std::string whatIsWrongWith(const MemoryFile &object);

} // namespace ptxray
