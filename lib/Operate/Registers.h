#pragma once
// The places of the registers of a warp, with the constants of the program and what instructions compute on their way.
#include "Operate/Op.h"
#include "Semantics/Element.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <vector>

namespace ptxray::machine {

/// A register, and how wide it is: 1 (a predicate), 16, 32, 64 or 128 bits; 0: there is none, as for `_`.
struct Place {
  Slot slot = noSlot;
  uint8_t bits = 0;
};

/// The bytes of all its lanes.
inline uint32_t bytesOf(Place place) { return place.bits == 1 ? 4 : place.bits * warpSize / 8; }

/// The registers of a function are laid out once; every warp has its own. Slot 0 is no register.
class RegisterFile {
public:
  /// A constant, or else a temporary register.
  struct Request {
    Place place;
    bool isConstant = false;
    Bits value = 0;
  };
  /// A register that keeps its value. One of 8 bits is as wide as one of 16.
  Place add(unsigned bits);
  /// A register that holds the same number in all lanes from the beginning on, and that is never written.
  Place constant(unsigned bits, Bits value);
  /// A register for the instruction at hand alone; those of the next instruction lie in the same places.
  Place temporary(unsigned bits);
  void endInstruction() { taken = {}; }

  uint32_t bytes() const { return end; }
  /// All that was asked for, in the order in which it came to be.
  llvm::ArrayRef<Request> requests() const { return asked; }
  /// Writes the constants to the registers of a new warp.
  void writeConstants(char *registers) const;

private:
  static constexpr size_t widths = 5;
  Place ask(unsigned bits, bool isConstant, Bits value);

  uint32_t end = scratchSlot + scratchBytes;
  std::vector<Request> asked;
  llvm::SmallDenseMap<std::pair<std::pair<uint64_t, uint64_t>, unsigned>, Slot, 4>
      constants; // by halves of the value, and width
  std::array<llvm::SmallVector<Slot, 4>, widths> temporaries;
  std::array<uint32_t, widths> taken{}; // how many of them the instruction at hand has
};

} // namespace ptxray::machine
