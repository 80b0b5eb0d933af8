#pragma once
// The operations that compute what a recipe says.
#include "Operate/Registers.h"
#include "Semantics/Recipe.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace ptxray::machine {

/// Memory that a recipe reads before its operations, or writes after them. Each element is in a register of its own:
/// of 8 and 16 bits in the low bits of one of 16.
struct MemoryUse {
  uint16_t operand = 0; // the operand of the form that is the address
  uint16_t bits = 0;    // the size of an element
  llvm::SmallVector<Place, 4> elements;
};
using MemoryUses = llvm::SmallVector<MemoryUse, 1>;

/// The registers that an operation names if an Op has no room for so many, with all else that it needs.
struct ManyPlaces {
  using Rename = llvm::function_ref<void(Slot &)>;

  virtual ~ManyPlaces() = default;
  /// The same with other registers.
  virtual std::shared_ptr<const ManyPlaces> renamed(Rename rename) const = 0;
};

/// All slots may be temporary ones.
struct Compiled {
  std::string refusal; // the reason why it cannot be computed; empty: it can
  MemoryUses reads;
  llvm::SmallVector<Op, 2> ops;
  MemoryUses writes;
  bool isOneByOne = false;            // lane after lane: read, compute and write
  const ManyPlaces *places = nullptr; // what the only operation needs; null: nothing of the kind
};

/// Holds what programs keep for the handlers of their operations.
using Kept = std::vector<std::shared_ptr<const void>>;

/// `byNode` are the registers of the instruction, by the node that names them; of addresses they are not asked for.
/// `carry` is a predicate.
Compiled compile(const Recipe &recipe, llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept);

} // namespace ptxray::machine
