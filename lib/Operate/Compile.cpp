#include "Operate/Compile.h"
#include "Operate/Evaluated.h"

namespace ptxray::machine {

Compiled compile(const Recipe &recipe, llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept) {
  return evaluated(recipe, byNode, carry, file, kept);
}

} // namespace ptxray::machine
