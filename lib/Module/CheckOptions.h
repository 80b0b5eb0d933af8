#pragma once
// The options of a check.
#include "Diagnostics/RuleLevels.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

/// Whether a module is the whole program, or is compiled for a linker (`ptxas -c`).
enum class Linking : uint8_t { Unknown, Whole, Separate };

/// The options of ptxas with these names. They apply to all kernels, and some also to functions.
struct KernelOptions {
  std::optional<uint64_t> maxrregcount, maxntid, minnctapersm;
  // `--device-function-maxrregcount`: a separate limit for functions that are compiled for a linker.
  bool forFunctions = false;
  bool overDirectives = false; // `--override-directive-values`
};

struct CheckOptions {
  std::string target; // replaces `.target`; empty to keep it
  std::string ptx;    // replaces `.version`
  std::string arch;   // also checks whether the module can be compiled for this GPU
  bool pedantic = false;
  Linking linking = Linking::Unknown;
  KernelOptions kernels;
  bool isFragment = false;    // functions are fragments, so rules about whole functions do not apply
  bool wideAddresses = false; // no target has 32-bit addresses, as in nvcc's output
  bool errorsOnly = false;    // reports only errors, and warnings of rules with an explicit level
  bool werror = false;        // reports warnings as errors, except those of rules with an explicit level
  RuleLevels levels;
  std::vector<std::string> macros;  // for C++ sources: `NAME` or `NAME=VALUE`, like `-D` of compilers
  std::vector<std::string> folders; // additional include folders, like `-I`
};

} // namespace ptxray
