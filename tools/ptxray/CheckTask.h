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
  std::unique_ptr<Baseline> baseline; // null: there is none
  bool updateBaseline = false;
  std::optional<llvm::StringRef> constraints; // of a fragment
  std::optional<Language> language;           // of all inputs; nothing: what their names say
  std::optional<llvm::StringRef> ptxas;       // also asked, if there is a value; empty: the one that is found
  ReadLimits limits;
  unsigned threads = 1;
};

/// The problem is that options cannot be combined, that one has no such value, or that the baseline cannot be read.
Expected<CheckTask> readTask(const Arguments &arguments);

/// Returns the options of the command line, which count after those of `.ptxray` files.
Configuration configurationOf(const Arguments &arguments);

} // namespace ptxray
