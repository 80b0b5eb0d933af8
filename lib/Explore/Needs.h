#pragma once
// Since which PTX version and on which targets something exists, in plain words.
#include "Isa/Isa.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace ptxray {

/// Whether it is another name of a target: `sm_101` of `sm_110`.
bool isOldName(const isa::Target &target);
/// What a form needs whatever is written, as gates of versions and targets.
llvm::SmallVector<isa::ExprId, 2> gatesOf(const isa::Form &form);
/// Of what all the gates let through: `PTX 8.0 and sm_90 or higher`; `sm_100a since PTX 8.6; sm_100f since PTX 8.8`.
/// Empty: it exists everywhere.
std::string needsText(llvm::ArrayRef<isa::ExprId> gates);
/// Whether all targets that pass end in `a` or `f`.
bool needsVariant(llvm::ArrayRef<isa::ExprId> gates);
/// The lowest version for the target with which all gates hold; none: there is no such version.
std::optional<uint16_t> leastVersion(llvm::ArrayRef<isa::ExprId> gates, uint16_t target);

} // namespace ptxray
