// Stands for the machine until it is there.
#include "Machine/Launch.h"

namespace ptxray::machine {

struct LoadedModule::Parts {};
LoadedModule::LoadedModule(const ReadModule &, Memory &, llvm::StringRef) {}
LoadedModule::~LoadedModule() = default;
llvm::MutableArrayRef<uint8_t> LoadedModule::variable(llvm::StringRef) const { return {}; }

Outcome launch(LoadedModule &, const Launch &) {
  Outcome outcome;
  outcome.refusal = "this ptxray cannot execute anything yet";
  return outcome;
}

} // namespace ptxray::machine
