#pragma once
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace ptxray {

/// Unpacks what tools/cmake/Pack.cmake made part of the program.
std::string unpackEmbedded(llvm::ArrayRef<unsigned char> packed, size_t unpackedBytes);

} // namespace ptxray
