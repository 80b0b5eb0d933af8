#pragma once
// The words of a launch: the command line of ptxray-run.
#include "Arguments.h"
#include <string_view>

namespace ptxray::launcher {

struct Options {
  std::string image, kernel, log;
  std::string name; // of the image in messages; empty: its path
  const ElementType *type = nullptr;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {0, 0, 0};
  unsigned shared = 0, repeat = 0, device = 0;
  unsigned seconds = 60; // that a launch may take; 0: any time
  double tolerance = 0;
  bool help = false, probe = false, driverPath = false, validate = false, jit = false;
  bool cooperative = false, fresh = false, guards = true;
  bool isRecorded = false; // the launch is that of a recording
  bool isPartial = false;  // that leaves out memory
  std::vector<Argument> arguments;
  std::vector<NamedBuffer> buffers;
  std::vector<std::pair<std::string, Buffer>> variables;        // of the module, set before the launch
  std::vector<std::pair<std::string, ImageDescription>> images; // for its variables of type .texref and the like
  std::vector<std::pair<std::string, std::string>> outputs;     // name of a buffer or variable, and how
  std::vector<std::pair<std::string, Buffer>> expectations;
  std::vector<size_t> parameterBytes; // of the kernel, where the caller knows them

  /// The type of a buffer's elements, by its own description or by --type; null if neither says it.
  const ElementType *typeOf(const std::string &name) const;
};

/// Reads and checks everything, before any GPU is looked for. Throws UsageError.
Options readOptions(const std::vector<std::string_view> &words);
std::string usage();

} // namespace ptxray::launcher
