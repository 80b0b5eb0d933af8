#include "Workspace/Fixes.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <map>

namespace ptxray {

std::string applyFixes(llvm::StringRef text, const DiagnosticList &diagnostics, bool unsafe, unsigned &made) {
  std::vector<const Edit *> edits;
  auto overlaps = [&edits](const Edit &edit) {
    return llvm::any_of(edits, [&edit](const Edit *other) {
      return edit.range.begin <= other->range.end && other->range.begin <= edit.range.end;
    });
  };
  uint32_t reached = 0; // end of the fixes so far; diagnostics are sorted by location, and fixes nearly so
  for (const Diagnostic &d : diagnostics) {
    if (!d.fix || !(d.fix->safe || unsafe))
      continue;
    const bool ahead = llvm::all_of(d.fix->edits, [&](const Edit &edit) { return edit.range.begin > reached; });
    if (!ahead && llvm::any_of(d.fix->edits, overlaps))
      continue;
    ++made;
    for (const Edit &edit : d.fix->edits) {
      edits.push_back(&edit);
      reached = std::max(reached, edit.range.end);
    }
  }
  llvm::stable_sort(edits, [](const Edit *a, const Edit *b) { return a->range.begin < b->range.begin; });
  std::string out;
  uint32_t at = 0;
  for (const Edit *edit : edits) {
    assert(at <= edit->range.begin && "fixes that overlap others are not made");
    assert(edit->range.begin <= edit->range.end && edit->range.end <= text.size() && "a fix is within the text");
    out += text.slice(at, edit->range.begin);
    out += edit->text;
    at = edit->range.end;
  }
  return out + text.drop_front(at).str();
}

/// Returns the number of errors by rule.
static std::map<DiagId, unsigned> errorsByRule(const FileReport &report) {
  std::map<DiagId, unsigned> errors;
  for (const Diagnostic &d : report.diagnostics)
    if (d.severity == Severity::Error)
      ++errors[d.id];
  return errors;
}

/// Returns whether one report has more errors of some rule than the other.
static bool hasNewErrors(const FileReport &report, const FileReport &before) {
  const std::map<DiagId, unsigned> known = errorsByRule(before);
  return llvm::any_of(errorsByRule(report), [&](const auto &one) {
    const auto found = known.find(one.first);
    return found == known.end() || one.second > found->second;
  });
}

FixRounds fixReport(FileReport &report, bool unsafe, llvm::function_ref<FileReport(FileReport)> check) {
  constexpr unsigned mostRounds = 10;
  FixRounds all;
  while (all.rounds < mostRounds) {
    unsigned made = 0;
    std::string text = applyFixes(report.source->text(), report.diagnostics, unsafe, made);
    if (made == 0)
      break;
    FileReport fixed;
    fixed.path = report.path;
    fixed.source = SourceBuffer::fromOwned(report.source->name(), std::move(text));
    fixed = check(std::move(fixed));
    if (hasNewErrors(fixed, report))
      break;
    all.fixes += made;
    ++all.rounds;
    report = std::move(fixed);
  }
  return all;
}

} // namespace ptxray
