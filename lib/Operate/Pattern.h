#pragma once
// The operations of a recipe before it is known which registers it names: they are made once for all instructions that
// are equal but for their registers.
#include "Operate/Compile.h"

namespace ptxray::machine {

/// All that operations depend on of the places of an instruction, for each of them: how wide it is, and which is the
/// first that is the same register.
using Likeness = llvm::SmallVector<uint32_t, 8>;
Likeness likenessOf(llvm::ArrayRef<Place> byNode);

/// Slots of a pattern are numbers: 0 is none, the others count the nodes, then the carry, then all that is asked for of
/// the registers of a function.
class Pattern {
public:
  Pattern(const Recipe &recipe, llvm::ArrayRef<Place> byNode);

  /// The same as `compile` gives for these places, which are like those that the pattern was made for.
  Compiled at(llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept) const;

private:
  Compiled compiled;
  std::vector<RegisterFile::Request> requests;
  Kept own;
};

} // namespace ptxray::machine
