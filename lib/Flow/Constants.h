#pragma once
// Numbers that registers hold all along: what is in a descriptor is mostly put together from constants, right
// before the instruction that takes it.
#include "Flow/Body.h"
#include "Resolve/Shape.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace ptxray {

/// What the arithmetic of an instruction with integers or predicates gives, cut to its type; nothing for all others.
std::optional<uint64_t> constantResult(const Computation &computation, llvm::ArrayRef<uint64_t> sources);

/// Of one body at a time. A register counts if a single instruction writes it, without a guard, and all that this
/// instruction reads counts in turn.
class Constants {
public:
  void read(const Body &body);
  /// That the register holds all along.
  std::optional<uint64_t> valueOf(LocalId local) { return valueOf(local, 0); }
  /// Marks the shapes of registers that hold a number.
  void fill(uint32_t instruction, llvm::MutableArrayRef<Shape> shapes);

private:
  static constexpr uint32_t nobody = ~0u, several = ~0u - 1;
  std::optional<uint64_t> valueOf(LocalId local, unsigned depth);
  std::optional<uint64_t> computed(uint32_t instruction, unsigned depth);

  const Body *body = nullptr;
  std::vector<uint32_t> writer; // by LocalId: the instruction, or one of the numbers above
  llvm::DenseMap<uint32_t, std::optional<uint64_t>> values;
};

} // namespace ptxray
