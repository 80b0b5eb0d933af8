#pragma once
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace ptxray {

/// Unpacks data that tools/cmake/Pack.cmake embedded in the program.
std::string unpackEmbedded(llvm::ArrayRef<unsigned char> packed, size_t unpackedBytes);

} // namespace ptxray
