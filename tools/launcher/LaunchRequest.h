#pragma once
// What a launch is asked for, whoever reads it: the words of a command line (here), a recording (Recording.h). The
// emulated machine (tools/ptxray/Emulate.h) and the CUDA driver (tools/ptxray-run) execute it.
#include "Arguments.h"
#include "Launch/LaunchShape.h"
#include <string_view>

namespace ptxray::launcher {

struct LaunchRequest : LaunchShape {
  std::string kernel;
  const ElementType *type = nullptr;
  unsigned repeat = 0, device = 0;
  unsigned seconds = 60; // that a launch may take; 0: any time
  double tolerance = 0;
  bool fresh = false, guards = true;
  bool isRecorded = false; // the launch is that of a recording
  bool isPartial = false;  // that leaves out memory
  std::vector<Argument> arguments;
  std::vector<NamedBuffer> buffers;
  std::vector<std::pair<std::string, Buffer>> variables;        // of the module, set before the launch
  std::vector<std::pair<std::string, ImageDescription>> images; // for its variables of type .texref and the like
  std::vector<std::pair<std::string, std::string>> outputs;     // name of a buffer or variable, and how
  std::vector<std::pair<std::string, Buffer>> expectations;
  std::vector<size_t> parameterBytes; // of the kernel, where the caller knows them

  /// Returns the type of a buffer's elements, by its own description or by --type; null if neither says it.
  const ElementType *typeOf(const std::string &name) const;
};

/// Sets what an option of `launchOptions` asks for. Returns false if a launch has no such option.
Expected<bool> setOption(LaunchRequest &request, std::string_view option, const std::string &value);
/// Adds the arguments of the kernel. Returns what is wrong with them.
std::string addArguments(LaunchRequest &request, const std::vector<std::string> &words);
/// Checks what options and arguments ask for together. Returns what is wrong.
std::string complete(LaunchRequest &request);
/// Reads the sizes of parameters: `8,8,4`.
std::string readSizes(const std::string &text, std::vector<size_t> &sizes);

} // namespace ptxray::launcher
