#pragma once
// The GPUs that the emulated driver can report, as data.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace ptxray::driver {

struct Chip {
  llvm::StringLiteral target, product;
  int major, minor;
  int processors, sharedOfProcessor, sharedOfBlock; // shared memory in KiB
  int threadsOfProcessor, blocksOfProcessor;
  int memory, cache;                // GiB, MiB
  int clock, memoryClock, busWidth; // kHz, bits
};

llvm::ArrayRef<Chip> chips();
/// Returns an attribute by its number in the API, or -1 if it does not exist.
int attributeOf(const Chip &chip, int attribute);

} // namespace ptxray::driver
