#pragma once
#include "Machine/Memory.h"
#include "Read/ReadModule.h"
#include <memory>

namespace ptxray::machine {

/// A module that is loaded into the emulator for one target, with memory for its variables. Several threads may launch
/// its kernels.
class LoadedModule {
public:
  /// Loads a module. `target` is the GPU, such as sm_90a; if it is empty, the target of the module applies. Unsupported
  /// instructions are only rejected when a launch reaches them.
  LoadedModule(const ReadModule &module, Memory &memory, llvm::StringRef target = "");
  ~LoadedModule();

  /// Returns the memory of a variable of the module; empty if there is no such variable.
  llvm::MutableArrayRef<uint8_t> variable(llvm::StringRef name) const;
  /// Returns the memory of all variables.
  std::vector<llvm::MutableArrayRef<uint8_t>> allVariables() const;
  /// Returns the address of a variable on the emulated GPU, and its size.
  std::optional<std::pair<uint64_t, uint64_t>> placeOf(llvm::StringRef name) const;
  /// Binds an image to a variable of type `.texref`, `.samplerref` or `.surfref`. Returns an error, or an empty string.
  std::string bind(llvm::StringRef name, ImageObject object);
  /// Returns the handle of such a variable; 0 if there is no such variable.
  uint64_t imageAt(llvm::StringRef name) const;

  struct Parts;
  std::unique_ptr<Parts> parts;
};

} // namespace ptxray::machine
