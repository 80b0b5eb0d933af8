#pragma once
// The newest PTX version that each release of CUDA supports.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace ptxray {

struct CudaRelease {
  unsigned major, minor;
  uint16_t ptx; // the newest supported version; 905 for 9.5
  llvm::StringLiteral
      driver; // the first public branch of drivers that supports it (manuals name internal branches); empty if unknown
  bool hasToolkit = true; // false for 12.7, which was only a driver

  std::string name() const { return std::to_string(major) + "." + std::to_string(minor); }
};

/// Returns the releases in chronological order.
llvm::ArrayRef<CudaRelease> cudaReleases();

/// Returns the first toolkit that supports this version, or the newest toolkit if none does.
const CudaRelease &firstToolkitFor(uint16_t ptx);

/// Returns the first driver branch that supports this version; empty if unknown.
llvm::StringRef firstDriverFor(uint16_t ptx);

} // namespace ptxray
