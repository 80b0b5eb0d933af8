#pragma once
// Reads the command line of ptxas as far as it determines the inputs and how they are judged.
#include "Module/CheckOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct PtxasCommandLine {
  std::vector<std::string> files, texts; // inputs; `texts` are PTX themselves
  std::string arch;                      // `sm_90a`, `compute_90`; empty: not written
  std::string machine;                   // `64`
  std::string output;                    // the file of `-o`; empty: not written
  KernelOptions kernels;
  bool isSeparate = false; // `-c`: other modules may define what this one names
  bool wantsVersion = false, wantsHelp = false, wantsArchitectures = false, wantsVersions = false;

  bool asksAboutPtxas() const { return wantsVersion || wantsHelp || wantsArchitectures || wantsVersions; }
};

/// Files of options are read too.
PtxasCommandLine readPtxasCommandLine(llvm::ArrayRef<std::string> words);

} // namespace ptxray
