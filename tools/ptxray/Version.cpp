#include "Command.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

int runVersion(const Arguments &) {
  llvm::outs() << "ptxray " PTXRAY_VERSION "\n";
  return Clean;
}

} // namespace ptxray
