#pragma once
// Describes the PTX versions and targets that support a feature.
#include "Isa/Isa.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <vector>

namespace ptxray {

/// Returns whether the name is an old name of a target, such as `sm_101` for `sm_110`.
bool isOldName(const isa::Target &target);
/// Returns the gates of versions and targets that a form always requires.
llvm::SmallVector<isa::ExprId, 2> gatesOf(const isa::Form &form);
/// Gates that must all hold, and choices. At least one alternative of each choice must be available, which means that
/// all its gates hold.
struct Demands {
  using Gates = std::vector<isa::ExprId>;
  Gates all;
  std::vector<std::vector<Gates>> choices = {};

  auto operator<=>(const Demands &) const = default;
};
/// Returns the combined requirements of all gates as text: `PTX 8.0 and sm_90 or higher`; `sm_100a since PTX 8.6;
/// sm_100f since PTX 8.8`. Empty if there are none.
std::string needsText(llvm::ArrayRef<isa::ExprId> gates);
std::string needsText(const Demands &demands);
/// Returns whether all permitted targets end in `a` or `f`.
bool needsVariant(const Demands &demands);
/// Returns the lowest version with which all gates hold for the target, or nothing if there is none.
std::optional<uint16_t> leastVersion(llvm::ArrayRef<isa::ExprId> gates, uint16_t target);
std::optional<uint16_t> leastVersion(const Demands &demands, uint16_t target);
/// Returns the number of pairs of version and target that meet the demands.
size_t reachOf(const Demands &demands);

} // namespace ptxray
