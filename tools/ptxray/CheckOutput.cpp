#include "CheckOutput.h"
#include "Source/Escape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Process.h"
#include <climits>
#include <cstdlib>

namespace ptxray {

/// Returns the address of the rules' pages, from the command line or the environment.
static llvm::StringRef siteOf(const Arguments &arguments) {
  const char *site = std::getenv("PTXRAY_SITE");
  return arguments.value("--site").value_or(site ? site : "");
}

Shown shownOf(const Arguments &arguments, llvm::raw_ostream *file) {
  const llvm::StringRef name = arguments.value("--format").value_or("text");
  const bool quiet = arguments.has("--quiet"), isTerminal = llvm::sys::Process::StandardOutIsDisplayed();
  unsigned mostErrors = UINT_MAX;
  if (const std::optional<llvm::StringRef> most = arguments.value("--max-errors"))
    most->getAsInteger(10, mostErrors);
  return {.format = arguments.has("--statistics")
                        ? statistics
                        : *llvm::find_if(formats, [&](const Format &format) { return format.name == name; }),
          .rendering = {.color = wantsColor(arguments) && (!file || arguments.value("--color") == "always"),
                        .links = !file && wantsLinks(arguments),
                        .summary = quiet        ? Summary::Never
                                   : isTerminal ? Summary::Always
                                                : Summary::IfFound,
                        .fold = !arguments.has("--no-fold"),
                        .site = siteOf(arguments)},
          .quiet = quiet,
          .mostErrors = mostErrors,
          .out = file ? *file : llvm::outs()};
}

/// Removes the diagnostics after the last error that may be shown. Returns how many it removed.
static size_t dropSurplus(FileReport &report, unsigned mostErrors) {
  unsigned errors = 0;
  auto surplus = llvm::find_if(report.diagnostics, [&](const Diagnostic &d) {
    return errors == mostErrors || (errors += d.severity == Severity::Error, false);
  });
  const auto dropped = static_cast<size_t>(std::distance(surplus, report.diagnostics.end()));
  report.diagnostics.erase(surplus, report.diagnostics.end());
  return dropped;
}

void OrderedOutput::put(size_t index, CheckedInput outcome, const OpenBinary *binary, bool wantsDiff) {
  FileReport &report = outcome.report;
  std::unique_lock<std::mutex> lock(mutex);
  totals.add(report);
  totals.fixed += outcome.fixed;
  totals.accepted += outcome.accepted;
  totals.hidden += dropSurplus(report, shown.mostErrors);
  lock.unlock();
  Rendered rendered{outcome.diff, {}, binary, ""};
  if (!outcome.unwritten.empty())
    rendered.complaint = "ptxray: " + escaped(report.path) + ": cannot be written: " + outcome.unwritten + "\n";
  if (binary && shown.rendering.fold && shown.format.name == "text") {
    rendered.blocks = renderBlocks(report, shown.rendering);
  } else if (!wantsDiff || !report.source) {
    llvm::raw_string_ostream stream(rendered.text);
    shown.format.file(report, shown.rendering, stream);
  }
  lock.lock();
  waiting[index] = std::move(rendered);
  writeReady();
}

void OrderedOutput::writeReady() {
  for (; next < waiting.size() && waiting[next]; ++next) {
    Rendered ready = std::move(*std::exchange(waiting[next], Rendered()));
    if (folding && folding != ready.binary)
      write(folded.take());
    folding = ready.binary;
    folded.add(std::move(ready.blocks));
    write(ready.text);
    if (!ready.complaint.empty()) {
      progress.clear();
      llvm::errs() << ready.complaint;
      hasUnwritten = true;
    }
  }
  if (next == waiting.size())
    write(folded.take());
  progress.show(totals.files, totals.errors);
}

void OrderedOutput::write(const std::string &text) {
  if (text.empty())
    return;
  progress.clear();
  if (std::exchange(anyText, true))
    shown.out << shown.format.separator;
  shown.out << text;
  if (shown.format.flush)
    shown.out.flush();
}

} // namespace ptxray
