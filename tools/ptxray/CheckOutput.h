#pragma once
// Writes the findings of `ptxray check`.
#include "Binaries.h"
#include "Command.h"
#include "Progress.h"
#include "Render/Render.h"
#include <mutex>

namespace ptxray {

/// These choices say how and where the reports are written.
struct Shown {
  const Format &format;
  RenderOptions rendering;
  bool quiet;
  unsigned mostErrors; // of an input
  llvm::raw_ostream &out;
};

/// `file` is that of `--output-file`, or null.
Shown shownOf(const Arguments &arguments, llvm::raw_ostream *file);

/// The outcome for one input, to be written.
struct CheckedInput {
  FileReport report;
  unsigned fixed = 0, accepted = 0;
  std::string diff;
  std::string unwritten; // why the fixed text cannot be written; empty: it is
  int verdict = Clean;   // of ptxas: an exit status
};

/// Writes reports in the order of the inputs, each as soon as all before it are ready.
class OrderedOutput {
public:
  OrderedOutput(size_t count, const Shown &shown, Progress::Clock::time_point begin)
      : progress(count, !shown.quiet, begin), shown(shown), waiting(count) {}

  /// `binary` is the one that the input is a text of. Of an input that was read, `wantsDiff` selects the changes alone.
  void put(size_t index, CheckedInput outcome, const OpenBinary *binary, bool wantsDiff);

  Totals totals;
  Progress progress;
  bool hasUnwritten = false; // a fixed text could not be written

private:
  /// A rendered report: a text, or, for a binary, blocks that are folded over its texts.
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
  const OpenBinary *folding = nullptr; // whose texts are folded
  bool anyText = false;
};

} // namespace ptxray
