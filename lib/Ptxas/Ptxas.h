#pragma once
// Finding ptxas, knowing what its release can read, and running it.
#include "Ptxas/Program.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace ptxray {

struct Ptxas {
  std::string path;
  std::string release; // `13.5.37`
  uint16_t ptx = 0;    // the newest PTX version it reads, 9.5 is 905; 0: not known
  unsigned major = 0;
};

/// The first file that can be ptxas: $PTXAS, $TRITON_PTXAS_PATH, CUDA's folders, PATH, the usual
/// places, the Python packages that bring one. This program under another name is none.
std::optional<std::string> realPtxas(std::string &reason);

/// The ptxas at this path, or (empty) the one above; nothing and a reason when there is none.
std::optional<Ptxas> findPtxas(llvm::StringRef wanted, std::string &reason);

/// Why this release cannot compile a module of that version (905) for that target, and which CUDA
/// could; empty when it can.
std::string whatIsMissing(const Ptxas &ptxas, uint16_t ptx, llvm::StringRef target);

struct Assembly {
  ProgramResult run;
  MemoryFile object; // what ptxas wrote
};
/// `options` stand before input and output. The object is only good when ptxas ended with 0.
Assembly assemble(const Ptxas &ptxas, const MemoryFile &input, llvm::ArrayRef<std::string> options, unsigned seconds);

} // namespace ptxray
