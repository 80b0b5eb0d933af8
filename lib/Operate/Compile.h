#pragma once
// The operations that compute what a recipe says.
#include "Operate/Registers.h"
#include "Semantics/Recipe.h"
#include <memory>

namespace ptxray::machine {

/// Memory that a recipe reads before its operations, or writes after them. Each element is in a register of its own:
/// of 8 and 16 bits in the low bits of one of 16.
struct MemoryUse {
  uint16_t operand = 0; // the operand of the form that is the address
  uint16_t bits = 0;    // the size of an element
  std::vector<Place> elements;
};

/// All slots may be temporary ones.
struct Compiled {
  std::string refusal; // the reason why it cannot be computed; empty: it can
  std::vector<MemoryUse> reads;
  std::vector<Op> ops;
  std::vector<MemoryUse> writes;
  bool isOneByOne = false; // lane after lane: read, compute and write
};

/// Holds what programs keep for the handlers of their operations.
using Kept = std::vector<std::shared_ptr<const void>>;

/// `byNode` are the registers of the instruction, by the node that names them; of addresses they are not asked for.
/// `carry` is a predicate.
Compiled compile(const Recipe &recipe, llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept);

} // namespace ptxray::machine
