#pragma once
// Compiles a recipe into operations.
#include "Operate/Registers.h"
#include "Semantics/Recipe.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace ptxray::machine {

/// Memory that a recipe reads before its operations or writes after them. Each element has a register; elements of 8
/// and 16 bits use the low bits of a 16-bit register.
struct MemoryUse {
  uint16_t operand = 0; // operand of the form that is the address
  uint16_t bits = 0;    // width of one element
  llvm::SmallVector<Place, 4> elements;
};
using MemoryUses = llvm::SmallVector<MemoryUse, 1>;

/// The registers and parameters of an operation with more registers than an Op can hold.
struct ManyPlaces {
  using Rename = llvm::function_ref<void(Slot &)>;

  virtual ~ManyPlaces() = default;
  /// Returns a copy whose registers are replaced by `rename`.
  virtual std::shared_ptr<const ManyPlaces> renamed(Rename rename) const = 0;
};

/// A compiled recipe. Its slots may all be temporary.
struct Compiled {
  std::string refusal; // why the recipe cannot be computed; empty if it can
  MemoryUses reads;
  llvm::SmallVector<Op, 2> ops;
  MemoryUses writes;
  bool isOneByOne = false;            // lanes are processed one after the other: read, compute and write
  const ManyPlaces *places = nullptr; // parameters of the only operation; null if it has none
};

/// Objects that programs keep alive for the handlers of their operations.
using Kept = std::vector<std::shared_ptr<const void>>;

/// Compiles a recipe. `byNode` holds the instruction's registers, indexed by the node that names them; registers of
/// addresses are not used. `carry` is a predicate.
Compiled compile(const Recipe &recipe, llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept);

} // namespace ptxray::machine
