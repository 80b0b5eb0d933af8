#pragma once
// The layout of a warp's registers, with the constants of the program and the temporaries of instructions.
#include "Operate/Op.h"
#include "Semantics/Element.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <vector>

namespace ptxray::machine {

/// A register and its width: 1 (a predicate), 16, 32, 64 or 128 bits. Width 0 means no register, as for `_`.
struct Place {
  Slot slot = noSlot;
  uint8_t bits = 0;
};

/// Returns the size of all lanes in bytes.
inline uint32_t bytesOf(Place place) { return place.bits == 1 ? 4 : place.bits * warpSize / 8; }

/// The register layout of one function; every warp has its own copy of the registers. Slot 0 is no register.
class RegisterFile {
public:
  /// A requested register: a constant or a temporary.
  struct Request {
    Place place;
    bool isConstant = false;
    Bits value = 0;
  };
  /// Adds a register that keeps its value. An 8-bit register has 16 bits.
  Place add(unsigned bits);
  /// Adds a register that always contains the same number in all lanes.
  Place constant(unsigned bits, Bits value);
  /// Adds a register for the current instruction only. The next instruction reuses the same slots.
  Place temporary(unsigned bits);
  void endInstruction() { taken = {}; }

  uint32_t bytes() const { return end; }
  /// Returns all requests, in order.
  llvm::ArrayRef<Request> requests() const { return asked; }
  /// Writes the constants to the registers of a new warp.
  void writeConstants(char *registers) const;

private:
  static constexpr size_t widths = 5;
  Place ask(unsigned bits, bool isConstant, Bits value);

  uint32_t end = scratchSlot + scratchBytes;
  std::vector<Request> asked;
  llvm::SmallDenseMap<std::pair<std::pair<uint64_t, uint64_t>, unsigned>, Slot, 4>
      constants; // key: halves of the value, and the width
  std::array<llvm::SmallVector<Slot, 4>, widths> temporaries;
  std::array<uint32_t, widths> taken{}; // number of temporaries of each width in use
};

} // namespace ptxray::machine
