#include "Check/Suppressions.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static bool isCode(llvm::StringRef line) {
  line = line.ltrim();
  return !line.empty() && !line.starts_with("//");
}

static Range rangeOf(const SourceBuffer &source, llvm::StringRef part) {
  const uint32_t begin = part.begin() - source.text().begin();
  return {begin, begin + static_cast<uint32_t>(part.size())};
}

llvm::StringRef remarkIn(llvm::StringRef comment) {
  comment.consume_back("*/");
  return comment.split(':').second.trim();
}

Range lineSilencedBy(const SourceBuffer &source, Range comment) {
  uint32_t line = source.lineColumn(comment.begin).line;
  const llvm::StringRef text = source.lineText(line);
  const uint32_t last = source.lineColumn(source.text().size()).line;
  if (text.ltrim().begin() == source.text().begin() + comment.begin)
    do
      ++line;
    while (line < last && !isCode(source.lineText(line)));
  return rangeOf(source, source.lineText(line));
}

namespace {

struct Suppression {
  llvm::SmallVector<RuleName, 1> rules; // several for a group or a pattern
  Range word;                           // location of the name in the comment
  Range scope;                          // range in which it suppresses findings
  Range alone; // the whole comment and preceding white space, if the comment names nothing else
  bool used = false;
};

class Reader {
public:
  Reader(const SourceBuffer &source, llvm::ArrayRef<Range> functions, DiagnosticSink &sink)
      : source(source), functions(functions), sink(sink) {}

  void read(Range comment);
  std::vector<Suppression> lines, wholeFunctions;

private:
  Range functionScope(Range comment) const;
  Range rangeOf(llvm::StringRef part) const { return ptxray::rangeOf(source, part); }

  const SourceBuffer &source;
  llvm::ArrayRef<Range> functions;
  DiagnosticSink &sink;
};

/// Returns the function around the comment, or the next one.
Range Reader::functionScope(Range comment) const {
  for (Range function : functions)
    if (comment.begin < function.end)
      return function;
  return {};
}

void Reader::read(Range comment) {
  llvm::StringRef text = remarkIn(source.text(comment));
  if (text == "fmt off" || text == "fmt on") // instruction to the formatter
    return;
  const llvm::StringRef verb = text.take_until([](char c) { return c == ' ' || c == '\t'; });
  const bool function = verb == "ignore-function";
  if (!function && verb != "ignore") {
    sink.report(DiagId::UnknownSuppression, rangeOf(verb),
                "no word `" + verb.str() + "`; expected `ignore` or `ignore-function`");
    return;
  }
  llvm::SmallVector<llvm::StringRef, 4> words;
  text.drop_front(verb.size()).split(words, ',');
  for (llvm::StringRef word : words) {
    word = word.trim();
    const auto [rules, problem] = findRules(word);
    if (rules.empty()) {
      sink.report(DiagId::UnknownSuppression, rangeOf(word.empty() ? verb : word),
                  word.empty() ? "`" + verb.str() + "` must name a rule" : problem);
      continue;
    }
    Suppression &s = (function ? wholeFunctions : lines).emplace_back();
    s.rules = rules;
    s.word = rangeOf(word);
    s.scope = function ? functionScope(comment) : lineSilencedBy(source, comment);
    if (words.size() == 1)
      s.alone = {static_cast<uint32_t>(source.text().take_front(comment.begin).rtrim(" \t").size()), comment.end};
  }
}

bool isActive(RuleName rule, const CheckOptions &options) {
  const RuleLevel level = options.levels.of(rule.id, rule.kind);
  if (level == RuleLevel::Default)
    return options.pedantic || info(rule.id).level != Severity::Pedantic;
  return level != RuleLevel::Off;
}

} // namespace

/// Removes the findings that comments suppress, and reports comments that suppress nothing.
static void applySuppressions(const SourceBuffer &source, llvm::ArrayRef<Range> comments,
                              llvm::ArrayRef<Range> functions, const CheckOptions &options, DiagnosticSink &sink) {
  if (comments.empty())
    return;
  DiagnosticSink complaints;
  Reader reader(source, functions, complaints);
  for (Range comment : comments)
    reader.read(comment);
  auto begins = [](const Suppression &a, const Suppression &b) { return a.scope.begin < b.scope.begin; };
  llvm::stable_sort(reader.lines, begins);
  auto silences = [](Suppression &s, const Diagnostic &d) {
    const bool within = s.scope.begin <= d.range.begin && d.range.begin <= s.scope.end;
    if (!within || llvm::none_of(s.rules, [&](const RuleName &rule) { return rule.covers(d.id, d.kind); }))
      return false;
    s.used = true;
    return true;
  };
  sink.eraseIf([&](const Diagnostic &d) {
    bool silenced = false;
    // Lines do not overlap, so suppressions of the same line are adjacent.
    Suppression key;
    key.scope = d.range;
    auto above = std::upper_bound(reader.lines.begin(), reader.lines.end(), key, begins);
    while (above != reader.lines.begin() && (--above)->scope.end >= d.range.begin)
      silenced |= silences(*above, d);
    for (Suppression &s : reader.wholeFunctions)
      silenced |= silences(s, d);
    return silenced;
  });
  for (std::vector<Suppression> *list : {&reader.lines, &reader.wholeFunctions})
    for (const Suppression &s : *list)
      if (!s.used && llvm::any_of(s.rules, [&](const RuleName &rule) { return isActive(rule, options); })) {
        Diagnostic &d = complaints.report(DiagId::UnusedSuppression, s.word, source.text(s.word));
        if (s.alone.size())
          d.fix = Fix{"remove the comment", {{s.alone, ""}}, /*safe=*/true};
      }
  sink.append(complaints.take());
}

bool isWanted(Diagnostic &diagnostic, const CheckOptions &options) {
  switch (options.levels.of(diagnostic.id, diagnostic.kind)) {
  case RuleLevel::Off: return false;
  case RuleLevel::On: break;
  case RuleLevel::Warning: diagnostic.severity = Severity::Warning; return true;
  case RuleLevel::Error: diagnostic.severity = Severity::Error; return true;
  case RuleLevel::Default:
    if (diagnostic.severity == Severity::Pedantic && !options.pedantic)
      return false;
    if (diagnostic.severity != Severity::Error && options.errorsOnly)
      return false;
  }
  if (options.werror)
    diagnostic.severity = Severity::Error;
  return true;
}

DiagnosticList wantedOf(CheckedText checked, const SourceBuffer &source, const CheckOptions &options) {
  DiagnosticSink sink;
  sink.append(std::move(checked.diagnostics));
  applySuppressions(source, checked.comments, checked.functions, options, sink);
  sink.eraseIf([&](Diagnostic &d) { return !isWanted(d, options); });
  sink.sort();
  return sink.take();
}

} // namespace ptxray
