#pragma once
#include "Machine/Memory.h"
#include "Read/ReadModule.h"
#include <memory>

namespace ptxray::machine {

/// A module as the machine executes it, for one target. Its variables are in a memory. Several threads may launch its
/// kernels.
class LoadedModule {
public:
  /// `target`: the GPU, such as sm_90a; empty: the one of the module. Constructs that cannot be executed are refused
  /// only where a launch comes to them.
  LoadedModule(const ReadModule &module, Memory &memory, llvm::StringRef target = "");
  ~LoadedModule();

  /// Returns the memory of a variable of the module; empty: there is none of that name.
  llvm::MutableArrayRef<uint8_t> variable(llvm::StringRef name) const;
  /// Returns the memory of all of them.
  std::vector<llvm::MutableArrayRef<uint8_t>> allVariables() const;
  /// Its address on the GPU, and its size.
  std::optional<std::pair<uint64_t, uint64_t>> placeOf(llvm::StringRef name) const;
  /// Binds an image to a variable of type `.texref`, `.samplerref` or `.surfref`. Returns why it cannot, or
  /// an empty text.
  std::string bind(llvm::StringRef name, ImageObject object);
  /// Returns the handle of such a variable; 0: there is none of that name.
  uint64_t imageAt(llvm::StringRef name) const;

  struct Parts;
  std::unique_ptr<Parts> parts;
};

} // namespace ptxray::machine
