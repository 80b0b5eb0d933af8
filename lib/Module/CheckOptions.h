#pragma once
// The options of a check.
#include "Diagnostics/RuleLevels.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

/// A module may be the whole program, or compiled for a linker (`ptxas -c`).
enum class Linking : uint8_t { Unknown, Whole, Separate };

/// The options of ptxas with these names, which apply to all kernels and functions.
struct KernelOptions {
  std::optional<uint64_t> maxrregcount, maxntid, minnctapersm;
  bool forFunctions = false; // `--device-function-maxrregcount`: those compiled for a linker have a count of their own
  bool overDirectives = false; // `--override-directive-values`
};

struct CheckOptions {
  std::string target; // replaces what `.target` says; empty: as the file says
  std::string ptx;    // replaces what `.version` says
  std::string arch;   // ask also: may this module be compiled for that GPU
  bool pedantic = false;
  Linking linking = Linking::Unknown;
  KernelOptions kernels;
  bool isFragment = false;    // functions are pieces of code: nothing is said of them as a whole
  bool wideAddresses = false; // as nvcc compiles: for no target are there addresses of 32 bits
  bool errorsOnly = false;    // of warnings only those of a rule with a level of its own are wanted
  bool werror = false;        // warnings are errors, but for those of a rule with a level of its own
  RuleLevels levels;
  std::vector<std::string> macros;  // of sources in C++: `NAME` or `NAME=VALUE`, as compilers have `-D`
  std::vector<std::string> folders; // where their headers are looked for as well, as `-I`
};

} // namespace ptxray
