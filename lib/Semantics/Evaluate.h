#pragma once
// Executes the steps of a recipe for the lanes of a warp, one lane after the other.
#include "Semantics/Recipe.h"
#include <array>
#include <compare>
#include <map>

namespace ptxray {

inline constexpr unsigned lanesOfWarp = 32;
using LaneBits = std::array<Bits, lanesOfWarp>;

/// The bytes that an address refers to.
struct MemoryPart {
  isa::WordId space; // 0 for generic
  uint64_t address;
  llvm::MutableArrayRef<uint8_t> bytes;
};
/// The operand node that names a register, and the element if the register has a vector type.
struct RegisterAt {
  int16_t node;
  uint8_t part = 0;

  RegisterAt(int node, unsigned part = 0) : node(static_cast<int16_t>(node)), part(static_cast<uint8_t>(part)) {}
  auto operator<=>(const RegisterAt &) const = default;
};
/// The values of a warp's registers. For an address operand, the value of the node is the address.
struct Lanes {
  uint32_t active = ~0u;
  std::map<RegisterAt, LaneBits> nodes;
  std::map<RegisterAt, uint32_t>
      names; // identity of each register, if known; a register may be read after it was written
  std::array<bool, lanesOfWarp> carry{};
  std::vector<MemoryPart> memory;
};
/// A register that is written in the active lanes. A result has the width of its type; wider registers are extended
/// according to the type.
struct WrittenRegister {
  RegisterAt at;
  ElementType type;
  LaneBits bits;
  uint32_t undefinedLanes = 0; // lanes whose result the manual does not define
  bool isApproximate = false;  // the manual specifies only an error bound
};
struct EvaluationOutcome {
  std::string refusal;                    // why nothing was computed; empty on success
  std::vector<WrittenRegister> registers; // if a register occurs twice, the last one counts
  bool writesCarry = false;
};

/// Executes the recipe. Updates the carry and the memory of the lanes.
EvaluationOutcome evaluate(const Recipe &recipe, Lanes &lanes);

} // namespace ptxray
