#pragma once
// The PTX versions and targets that have something, in plain words.
#include "Isa/Isa.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <vector>

namespace ptxray {

/// Returns whether the name is an old one of a target, as `sm_101` is of `sm_110`.
bool isOldName(const isa::Target &target);
/// Returns the gates of versions and targets that a form requires in any case.
llvm::SmallVector<isa::ExprId, 2> gatesOf(const isa::Form &form);
/// The gates that must hold, and choices, of each of which one way must be open: all gates of that way hold.
struct Demands {
  using Gates = std::vector<isa::ExprId>;
  Gates all;
  std::vector<std::vector<Gates>> choices = {};

  auto operator<=>(const Demands &) const = default;
};
/// Says in words what all the gates allow: `PTX 8.0 and sm_90 or higher`; `sm_100a since PTX 8.6; sm_100f since PTX
/// 8.8`. Empty if they allow everything.
std::string needsText(llvm::ArrayRef<isa::ExprId> gates);
std::string needsText(const Demands &demands);
/// Returns whether all targets that pass end in `a` or `f`.
bool needsVariant(const Demands &demands);
/// Returns the lowest version with which all gates hold for the target; nothing if there is none.
std::optional<uint16_t> leastVersion(llvm::ArrayRef<isa::ExprId> gates, uint16_t target);
std::optional<uint16_t> leastVersion(const Demands &demands, uint16_t target);
/// Counts the pairs of a version and a target with which the demands are met.
size_t reachOf(const Demands &demands);

} // namespace ptxray
