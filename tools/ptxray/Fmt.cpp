#include "Command.h"
#include "Diff.h"
#include "Files.h"
#include "Format/Format.h"
#include "Inputs.h"
#include "Source/Escape.h"
#include "Source/SourceBuffer.h"
#include "Workspace/Config.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

namespace {

/// The work to do with the texts besides formatting them.
struct FmtTask {
  bool check = false, diff = false, quiet = false;
  LineSpan lines;
  llvm::StringRef stdinName = "<stdin>";
};

struct FmtTotals {
  size_t changed = 0, unchanged = 0, refused = 0, unreadable = 0;
};

} // namespace

static llvm::raw_ostream &complaint(llvm::StringRef path) { return llvm::errs() << "ptxray: " << escaped(path) << ":"; }

/// Reads `FROM:TO`, `FROM:`, or a single line.
static std::optional<LineSpan> readLines(llvm::StringRef written) {
  const auto [from, to] = written.split(':');
  LineSpan lines;
  if (from.getAsInteger(10, lines.first) || lines.first == 0)
    return std::nullopt;
  if (!written.contains(':'))
    lines.last = lines.first;
  else if (!to.empty() && (to.getAsInteger(10, lines.last) || lines.last < lines.first))
    return std::nullopt;
  return lines;
}

/// Returns the lines that the changes affect.
static std::vector<LineChange> lineChanges(const Formatting &formatting, llvm::StringRef text) {
  std::vector<LineChange> changes;
  size_t at = 0, line = 0, newLine = 0; // lines before `at`, in the old text and in the new one
  for (const Respacing &change : formatting.changes) {
    const size_t between = text.slice(at, change.range.begin).count('\n');
    line += between, newLine += between;
    const LineChange lines{line, line + text.slice(change.range.begin, change.range.end).count('\n') + 1, newLine,
                           newLine + change.space.newlines + 1};
    if (!changes.empty() && changes.back().fromEnd > lines.from) {
      changes.back().fromEnd = lines.fromEnd;
      changes.back().toEnd = lines.toEnd;
    } else {
      changes.push_back(lines);
    }
    at = change.range.end;
    line = lines.fromEnd - 1, newLine = lines.toEnd - 1;
  }
  return changes;
}

static void showDiff(llvm::StringRef path, const Formatting &formatting, llvm::StringRef before,
                     llvm::StringRef after) {
  std::vector<LineChange> changes = lineChanges(formatting, before);
  if (!changes.empty()) { // a line end at the end of a text does not begin another line
    changes.back().fromEnd = std::min(changes.back().fromEnd, size_t(before.count('\n') + !before.ends_with("\n")));
    changes.back().toEnd = std::min(changes.back().toEnd, size_t(after.count('\n') + !after.ends_with("\n")));
  }
  llvm::outs() << diffTexts(path, before, after, std::move(changes));
}

static void formatInput(const Input &input, const FormatOptions &options, const FmtTask &task, FmtTotals &totals) {
  const bool isStdin = input.path == "-";
  const std::string path = isStdin ? task.stdinName.str() : input.path;
  const auto opened = input.problem.empty() ? SourceBuffer::open(input.path) : Problem{input.problem};
  if (!opened) {
    complaint(path) << " cannot be read: " << opened.problem() << '\n';
    ++totals.unreadable;
    return;
  }
  const std::unique_ptr<SourceBuffer> &source = *opened;
  const Formatting formatting = formattingOf(*source, options, task.lines);
  if (!formatting.refusal.empty()) {
    const LineColumn place = source->lineColumn(formatting.place.begin);
    complaint(path) << place.line << ':' << place.column << ": not formatted: " << formatting.refusal << '\n';
    ++totals.refused;
  }
  const bool changes = !formatting.changes.empty();
  const std::string text = applied(formatting, source->text(), options);
  if (task.diff) {
    if (changes)
      showDiff(path, formatting, source->text(), text);
  } else if (task.check) {
    if (changes)
      llvm::outs() << escaped(path) << '\n';
  } else if (isStdin) {
    llvm::outs() << text;
  } else if (changes) {
    if (const std::string problem = writeInput(input, text); !problem.empty()) {
      complaint(path) << " cannot be written: " << problem << '\n';
      ++totals.unreadable;
      return;
    }
  }
  if (formatting.refusal.empty())
    ++(changes ? totals.changed : totals.unchanged);
}

static void printSummary(const FmtTotals &totals, const FmtTask &task) {
  auto files = [](size_t count) { return std::to_string(count) + (count == 1 ? " file" : " files"); };
  llvm::errs() << files(totals.changed) << (task.check || task.diff ? " would be changed, " : " changed, ")
               << files(totals.unchanged) << " unchanged\n";
}

static int runFmt(const Arguments &arguments) {
  FmtTask task;
  task.check = arguments.has("--check");
  task.diff = arguments.has("--diff");
  task.quiet = arguments.has("--quiet");
  task.stdinName = arguments.value("--stdin-filename").value_or(task.stdinName);
  if (std::optional<llvm::StringRef> written = arguments.value("--lines")) {
    const std::optional<LineSpan> lines = readLines(*written);
    if (!lines)
      return usageError("`--lines` requires `FROM:TO`, counted from 1, not `" + written->str() + "`");
    task.lines = *lines;
  }
  const std::vector<Input> inputs = findInputs(arguments.operands);
  if (arguments.has("--lines") && inputs.size() != 1)
    return usageError("`--lines` applies to one file only");
  if (!task.check && !task.diff && inputs.size() > 1 && llvm::is_contained(arguments.operands, "-"))
    return usageError("`-` writes to standard output and accepts no other file");
  std::optional<std::string> configFile;
  if (arguments.has("--no-config"))
    configFile = "";
  else if (std::optional<llvm::StringRef> path = arguments.value("--config"))
    configFile = path->str();
  Configuration configuration({}, configFile);
  FmtTotals totals;
  for (const Input &input : inputs) {
    const auto settings = configuration.settingsFor(input.path == "-" ? task.stdinName : input.path);
    if (!settings)
      return usageError(settings.problem());
    if (input.isNamed || !(*settings)->isExcluded)
      formatInput(input, (*settings)->format, task, totals);
  }
  const bool isFilter = arguments.operands == std::vector<llvm::StringRef>{"-"};
  if (!task.quiet && !isFilter && totals.changed + totals.unchanged)
    printSummary(totals, task);
  if (totals.unreadable)
    return BadUsage;
  return totals.refused || ((task.check || task.diff) && totals.changed) ? FoundErrors : Clean;
}

Command fmtCommand() {
  return {.name = "fmt",
          .summary = "format PTX files in place, `*.ptx` below folders, or standard input (-)",
          .syntax = {.operands = "FILE|DIR|-...",
                     .fewest = 1,
                     .most = anyNumber,
                     .options = {{"--check", "", "list the files that would change, without changing them"},
                                 {"--diff", "", "show the changes as a diff, without writing them"},
                                 {"--lines", "FROM:TO", "format only the statements on these lines"},
                                 {"--stdin-filename", "PATH", "name of standard input (-) in messages"},
                                 {"--config", "FILE", "read options from this file instead of the nearest `.ptxray`"},
                                 {"--no-config", "", "read no `.ptxray`"},
                                 {"--quiet", "", "print no summary", "-q"}}},
          .run = runFmt};
}

} // namespace ptxray
