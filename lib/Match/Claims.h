#pragma once
// A message may state a fact about an instruction. Before it is printed, the fact is verified against all forms of the
// instruction.
#include "Isa/Availability.h"
#include "llvm/ADT/ArrayRef.h"

namespace ptxray {

/// Returns whether some form of the instruction may contain the words together, in this order, and none of `without`,
/// for any operands, version and target. Returns true if the tables alone do not decide this.
bool mayMeet(const isa::Mnemonic &mnemonic, llvm::ArrayRef<isa::WordId> words,
             llvm::ArrayRef<isa::WordId> without = {});
/// Returns the result of `mayMeet` for the version and the target of a module.
bool mayMeetIn(const Availability &module, const isa::Mnemonic &mnemonic, llvm::ArrayRef<isa::WordId> words);

} // namespace ptxray
