#pragma once
// Describes how closely the results of an instruction match those of a GPU.
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace ptxray {
struct Verdict;
}

namespace ptxray::machine {

enum class Fidelity : uint8_t {
  Exact,
  AsHopper,    // the results of an H100 are used for another chip
  Models,      // results follow published models
  Words,       // results follow the manual; no model is published
  Order,       // floating-point sums whose order a GPU does not guarantee
  Coordinates, // filters that are known to differ from an H100's in the last bits or in the level
  Chip,        // depends on the chip or on time
  Requests,    // requests that never succeed in the emulator
};

/// Returns `exact`, `modelled`, `approximate` or `open` (the result on a GPU is unspecified).
const char *nameOf(Fidelity fidelity);
/// Returns the reason as text.
const char *reasonOf(Fidelity fidelity);

struct InstructionKind;
/// Returns the fidelity of an instruction that reads no special register. `architecture` is the number of the target.
Fidelity fidelityOf(const InstructionKind &kind, const Verdict &verdict, unsigned architecture);
/// Returns whether a special register depends on the chip or on time.
bool saysSomethingOfChip(llvm::StringRef special);

} // namespace ptxray::machine
