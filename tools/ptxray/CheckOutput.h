#pragma once
// Writes the findings of `ptxray check`.
#include "Binaries.h"
#include "Command.h"
#include "Progress.h"
#include "Render/Render.h"
#include <mutex>

namespace ptxray {

/// How and where reports are written.
struct Shown {
  const Format &format;
  RenderOptions rendering;
  bool quiet;
  unsigned mostErrors; // per input
  llvm::raw_ostream &out;
};

/// Returns the output settings. `file` is the output of `--output-file`, or null.
Shown shownOf(const Arguments &arguments, llvm::raw_ostream *file);

/// The result for one input.
struct CheckedInput {
  FileReport report;
  unsigned fixed = 0, accepted = 0;
  std::string diff;
  std::string unwritten; // why the fixed text cannot be written; empty if it can
  int verdict = Clean;   // exit status from ptxas
};

/// Writes reports in the order of the inputs, each as soon as all previous ones are ready.
class OrderedOutput {
public:
  OrderedOutput(size_t count, const Shown &shown, Progress::Clock::time_point begin)
      : progress(count, !shown.quiet, begin), shown(shown), waiting(count) {}

  /// Adds the result of an input. `binary` is the binary that contains it, or null. With `wantsDiff`, only the changes
  /// are written.
  void put(size_t index, CheckedInput outcome, const OpenBinary *binary, bool wantsDiff);

  Totals totals;
  Progress progress;
  bool hasUnwritten = false; // a fixed text could not be written

private:
  /// A rendered report: a text, or blocks that are merged over the modules of a binary.
  struct Rendered {
    std::string text;
    std::vector<TextBlock> blocks;
    const OpenBinary *binary = nullptr;
    std::string complaint;
  };
  void writeReady();
  void write(const std::string &text);

  const Shown &shown;
  std::mutex mutex;
  std::vector<std::optional<Rendered>> waiting;
  size_t next = 0;
  FoldedTexts folded;
  const OpenBinary *folding = nullptr; // the binary whose reports are being merged
  bool anyText = false;
};

} // namespace ptxray
