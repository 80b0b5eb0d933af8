#pragma once
// The operations of a recipe before its registers are known. They are compiled once for all instructions that differ
// only in their registers.
#include "Operate/Compile.h"

namespace ptxray::machine {

/// The properties of an instruction's registers on which its operations depend: for each register, its width and the
/// index of the first equal one.
using Likeness = llvm::SmallVector<uint32_t, 8>;
Likeness likenessOf(llvm::ArrayRef<Place> byNode);

/// Compiled operations with placeholder slots. Slot 0 is no slot. The other slots denote the nodes, then the carry,
/// then the registers requested from the function's register file.
class Pattern {
public:
  Pattern(const Recipe &recipe, llvm::ArrayRef<Place> byNode);

  /// Returns what `compile` would return for these registers, which must have the same widths and equalities as those
  /// of the pattern.
  Compiled at(llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept) const;

private:
  Compiled compiled;
  std::vector<RegisterFile::Request> requests;
  Kept own;
};

} // namespace ptxray::machine
