#pragma once
// The families of instructions in generated programs.
#include "Isa/Isa.h"
#include <array>
#include <cstdint>
#include <optional>

namespace ptxray {

enum class Family : uint8_t {
  Compute,  // computes registers from registers
  Memory,   // accesses the thread's own memory in all spaces, and data that other threads wrote before a barrier
  Atomics,  // modifies the thread's own memory, or cells of the block if the order does not matter
  Warp,     // exchanges data between the lanes of a warp
  Barriers, // synchronises all threads of a block
  Matrices, // multiplies and moves matrices
  Control,  // branches, loops, switches and calls; has no list of instructions
};
using Families = uint8_t; // bit mask, indexed by Family
constexpr Families bitOf(Family family) { return static_cast<Families>(1U << static_cast<unsigned>(family)); }

inline constexpr std::array familyNames =
    std::to_array<llvm::StringLiteral>({"compute", "memory", "atomics", "warp", "barriers", "matrices", "control"});
inline constexpr Families allFamilies = (1U << familyNames.size()) - 1;
std::optional<Family> findFamily(llvm::StringRef name);

/// Returns the families that a form with this spelling may belong to, according to the tables.
Families familiesOf(const isa::Mnemonic &mnemonic);

} // namespace ptxray
