#pragma once
// A requested launch. Sources are the words of a command line (here) or a recording (Recording.h). The emulator
// (tools/ptxray/Emulate.h) and the CUDA driver (tools/ptxray-run) execute it.
#include "Arguments.h"
#include "Launch/LaunchShape.h"
#include <string_view>

namespace ptxray::launcher {

struct LaunchRequest : LaunchShape {
  std::string kernel;
  const ElementType *type = nullptr;
  unsigned repeat = 0, device = 0;
  unsigned seconds = 60; // time limit; 0 for none
  double tolerance = 0;
  bool fresh = false, guards = true;
  bool isRecorded = false; // read from a recording
  bool isPartial = false;  // the recording omits some memory
  std::vector<Argument> arguments;
  std::vector<NamedBuffer> buffers;
  std::vector<std::pair<std::string, Buffer>> variables;        // variables of the module to set before the launch
  std::vector<std::pair<std::string, ImageDescription>> images; // images for its variables of type .texref and similar
  std::vector<std::pair<std::string, std::string>> outputs;     // name of a buffer or variable, and the format
  std::vector<std::pair<std::string, Buffer>> expectations;
  std::vector<size_t> parameterBytes; // for the kernel, if known

  /// Returns the element type of a buffer, from its description or --type; null if neither specifies one.
  const ElementType *typeOf(const std::string &name) const;
};

/// Sets an option of `launchOptions`. Returns false if there is no such option.
Expected<bool> setOption(LaunchRequest &request, std::string_view option, const std::string &value);
/// Adds the kernel's arguments. Returns the problem, or an empty string.
std::string addArguments(LaunchRequest &request, const std::vector<std::string> &words);
/// Checks options and arguments together. Returns the problem, or an empty string.
std::string complete(LaunchRequest &request);
/// Parses the sizes of parameters: `8,8,4`.
std::string readSizes(const std::string &text, std::vector<size_t> &sizes);

} // namespace ptxray::launcher
