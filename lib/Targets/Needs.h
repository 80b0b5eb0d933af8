#pragma once
// The PTX versions and targets that have something, in plain words.
#include "Isa/Isa.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace ptxray {

/// Is true if the name is an old one of a target, as `sm_101` is of `sm_110`.
bool isOldName(const isa::Target &target);
/// The gates of versions and targets that a form requires in any case.
llvm::SmallVector<isa::ExprId, 2> gatesOf(const isa::Form &form);
/// Says in words what all the gates allow: `PTX 8.0 and sm_90 or higher`; `sm_100a since PTX 8.6; sm_100f since PTX
/// 8.8`. Empty if they allow everything.
std::string needsText(llvm::ArrayRef<isa::ExprId> gates);
/// Is true if all targets that pass end in `a` or `f`.
bool needsVariant(llvm::ArrayRef<isa::ExprId> gates);
/// The lowest version with which all gates hold for the target; nothing if there is none.
std::optional<uint16_t> leastVersion(llvm::ArrayRef<isa::ExprId> gates, uint16_t target);

} // namespace ptxray
