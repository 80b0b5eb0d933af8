#pragma once
// Programs that are valid and well defined, for tests of what compiles and executes PTX: all registers are initialised,
// addresses are in bounds, loops end, threads do not race, and barriers are met by all threads.
#include "Module/CheckOptions.h"
#include <string>
#include <vector>

namespace ptxray {

struct ProgramOptions {
  uint64_t seed = 1;
  unsigned size = 60; // about so many instructions besides those that begin and end the kernel
  std::string target = "sm_90";
  uint16_t ptx = 0;                      // 8.6 is 806; 0: the newest
  std::vector<std::string> instructions; // `add`: those that may be in it; empty: all that compute registers
};

/// The same options give the same program. Its first lines say how it is launched: `// run: --block=64 ...`.
std::string generatedProgram(const ProgramOptions &options);

} // namespace ptxray
