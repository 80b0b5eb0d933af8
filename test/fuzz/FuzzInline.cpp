// Any bytes as a source of each language: finding its assembly, judging it and printing the report must end without a
// fault, and every place must lie in the source.
#include "Inline/Inline.h"
#include "Render/Render.h"
#include <cstdlib>

using namespace ptxray;

static void requireInside(Range range, size_t size) {
  if (range.begin > range.end || range.end > size) {
    llvm::errs() << "a place outside of the source: " << range.begin << " to " << range.end << '\n';
    std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr Language languages[] = {Language::Cuda, Language::Python, Language::Llvm};
  for (const Language language : languages) {
    FileReport report;
    report.path = "input";
    report.source = SourceBuffer::fromText(report.path, {reinterpret_cast<const char *>(data), size});
    CheckOptions options;
    options.pedantic = size % 2;
    options.target = size % 3 ? "" : "sm_90a";
    InlineChecker(size % 5 == 0).check(report, language, "", options);
    for (const Diagnostic &d : report.diagnostics) {
      requireInside(d.range, size);
      for (const Note &note : d.notes)
        requireInside(note.range.value_or(Range()), size);
      if (d.fix)
        for (const Edit &edit : d.fix->edits)
          requireInside(edit.range, size);
    }
    for (const InlineSummary::Skipped &one : report.inlined->skipped)
      requireInside(one.range, size);
    std::string text;
    llvm::raw_string_ostream out(text);
    for (const Format &format : formats)
      format.file(report, RenderOptions(), out);
  }
  return 0;
}
