#include "Format/Bounds.h"
#include "Check/Suppressions.h"
#include "Parse/Parse.h"
#include "Source/Foreign.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Returns the lines of a range, without the final newline.
static Range wholeLines(llvm::StringRef text, Range range) {
  const size_t before = text.take_front(range.begin).rfind('\n');
  const auto begin = static_cast<uint32_t>(before == llvm::StringRef::npos ? 0 : before + 1);
  const auto end = static_cast<uint32_t>(std::min(text.find('\n', range.end), text.size()));
  return {begin, std::max(begin, begin + uint32_t(text.slice(begin, end).rtrim('\r').size()))};
}

/// Returns the ranges sorted, with touching ones joined.
static std::vector<Range> joined(std::vector<Range> lines) {
  llvm::sort(lines, [](Range a, Range b) { return a.begin < b.begin; });
  std::vector<Range> joined;
  for (Range range : lines)
    if (!joined.empty() && range.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, range.end);
    else
      joined.push_back(range);
  return joined;
}

ReadText::ReadText(const SourceBuffer &source) : source(source), text(source.text()) {
  Parser parser;
  DiagnosticSink sink;
  parser.stream(source, sink, [](const Ast &, Statement) {});
  const bool hasMark = text.starts_with(byteOrderMark), hasEnd = text.ends_with(llvm::StringRef("", 1));
  // Harmless characters are reported, but do not affect any word.
  const auto isHarmless = [&](const Diagnostic &d) {
    return (hasMark && d.range == Range{0, byteOrderMark.size()}) ||
           (hasEnd && d.range.begin >= text.rtrim('\0').size());
  };
  const auto first = llvm::find_if_not(sink.diagnostics(), isHarmless);
  if (first != sink.diagnostics().end())
    error = *first;
  remarks = parser.comments();
}

/// Finds the lines between `// ptxray: fmt off` and `// ptxray: fmt on`, and lines whose diagnostics a comment
/// suppresses.
static void readRemarks(const ReadText &read, Bounds &bounds) {
  std::optional<uint32_t> off;
  for (Range comment : read.remarks) {
    const llvm::StringRef command = remarkIn(read.source.text(comment));
    if (command == "fmt off" && !off)
      off = comment.begin;
    else if (command == "fmt on" && off)
      bounds.kept.push_back(wholeLines(read.text, {*std::exchange(off, std::nullopt), comment.end}));
    else if (command.starts_with("ignore "))
      bounds.undivided.push_back(lineSilencedBy(read.source, comment));
  }
  if (off)
    bounds.kept.push_back({wholeLines(read.text, {*off, *off}).begin, uint32_t(read.text.size())});
}

/// Returns the protected lines, extended by all statements that are partially on them.
static std::vector<Range> withStatements(llvm::StringRef text, const StatementList &statements,
                                         std::vector<Range> kept) {
  std::vector<Range> all = joined(kept);
  Range group;
  Word last;
  auto next = all.begin();
  auto endGroup = [&] {
    const Range lines = wholeLines(text, group);
    while (next != all.end() && next->end < lines.begin)
      ++next;
    if (next != all.end() && next->begin <= lines.end)
      kept.push_back(lines);
  };
  for (size_t i = 0; i + 1 < statements.size(); ++i) {
    const TextStatement statement = statements[i];
    if (group.end && !text.slice(last.end, statement.words.front().begin).contains('\n')) {
      group.end = statement.range().end;
    } else {
      if (group.end)
        endGroup();
      group = statement.range();
    }
    last = statement.words.back();
  }
  if (group.end)
    endGroup();
  return joined(std::move(kept));
}

Bounds boundsOf(const ReadText &read, const StatementList &statements, Range wanted) {
  Bounds bounds{.wanted = wanted, .kept = {}, .undivided = {}};
  readRemarks(read, bounds);
  bounds.undivided = joined(std::move(bounds.undivided));
  if (!bounds.kept.empty())
    bounds.kept = withStatements(read.text, statements, std::move(bounds.kept));
  return bounds;
}

} // namespace ptxray
