#pragma once
// The places of the registers of a warp, with the constants of the program and what instructions compute on their way.
#include "Operate/Op.h"
#include "Semantics/Element.h"
#include <map>
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
  /// A register that keeps its value. One of 8 bits is as wide as one of 16.
  Place add(unsigned bits);
  /// A register that holds the same number in all lanes from the beginning on, and that is never written.
  Place constant(unsigned bits, Bits value);
  /// A register for the instruction at hand alone; those of the next instruction lie in the same places.
  Place temporary(unsigned bits);
  void endInstruction() { taken.clear(); }

  uint32_t bytes() const { return end; }
  /// Writes the constants to the registers of a new warp.
  void writeConstants(char *registers) const;

private:
  uint32_t end = scratchSlot + scratchBytes;
  std::map<std::pair<unsigned, Bits>, Slot> constants;
  std::map<unsigned, std::vector<Slot>> temporaries; // the list of each width
  std::map<unsigned, size_t> taken;                  // how many of them the instruction at hand has
};

} // namespace ptxray::machine
