#pragma once
// Each instruction has a fidelity: it says how near the machine's result is to a GPU's.
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace ptxray {
struct Verdict;
}

namespace ptxray::machine {

enum class Fidelity : uint8_t {
  Exact,
  AsHopper,    // the results of an H100, on another chip
  Models,      // the results of published models
  Words,       // results by the words of the manual, of which no model is published
  Order,       // sums of floats, whose order a GPU does not promise
  Coordinates, // filters that are known to differ from an H100's in the last bits, or in their level
  Chip,        // numbers that say something of the chip, or of time
  Requests,    // requests that never succeed here
};

/// `exact`, `modelled`, `approximate` or `open`: nothing says what a GPU gives.
const char *nameOf(Fidelity fidelity);
/// Returns the reason, in words.
const char *reasonOf(Fidelity fidelity);

struct InstructionKind;
/// Returns the fidelity of instructions of a kind that read no special register, for a target of that number.
Fidelity fidelityOf(const InstructionKind &kind, const Verdict &verdict, unsigned architecture);
/// Is true for a special register that says something of the chip or of time.
bool saysSomethingOfChip(llvm::StringRef special);

} // namespace ptxray::machine
