#pragma once
// Where the registers of a warp lie, with the constants of the program and what instructions compute on their way.
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

/// The registers of a function are laid out once; every warp has its own. Slot 0 is no register.
class RegisterFile {
public:
  /// A register that keeps its value. Of 8 bits it is as wide as one of 16.
  Place add(unsigned bits);
  /// A register that holds the same number in all lanes from the beginning on, and that nobody writes.
  Place constant(unsigned bits, Bits value);
  /// A register for the instruction at hand alone.
  Place temporary(unsigned bits);
  /// The next instruction uses the place of temporary registers again.
  void endInstruction() { free = 0; }
  /// Lays the temporary registers behind all others, and gives the size of all. No register is added afterwards.
  uint32_t finish();
  /// Temporary registers have slots from here on until `finish`, which moves them.
  static constexpr Slot temporaries = 1u << 30;
  /// What the constants are, once it is finished: written to the registers of a new warp.
  void writeConstants(char *registers) const;
  /// The slot that a slot of before `finish` became.
  Slot moved(Slot slot) const { return slot < temporaries ? slot : slot - temporaries + begin; }

private:
  static uint32_t bytesOf(unsigned bits) { return bits == 1 ? 4 : warpSize * bits / 8; }
  uint32_t end = 64;      // of the registers that keep their values
  uint32_t free = 0;      // after the temporary registers of the instruction at hand
  uint32_t most = 0;      // that an instruction took
  uint32_t begin = 0;     // of the temporary registers
  std::map<std::pair<unsigned, Bits>, Slot> constants;
};

} // namespace ptxray::machine
