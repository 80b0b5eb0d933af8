#pragma once
// The operations of a recipe before its registers are known. They are compiled once for all instructions that differ
// only in their registers.
#include "Operate/Compile.h"

namespace ptxray::machine {

/// Everything about the registers of an instruction that its operations depend on: for each register, its width and the
/// index of the first equal one.
using Likeness = llvm::SmallVector<uint32_t, 8>;
Likeness likenessOf(llvm::ArrayRef<Place> byNode);

/// Compiled operations with placeholder slots. 0 is no slot. The other numbers denote the nodes, then the carry, then
/// the registers requested from the function's register file.
class Pattern {
public:
  Pattern(const Recipe &recipe, llvm::ArrayRef<Place> byNode);

  /// Returns what `compile` would return for these registers, which must be like those that the pattern was made for.
  Compiled at(llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept) const;

private:
  Compiled compiled;
  std::vector<RegisterFile::Request> requests;
  Kept own;
};

} // namespace ptxray::machine
