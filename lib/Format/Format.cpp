#include "Format/Format.h"
#include "Check/Checker.h"
#include "Format/Bounds.h"
#include "Source/Foreign.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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

/// The range from the beginning of the first line to the end of the last.
static Range rangeOf(const SourceBuffer &source, LineSpan lines) {
  const uint32_t size = source.text().size();
  const Range first = source.lineRange(lines.first), last = source.lineRange(lines.last);
  return {first == Range() && lines.first > 1 ? size : first.begin, last == Range() ? UINT32_MAX : last.end};
}

/// Is true if another text has the same tokens and comments.
static bool haveSameWords(llvm::StringRef before, llvm::ArrayRef<Word> words, llvm::StringRef after, bool isFaulty) {
  WordReader reader(after, isFaulty);
  for (const Word &x : words) {
    const Word y = reader.take();
    if (x.kind != y.kind || x.aside != y.aside || before.slice(x.begin, x.end) != after.slice(y.begin, y.end))
      return false;
    if (x.isToken(TokenKind::EndOfFile))
      return before.substr(x.end) == after.substr(y.end); // the terminator of a C string
  }
  return false;
}

namespace {
/// A finding whose place does not depend on white space.
struct Finding {
  DiagId id;
  Kind kind;
  uint32_t place;
  std::vector<std::string> words; // of its arguments and notes
  bool operator==(const Finding &) const = default;
};
} // namespace

static std::string withoutBlanks(llvm::StringRef text) {
  std::string out;
  llvm::copy_if(text, std::back_inserter(out), [](char c) { return !llvm::isSpace(c); });
  return out;
}

static std::vector<Finding> placelessFindings(const SourceBuffer &source) {
  std::vector<Finding> findings;
  uint32_t at = 0, ink = 0;
  for (const Diagnostic &d : findingsIn(source)) { // in the order of the text
    for (; at < d.range.begin; ++at)
      ink += !llvm::isSpace(source.text()[at]);
    Finding &finding = findings.emplace_back(Finding{d.id, d.kind, ink, {}});
    for (const std::string &arg : d.args) // an argument may be text of the source
      finding.words.push_back(withoutBlanks(arg));
    for (const Note &note : d.notes)
      finding.words.push_back(withoutBlanks(note.message));
  }
  return findings;
}

static std::vector<Respacing> layoutOf(llvm::StringRef text, const StatementList &statements,
                                       const FormatOptions &options, const Bounds &bounds) {
  const SpaceWriter writer(text, options);
  Typesetter typesetter(text, writer, bounds);
  for (size_t i = 0; i < statements.size(); ++i)
    typesetter.add(statements[i]);
  return typesetter.take();
}

namespace {

/// A way to lay out a text. How the parser reads a faulty one depends on where its lines end, and which braces of it
/// are meant cannot be known: then there are several to be tried.
struct Way {
  Unit unit;
  bool faultsAreWhole;
};
constexpr Way ways[] = {
    {Unit::Statement, true}, {Unit::Statement, false}, {Unit::Function, true}, {Unit::Function, false}};

struct Attempt {
  Formatting formatting;
  std::unique_ptr<SourceBuffer> result; // none where nothing changes
  bool isSound = false;                 // no token is another, nor, in a faulty text, what a check finds
};

} // namespace

static llvm::ArrayRef<Way> waysFor(const ReadText &read) {
  return llvm::ArrayRef(ways).take_front(read.isFaulty ? 4 : 1);
}

/// `findings` are those of a faulty text.
static Attempt attempt(const ReadText &read, llvm::ArrayRef<Finding> findings, const FormatOptions &options,
                       Range wanted, Way way) {
  Attempt out;
  out.formatting.faults = read.faults;
  const StatementList statements = readStatements(read.text, {read.isFaulty, read.faults, way.faultsAreWhole});
  if (statements.unbalanced) {
    const Unbalanced &what = read.brace.value_or(*statements.unbalanced); // the parser knows better which one is meant
    out.formatting.refusal = what.reason;
    out.formatting.place = what.place;
    return out;
  }
  const Bounds bounds = boundsOf(read, statements, wanted, way.unit);
  out.formatting.changes = layoutOf(read.text, statements, options, bounds);
  out.isSound = out.formatting.changes.empty();
  if (out.isSound)
    return out;
  out.result = SourceBuffer::fromOwned(read.source.name(), applied(out.formatting, read.text, options));
  out.isSound = haveSameWords(read.text, statements.words, out.result->text(), read.isFaulty) &&
                (!read.isFaulty || llvm::ArrayRef(placelessFindings(*out.result)) == findings);
  return out;
}

/// Is true if a text that was laid out stays unchanged when it is laid out again.
static bool isSettled(const SourceBuffer &source, llvm::ArrayRef<Finding> findings, const FormatOptions &options) {
  const ReadText read(source);
  for (Way way : waysFor(read))
    if (const Attempt again = attempt(read, findings, options, everything, way); again.isSound)
      return again.formatting.changes.empty();
  return true;
}

Formatting formattingOf(const SourceBuffer &source, const FormatOptions &options, LineSpan lines) {
  Formatting refused;
  if (!isSurelyPtx(source.text())) {
    refused.refusal = "it does not begin with `.version`, or is not a text";
    return refused;
  }
  const bool isWhole = lines.first <= 1 && lines.last == UINT32_MAX;
  const Range wanted = isWhole ? everything : rangeOf(source, lines);
  const ReadText read(source);
  refused.faults = read.faults;
  refused.place = read.faults.empty() ? Range() : read.faults.front();
  refused.refusal = read.isFaulty ? "another layout would change what its errors of syntax mean"
                                  : "internal error: a token would change; please report it";
  const std::vector<Finding> findings = read.isFaulty ? placelessFindings(source) : std::vector<Finding>();
  for (Way way : waysFor(read)) {
    Attempt made = attempt(read, findings, options, wanted, way);
    if (!made.formatting.refusal.empty())
      refused = std::move(made.formatting);
    const bool mayChangeAgain = read.isFaulty && isWhole && !made.formatting.changes.empty();
    if (made.isSound && !(mayChangeAgain && !isSettled(*made.result, findings, options)))
      return made.formatting;
  }
  return refused;
}

std::string formatted(llvm::StringRef text, const FormatOptions &options, LineSpan lines) {
  const std::unique_ptr<SourceBuffer> source = SourceBuffer::fromText("", text);
  return applied(formattingOf(*source, options, lines), text, options);
}

} // namespace ptxray
