#pragma once
// A message states something of an instruction: before it is printed, all forms of the instruction are asked if it is
// true.
#include "Isa/Availability.h"
#include "llvm/ADT/ArrayRef.h"

namespace ptxray {

/// Returns whether some form of the instruction may hold the words together, in this order, and none of `without`,
/// whatever the operands, the version and the target are. It is also true where the tables alone do not say.
bool mayMeet(const isa::Mnemonic &mnemonic, llvm::ArrayRef<isa::WordId> words,
             llvm::ArrayRef<isa::WordId> without = {});
/// The same, as the version and the target of a module allow it.
bool mayMeetIn(const Availability &module, const isa::Mnemonic &mnemonic, llvm::ArrayRef<isa::WordId> words);

} // namespace ptxray
