#pragma once
// Collects the work of `ptxray check`: its inputs, or the PTX modules in binaries.
#include "Binaries.h"
#include "CheckTask.h"

namespace ptxray {

struct CheckJob {
  Input input;
  std::shared_ptr<const CheckOptions> options;
  std::unique_ptr<SourceBuffer> source;     // an input that was already read
  std::shared_ptr<const OpenBinary> binary; // the binary that contains the text
  TextTask text;
};

/// Returns the jobs, or the problem with a `.ptxray` file or an option.
Expected<std::vector<CheckJob>> findJobs(const Arguments &arguments, const CheckTask &task,
                                         Configuration &configuration);

/// The inputs. Without operands, those in the working folder.
struct FoundInputs {
  std::vector<Input> all;
  std::string problem; // with a `.ptxray` file
};
FoundInputs inputsOf(const Arguments &arguments, Configuration &configuration);

} // namespace ptxray
