#pragma once
// The steps of a recipe, for the lanes of a warp one after the other.
#include "Semantics/Recipe.h"
#include <array>
#include <compare>
#include <map>

namespace ptxray {

inline constexpr unsigned lanesOfWarp = 32;
using LaneBits = std::array<Bits, lanesOfWarp>;

/// Bytes that an address leads to.
struct MemoryPart {
  isa::WordId space; // 0: generic
  uint64_t address;
  llvm::MutableArrayRef<uint8_t> bytes;
};
/// The node of the instruction that names a register; of one of vector type also which element.
struct RegisterAt {
  int16_t node;
  uint8_t part = 0;

  RegisterAt(int node, unsigned part = 0) : node(static_cast<int16_t>(node)), part(static_cast<uint8_t>(part)) {}
  auto operator<=>(const RegisterAt &) const = default;
};
/// These are the values that the registers of a warp hold; the node of an address has the address itself.
struct Lanes {
  uint32_t active = ~0u;
  std::map<RegisterAt, LaneBits> nodes;
  std::map<RegisterAt, uint32_t> names; // which register each is, if that is told: one may be written and then read
  std::array<bool, lanesOfWarp> carry{};
  std::vector<MemoryPart> memory;
};
/// A register that is written, in the lanes that are active. What was computed is as wide as its type; a wider register
/// is filled up as the type says.
struct WrittenRegister {
  RegisterAt at;
  ElementType type;
  LaneBits bits;
  uint32_t undefinedLanes = 0; // in which the manual leaves it open
  bool isApproximate = false;  // the manual promises no more than how near it is
};
struct Outcome {
  std::string refusal;                    // why nothing was computed; empty: it was
  std::vector<WrittenRegister> registers; // of one that is there twice the last counts
  bool writesCarry = false;
};

/// Changes the carry and the memory of the lanes.
Outcome evaluate(const Recipe &recipe, Lanes &lanes);

} // namespace ptxray
