// Reads any bytes as a source of each language. Finding its assembly, checking it, and printing the report must end
// without a fault, and every position must lie in the source. If the input has a line `==== source`, the text before it
// is PTX that was compiled from the source after it, in which findings are then shown.
#include "Check/Checker.h"
#include "Inline/PutBack.h"
#include "Render/Render.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace ptxray;

static void requireInside(Range range, size_t size) {
  if (range.begin > range.end || range.end > size) {
    llvm::errs() << "a place outside of the source: " << range.begin << " to " << range.end << '\n';
    std::abort();
  }
}

static void requirePlacesInside(const FileReport &report) {
  const size_t size = report.source->text().size();
  for (const Diagnostic &d : report.diagnostics) {
    requireInside(d.range, size);
    for (const Note &note : d.notes)
      requireInside(note.range.value_or(Range()), size);
    if (d.fix)
      for (const Edit &edit : d.fix->edits)
        requireInside(edit.range, size);
  }
}

static std::string makeSourceFile() {
  llvm::SmallString<64> path;
  if (llvm::sys::fs::createTemporaryFile("fuzz-inline", "cu", path))
    std::abort();
  return std::string(path);
}

static void putBackInto(llvm::StringRef source, llvm::StringRef ptx) {
  static const std::string path = makeSourceFile();
  std::error_code problem;
  llvm::raw_fd_ostream(path, problem) << source;
  FileReport report;
  report.path = "input.ptx";
  report.source = SourceBuffer::fromText(report.path, ptx);
  report = Checker().check(std::move(report), Language::Ptx, CheckOptions());
  for (const FileReport &original : putBack(report, {path}))
    requirePlacesInside(original);
  requirePlacesInside(report);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  const auto [ptx, original] = text.split("\n==== source\n");
  if (ptx.size() < text.size()) {
    putBackInto(original, ptx);
    return 0;
  }
  constexpr Language languages[] = {Language::Cuda, Language::Python, Language::Llvm, Language::Rust};
  for (const Language language : languages) {
    FileReport report;
    report.path = "input";
    report.source = SourceBuffer::fromText(report.path, text);
    CheckOptions options;
    options.pedantic = size % 2;
    options.target = size % 3 ? "" : "sm_90a";
    report = Checker(size % 5 ? Expansions::Left : Expansions::Told).check(std::move(report), language, options);
    requirePlacesInside(report);
    for (const InlineSummary::Skipped &one : report.inlined->skipped)
      requireInside(one.range, size);
    std::string printed;
    llvm::raw_string_ostream out(printed);
    for (const Format &format : formats)
      format.file(report, RenderOptions(), out);
  }
  return 0;
}
