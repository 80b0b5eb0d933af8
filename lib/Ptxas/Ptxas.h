#pragma once
// Finds a ptxas, determines which versions its release supports, and runs it.
#include "Ptxas/MemoryFile.h"
#include "Ptxas/Program.h"
#include "Source/Expected.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace ptxray {

struct Ptxas {
  std::string path;
  std::string release; // `13.5.37`
  uint16_t ptx = 0;    // newest supported PTX version: 905 for 9.5; 0 if unknown
  unsigned major = 0;
};

/// Returns the program that the caller would have run under that name (`ptxas`, `ptxas-blackwell`). Search.cpp defines
/// the search order. Skips this program, and wrappers that led to it.
Expected<std::string> realPtxas(llvm::StringRef name, llvm::ArrayRef<std::string> passedOver = {});
/// Finds a program by its path, or by its name in PATH.
Expected<std::string> namedPtxas(llvm::StringRef wanted);
/// Marks this ptxas as tried, for programs that this process starts.
void markTried(const std::string &path);
/// Returns whether another ptxray started this one as its ptxas.
bool isTriedByAnother();

/// A module to compile: its PTX version (905) and its target.
struct PtxasTask {
  uint16_t ptx = 0;
  llvm::StringRef target;
};
/// Returns the ptxas with that path or name. If it is empty, returns the first suitable one in the search order. Each
/// candidate must report its release within `seconds` (0: one minute).
Expected<Ptxas> findPtxas(llvm::StringRef wanted, PtxasTask task, unsigned seconds);

/// Returns why this release cannot do the task, and which CUDA release can; empty if it can.
std::string whatIsMissing(const Ptxas &ptxas, PtxasTask task);

struct Assembly {
  ProgramResult run;
  MemoryFile object; // output of ptxas
};
/// Compiles `input`. `options` precede input and output. The object is valid only if ptxas exited with 0.
Assembly assemble(const Ptxas &ptxas, const MemoryFile &input, llvm::ArrayRef<std::string> options, unsigned seconds);

} // namespace ptxray
