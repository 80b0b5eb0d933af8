#pragma once
// `ptxray check` has these to check: its inputs, or the texts of those that are binaries.
#include "Binaries.h"
#include "CheckTask.h"

namespace ptxray {

struct CheckJob {
  Input input;
  std::shared_ptr<const CheckOptions> options;
  std::unique_ptr<SourceBuffer> source;     // an input that was read already
  std::shared_ptr<const OpenBinary> binary; // of a text of a binary
  TextTask text;
};

/// The problem is that of a `.ptxray` file or of an option.
Expected<std::vector<CheckJob>> findJobs(const Arguments &arguments, const CheckTask &task,
                                         Configuration &configuration);

/// The inputs; without operands, those below the working folder.
struct FoundInputs {
  std::vector<Input> all;
  std::string problem; // of a `.ptxray` file
};
FoundInputs inputsOf(const Arguments &arguments, Configuration &configuration);

} // namespace ptxray
