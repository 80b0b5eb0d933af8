#include "Format/Format.h"
#include "Format/Bounds.h"
#include "Source/Foreign.h"

namespace ptxray {

std::string applied(const Formatting &formatting, llvm::StringRef text, const FormatOptions &options) {
  const SpaceWriter writer(text, options);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  uint32_t at = 0;
  for (const Respacing &change : formatting.changes) {
    out += text.slice(at, change.range.begin);
    writer.append(out, change.space);
    at = change.range.end;
  }
  return out += text.drop_front(at);
}

std::vector<Edit> editsOf(const Formatting &formatting, llvm::StringRef text, const FormatOptions &options) {
  const SpaceWriter writer(text, options);
  std::vector<Edit> edits;
  edits.reserve(formatting.changes.size());
  for (const Respacing &change : formatting.changes) {
    std::string space;
    writer.append(space, change.space);
    edits.push_back({change.range, std::move(space)});
  }
  return edits;
}

static constexpr Range everything{0, UINT32_MAX};

/// Returns the range from the beginning of the first line to the end of the last one.
static Range rangeOf(const SourceBuffer &source, LineSpan lines) {
  const uint32_t size = source.text().size();
  const Range first = source.lineRange(lines.first), last = source.lineRange(lines.last);
  return {first == Range() && lines.first > 1 ? size : first.begin, last == Range() ? UINT32_MAX : last.end};
}

/// Returns whether another text has the same tokens and comments.
static bool haveSameWords(llvm::StringRef before, llvm::ArrayRef<Word> words, llvm::StringRef after) {
  WordReader reader(after, /*isFaulty=*/false);
  for (const Word &x : words) {
    const Word y = reader.take();
    if (x.kind != y.kind || x.aside != y.aside || before.slice(x.begin, x.end) != after.slice(y.begin, y.end))
      return false;
    if (x.isToken(TokenKind::EndOfFile))
      return before.substr(x.end) == after.substr(y.end); // the terminator of a C string
  }
  return false;
}

static std::vector<Respacing> layoutOf(llvm::StringRef text, const StatementList &statements,
                                       const FormatOptions &options, const Bounds &bounds) {
  const SpaceWriter writer(text, options);
  Typesetter typesetter(text, writer, bounds);
  for (size_t i = 0; i < statements.size(); ++i)
    typesetter.add(statements[i]);
  return typesetter.take();
}

Formatting formattingOf(const SourceBuffer &source, const FormatOptions &options, LineSpan lines) {
  if (!isSurelyPtx(source.text()))
    return {{}, "it does not begin with `.version`, or is not a text file", {}};
  const ReadText read(source);
  if (read.error)
    return {{}, read.error->message(), read.error->range};
  const bool isWhole = lines.first <= 1 && lines.last == UINT32_MAX;
  const StatementList statements = readStatements(read.text);
  const Bounds bounds = boundsOf(read, statements, isWhole ? everything : rangeOf(source, lines));
  Formatting made = {layoutOf(read.text, statements, options, bounds), {}, {}};
  if (made.changes.empty())
    return made;
  // The scanner reads some bytes beyond the end of a text, which only a buffer provides.
  const auto laidOut = SourceBuffer::fromOwned("", applied(made, read.text, options));
  if (!haveSameWords(read.text, statements.words, laidOut->text()))
    return {{}, "internal error: formatting would change a token; please report this", {}};
  return made;
}

std::string formatted(llvm::StringRef text, const FormatOptions &options, LineSpan lines) {
  const std::unique_ptr<SourceBuffer> source = SourceBuffer::fromText("", text);
  return applied(formattingOf(*source, options, lines), text, options);
}

} // namespace ptxray
