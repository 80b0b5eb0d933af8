#pragma once
// Where addresses come from: a register and a number added to it, or a variable; and the state space that they are of.
//   mov.u32 %r1, tile;              tile
//   add.s32 %r2, %r1, 16;           tile + 16, in .shared
//   add.s32 %r3, %r2, %r9;          %r3, in .shared
//   cvta.to.global.u64 %rd2, %rd1;  %rd2, in .global
//   cvta.shared.u64 %rd3, %rd4;     %rd3, generic
//   add.s64 %rd5, %rd2, 8;          %rd2 + 8, in .global
// Only registers that a single instruction writes, without a guard, are followed; others are their own base.
#include "Flow/Analyses.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {

/// A register or a variable, and how much is added to it.
struct Base {
  LocalId local = LocalId::None;
  int64_t offset = 0;
  bool isVariable = false;
};

/// What an address is for: a space, or all of them.
struct Origin {
  enum Kind : uint8_t { Unknown, OfSpace, Generic };
  Kind kind = Unknown;
  isa::WordId space = 0;
  uint32_t made = ~0u; // the instruction that says so
};

class AddressOrigins {
public:
  AddressOrigins(const Body &body, Analyses &analyses) : body(body), analyses(analyses) {}

  /// Of the value that the register has at the instruction.
  Base baseOf(LocalId local, uint32_t at);
  Origin originOf(LocalId local) { return originOf(local, 0); }
  /// Where control comes to the second, it has been at the first.
  bool precedes(uint32_t first, uint32_t second);

private:
  Origin originOf(LocalId local, unsigned depth);
  Origin origin(uint32_t instruction, unsigned depth);
  uint32_t definition(LocalId local);

  const Body &body;
  Analyses &analyses;
  llvm::SmallDenseMap<LocalId, Origin, 8> origins;
};

} // namespace ptxray
