#pragma once
// Finds a ptxas, determines what its release can read, and runs it.
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
  uint16_t ptx = 0;    // the newest PTX version it reads, 9.5 is 905; 0: not known
  unsigned major = 0;
};

/// Returns the program that the caller of this one would have used under that name (`ptxas`, `ptxas-blackwell`);
/// Search.cpp has the order of places. This program, and those that led to it in a chain of calls, are skipped.
Expected<std::string> realPtxas(llvm::StringRef name, llvm::ArrayRef<std::string> passedOver = {});
/// Finds a program by its path, or by its name in PATH.
Expected<std::string> namedPtxas(llvm::StringRef wanted);
/// Tells programs started from here that this ptxas was tried.
void markTried(const std::string &path);
/// Returns whether another ptxray took this one for ptxas.
bool isTriedByAnother();

/// A module to be compiled: its PTX version (905) and its target.
struct PtxasTask {
  uint16_t ptx = 0;
  llvm::StringRef target;
};
/// Returns the ptxas with that path or name, or, if it is empty, the first of those above that can do the task. Each is
/// asked for its release and has `seconds` to answer (0: a minute).
Expected<Ptxas> findPtxas(llvm::StringRef wanted, PtxasTask task, unsigned seconds);

/// Returns why this release cannot do the task, and which CUDA can; empty if it can.
std::string whatIsMissing(const Ptxas &ptxas, PtxasTask task);

struct Assembly {
  ProgramResult run;
  MemoryFile object; // what ptxas wrote
};
/// `options` come before input and output. The object is valid only if ptxas ended with 0.
Assembly assemble(const Ptxas &ptxas, const MemoryFile &input, llvm::ArrayRef<std::string> options, unsigned seconds);

} // namespace ptxray
