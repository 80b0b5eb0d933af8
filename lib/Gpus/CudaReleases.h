#pragma once
// The versions of PTX that each release of CUDA introduced.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace ptxray {

struct CudaRelease {
  unsigned major, minor;
  uint16_t ptx;               // the newest version that it reads, 9.5 is 905
  llvm::StringLiteral driver; // the first public branch that loads it (manuals name internal ones); empty: not known
  bool hasToolkit = true;     // 12.7 was a driver alone

  std::string name() const { return std::to_string(major) + "." + std::to_string(minor); }
};

/// Returns the releases in chronological order.
llvm::ArrayRef<CudaRelease> cudaReleases();

/// Returns the first toolkit that reads this version; the newest toolkit if none does.
const CudaRelease &firstToolkitFor(uint16_t ptx);

/// Returns the first branch of the driver that loads this version; empty if it is not known.
llvm::StringRef firstDriverFor(uint16_t ptx);

} // namespace ptxray
