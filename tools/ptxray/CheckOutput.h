#pragma once
// How `ptxray check` writes what it finds.
#include "Binaries.h"
#include "Command.h"
#include "Progress.h"
#include "Render/Render.h"
#include <mutex>

namespace ptxray {

/// How the reports are written, and where to.
struct Shown {
  const Format &format;
  RenderOptions rendering;
  bool quiet;
  unsigned mostErrors; // of an input
  llvm::raw_ostream &out;
};

/// `file`: of `--output-file`, null without one.
Shown shownOf(const Arguments &arguments, llvm::raw_ostream *file);

/// What came of one input, to be written.
struct Outcome {
  FileReport report;
  unsigned fixed = 0, accepted = 0;
  std::string diff;
  int verdict = Clean; // of ptxas: an exit status
};

/// A rendered report: text, or of a binary blocks that are folded over its texts.
struct Rendered {
  std::string text;
  std::vector<TextBlock> blocks;
  const OpenBinary *binary = nullptr;
  size_t hidden = 0; // diagnostics after the last error that may be shown
};

/// `wantsDiff`: the changes alone, where the input could be read.
Rendered render(Outcome &outcome, const OpenBinary *binary, bool wantsDiff, const Shown &shown);

/// The rendered reports, written in the order of the inputs as soon as all before them are there.
class OrderedOutput {
public:
  OrderedOutput(size_t count, const Shown &shown, Progress::Clock::time_point begin)
      : progress(count, !shown.quiet, begin), shown(shown), waiting(count) {}

  void put(size_t index, Rendered rendered, const Outcome &outcome);

  Totals totals;
  Progress progress;

private:
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
