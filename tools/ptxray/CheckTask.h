#pragma once
// The command line of `ptxray check` as a value.
#include "Binary/Binary.h"
#include "Command.h"
#include "Inputs.h"
#include "Progress.h"
#include "Source/Foreign.h"
#include "Workspace/Baseline.h"
#include "Workspace/Config.h"

namespace ptxray {

struct CheckTask {
  Progress::Clock::time_point begin = Progress::Clock::now();
  llvm::StringRef stdinName = "<stdin>";
  bool fix = false, unsafeFixes = false, diff = false;
  std::unique_ptr<Baseline> baseline; // null if there is none
  bool updateBaseline = false;
  std::optional<llvm::StringRef> constraints; // for a fragment
  std::optional<Language> language;           // language of all inputs; empty to use their file names
  std::optional<llvm::StringRef> ptxas;       // set to run ptxas as well; empty for the default ptxas
  ReadLimits limits;
  unsigned threads = 1;
};

/// Returns the parsed options, or the problem: conflicting options, an invalid value, or an unreadable baseline.
Expected<CheckTask> readTask(const Arguments &arguments);

/// Returns the options of the command line, which override those of `.ptxray` files.
Configuration configurationOf(const Arguments &arguments);

} // namespace ptxray
