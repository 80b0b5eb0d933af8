#pragma once
// Parses the command line of ptxas, to the extent that it determines the inputs and how they are checked.
#include "Module/CheckOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct PtxasCommandLine {
  std::vector<std::string> files, texts; // inputs; `texts` contain PTX directly
  std::string arch;                      // `sm_90a`, `compute_90`; empty if absent
  std::string machine;                   // `64`
  std::string output;                    // file of `-o`; empty if absent
  KernelOptions kernels;
  bool isSeparate = false; // `-c`: other modules may define names that this one uses
  bool wantsVersion = false, wantsHelp = false, wantsArchitectures = false, wantsVersions = false;

  bool asksAboutPtxas() const { return wantsVersion || wantsHelp || wantsArchitectures || wantsVersions; }
};

/// Parses the words, including files of options.
PtxasCommandLine readPtxasCommandLine(llvm::ArrayRef<std::string> words);

} // namespace ptxray
