#pragma once
// The families of instructions that generated programs are made of.
#include "Isa/Isa.h"
#include <array>
#include <cstdint>
#include <optional>

namespace ptxray {

enum class Family : uint8_t {
  Compute,  // registers of registers
  Memory,   // memory of the thread's own in all spaces, and what other threads wrote before a barrier
  Atomics,  // on memory of its own, and on cells of the block where the order does not matter
  Warp,     // what the lanes of a warp do together
  Barriers, // of all threads of a block
  Matrices, // products of matrices, and what moves these
  Control,  // branches, loops, switches and calls: there are no instructions to choose from
};
using Families = uint8_t; // a bit for each
constexpr Families bitOf(Family family) { return static_cast<Families>(1U << static_cast<unsigned>(family)); }

inline constexpr std::array familyNames =
    std::to_array<llvm::StringLiteral>({"compute", "memory", "atomics", "warp", "barriers", "matrices", "control"});
inline constexpr Families allFamilies = (1U << familyNames.size()) - 1;
std::optional<Family> findFamily(llvm::StringRef name);

/// Returns the families that a form with this spelling may belong to, by what the tables say of it.
Families familiesOf(const isa::Mnemonic &mnemonic);

} // namespace ptxray
