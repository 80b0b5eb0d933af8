#include "Inline/PutBack.h"
#include "Inline/Compiled.h"
#include "Inline/Language.h"
#include "Inline/Readers.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <deque>
#include <filesystem>

namespace ptxray {

using llvm::StringRef;

namespace {

/// A source that may contain the statements. It is read on demand.
struct OriginalSource {
  std::string path;
  bool isRead = false;
  std::unique_ptr<SourceBuffer> buffer; // null if it cannot be read
  InlineText text;
  FileReport report;
  llvm::StringSet<> told;

  void read();
};

/// The location of a compiled statement in its source.
struct Written {
  OriginalSource *source = nullptr;
  const InlineStatement *statement = nullptr;
  Alignment alignment;
  std::optional<Note> other; // another location with the same text
};

class Return {
public:
  Return(FileReport &report, llvm::ArrayRef<std::string> paths)
      : report(report), compiled(readCompiled(report.source->text())), written(compiled.size()),
        isLookedFor(compiled.size()) {
    for (const CompiledStatement &one : compiled)
      if (!one.path.empty())
        source(one.path);
    for (const std::string &path : paths)
      source(path);
  }
  std::vector<FileReport> run();

private:
  OriginalSource &source(const std::string &path);
  bool runsInto(const CompiledStatement &one, uint32_t place) const;
  const CompiledStatement *statementOf(Range range, bool &isAfter) const;
  const Written *writtenOf(const CompiledStatement &one);
  std::optional<Written> findByPlace(const CompiledStatement &one);
  std::optional<Written> findByText(const CompiledStatement &one);
  StringRef body(const CompiledStatement &one) const { return report.source->text(one.body); }
  bool move(const Diagnostic &d);
  std::optional<Range> placeOf(Range range, const CompiledStatement &one, const Written &where, bool mustBeExact) const;
  std::optional<Fix> put(const Fix &fix, const CompiledStatement &one, const Written &where) const;
  Diagnostic put(const Diagnostic &d, const CompiledStatement &one, const Written &where, bool isAfter) const;
  void noteStatement(Diagnostic &d) const;

  FileReport &report;
  const std::vector<CompiledStatement> compiled;
  std::deque<OriginalSource> sources;
  std::vector<std::optional<Written>> written; // indexed by compiled statement
  std::vector<bool> isLookedFor;
};

} // namespace

void OriginalSource::read() {
  if (std::exchange(isRead, true))
    return;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) // other kinds of files might never end
    return;
  Expected<std::unique_ptr<SourceBuffer>> opened = SourceBuffer::open(path);
  if (!opened)
    return;
  buffer = std::move(*opened);
  const Language language = languageOf(path);
  text = readSource(*buffer, language == Language::Ptx ? Language::Cuda : language, path, Headers::First);
}

OriginalSource &Return::source(const std::string &path) {
  const auto known = llvm::find_if(sources, [&](const OriginalSource &s) { return s.path == path; });
  if (known != sources.end())
    return *known;
  return sources.emplace_back(OriginalSource{path, false, nullptr, {}, {}, {}});
}

/// Returns whether the text of a statement ends before its last instruction does, and only comments separate it from
/// the location.
bool Return::runsInto(const CompiledStatement &one, uint32_t place) const {
  const StringRef last = body(one).rtrim().take_back(1);
  if (last.empty() || last == ";" || last == "}")
    return false;
  llvm::SmallVector<StringRef> lines;
  report.source->text().slice(one.body.end, place).split(lines, '\n');
  return llvm::all_of(lines, [](StringRef line) {
    line = line.trim();
    return line.empty() || line.starts_with("//") || line.starts_with(".loc");
  });
}

/// Returns the statement that contains the range, or that continues into it.
const CompiledStatement *Return::statementOf(Range range, bool &isAfter) const {
  const auto next = llvm::upper_bound(compiled, range.begin,
                                      [](uint32_t at, const CompiledStatement &one) { return at < one.body.begin; });
  isAfter = false;
  if (next == compiled.begin())
    return nullptr;
  const CompiledStatement &one = next[-1];
  const bool isInside = range.begin < one.body.end;
  const CompiledStatement *before = !isInside ? &one : next - 1 == compiled.begin() ? nullptr : &next[-2];
  isAfter = before && runsInto(*before, range.begin);
  return isAfter ? before : isInside ? &one : nullptr;
}

std::optional<Written> Return::findByPlace(const CompiledStatement &one) {
  if (one.path.empty() || !one.line)
    return std::nullopt;
  OriginalSource &from = source(one.path);
  from.read();
  if (!from.buffer)
    return std::nullopt;
  const Range line = from.buffer->lineRange(one.line);
  const uint32_t at = std::min(line.begin + (one.column ? one.column - 1 : 0), line.end);
  std::optional<Written> found;
  for (const InlineStatement &statement : from.text.statements) {
    const bool isHere = one.column ? statement.place.begin <= at && at < statement.place.end
                                   : statement.place.begin <= line.end && line.begin < statement.place.end;
    if (!isHere)
      continue;
    if (std::optional<Alignment> alignment = Alignment::of(body(one), statement))
      found = Written{&from, &statement, std::move(*alignment), {}};
    if (found && statement.place.begin == at)
      break;
  }
  return found;
}

/// Finds a statement with that text, regardless of its location. If there are several, returns the first.
std::optional<Written> Return::findByText(const CompiledStatement &one) {
  std::optional<Written> found;
  for (OriginalSource &from : sources) {
    from.read();
    for (const InlineStatement &statement : from.text.statements) {
      if (found && found->source == &from && found->statement->place.begin == statement.place.begin)
        continue;
      std::optional<Alignment> alignment = Alignment::of(body(one), statement);
      if (!alignment)
        continue;
      if (found) {
        const LineColumn place = from.buffer->lineColumn(statement.place.begin);
        found->other = Note{"the same text is in " + from.path + ":" + std::to_string(place.line) +
                                "; `-lineinfo` tells them apart",
                            {}};
        return found;
      }
      found = Written{&from, &statement, std::move(*alignment), {}};
    }
  }
  return found;
}

const Written *Return::writtenOf(const CompiledStatement &one) {
  const size_t index = &one - compiled.data();
  if (!isLookedFor[index]) {
    isLookedFor[index] = true;
    written[index] = findByPlace(one);
    if (!written[index])
      written[index] = findByText(one);
  }
  return written[index] ? &*written[index] : nullptr;
}

/// Replaces the text of operands by their names in the template.
static std::string withOperandNames(StringRef text, const llvm::StringMap<std::string> &operands) {
  std::string out;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%'; };
  while (!text.empty()) {
    const StringRef word = text.take_while(isWord);
    const auto operand = word.starts_with("%") ? operands.find(word) : operands.end();
    out += operand == operands.end() ? word.str() : operand->second;
    text = text.drop_front(word.size());
    const StringRef between = text.take_until(isWord);
    out += between;
    text = text.drop_front(between.size());
  }
  return out;
}

/// Returns the last word of a template.
static Range lastWord(StringRef text) {
  const StringRef trimmed = text.rtrim();
  const size_t begin = trimmed.find_last_of(" \t\n{};,") + 1;
  return {narrow<uint32_t>(begin), narrow<uint32_t>(trimmed.size())};
}

/// Returns the location in the source of a part of a compiled statement. An empty part follows the preceding character.
std::optional<Range> Return::placeOf(Range range, const CompiledStatement &one, const Written &where,
                                     bool mustBeExact) const {
  const MappedText &text = where.statement->text;
  const bool isEmpty = range.size() == 0;
  if (range.begin < one.body.begin + isEmpty || range.begin >= one.body.end + isEmpty)
    return std::nullopt;
  const uint32_t begin = range.begin - one.body.begin - isEmpty;
  const Range part = where.alignment.inTemplate({begin, range.end - one.body.begin});
  if (part.size() == 0 || (mustBeExact && (part.size() != range.size() + isEmpty || !text.isExact(part))))
    return std::nullopt;
  const Range place = text.placeOf(part);
  return isEmpty ? Range{place.end, place.end} : place;
}

/// Maps a fix to the source. Returns nothing if an edit affects text that macros or operands changed.
std::optional<Fix> Return::put(const Fix &fix, const CompiledStatement &one, const Written &where) const {
  Fix moved = fix;
  for (Edit &edit : moved.edits) {
    const StringRef replacement = edit.text;
    const std::optional<Range> place = placeOf(edit.range, one, where, /*mustBeExact=*/true);
    if (!place || replacement.find_first_of("\"\\\n%$") != StringRef::npos)
      return std::nullopt;
    edit.range = *place;
  }
  return moved;
}

Diagnostic Return::put(const Diagnostic &d, const CompiledStatement &one, const Written &where, bool isAfter) const {
  const MappedText &text = where.statement->text;
  Diagnostic moved = d;
  const std::optional<Range> place =
      isAfter ? text.placeOf(lastWord(text.text())) : placeOf(d.range, one, where, /*mustBeExact=*/false);
  moved.range = place ? *place : where.statement->keyword;
  for (std::string &argument : moved.args)
    argument = withOperandNames(argument, where.alignment.operands());
  moved.notes.clear();
  for (const Note &note : d.notes)
    if (!note.range)
      moved.notes.push_back(note);
    else if (const std::optional<Range> there = placeOf(*note.range, one, where, /*mustBeExact=*/false))
      moved.notes.push_back({note.message, there});
  moved.fix = d.fix ? put(*d.fix, one, where) : std::nullopt;
  if (where.other)
    moved.notes.push_back(*where.other);
  const std::string line = std::to_string(report.source->lineColumn(d.range.begin).line);
  moved.notes.push_back(
      {"line " + line + " of the PTX" + (one.function.empty() ? "" : ", in `" + one.function + "`"), {}});
  return moved;
}

/// Moves a diagnostic to its source. Returns false if it stays.
bool Return::move(const Diagnostic &d) {
  bool isAfter = false;
  const CompiledStatement *one = statementOf(d.range, isAfter);
  const Written *where = one ? writtenOf(*one) : nullptr;
  if (!where)
    return false;
  OriginalSource &source = *where->source;
  Diagnostic moved = put(d, *one, *where, isAfter);
  // Report only once: every copy of a statement has the fault.
  const std::string key = std::to_string(moved.range.begin) + moved.ruleText() + moved.message();
  if (source.told.insert(key).second)
    source.report.diagnostics.push_back(std::move(moved));
  return true;
}

void Return::noteStatement(Diagnostic &d) const {
  bool isAfter = false;
  const CompiledStatement *one = statementOf(d.range, isAfter);
  if (!one)
    return;
  std::string where = "in inline asm " + std::to_string(one->number);
  if (!one->function.empty())
    where += " of `" + one->function + "`";
  d.notes.push_back({one->line ? where : where + "; compile with `-lineinfo` to see the location in the source", {}});
}

std::vector<FileReport> Return::run() {
  DiagnosticList staying;
  for (Diagnostic &d : report.diagnostics)
    if (!move(d)) {
      noteStatement(d);
      staying.push_back(std::move(d));
    }
  report.diagnostics = std::move(staying);
  std::vector<FileReport> reports;
  for (OriginalSource &source : sources) {
    if (source.report.diagnostics.empty())
      continue;
    llvm::stable_sort(source.report.diagnostics,
                      [](const Diagnostic &a, const Diagnostic &b) { return a.range.begin < b.range.begin; });
    source.report.path = source.path;
    source.report.source = std::move(source.buffer);
    source.report.ptx = report.ptx;
    source.report.target = report.target;
    reports.push_back(std::move(source.report));
  }
  return reports;
}

bool hasCompiledStatements(StringRef ptx) { return ptx.contains("// begin inline asm"); }

std::vector<FileReport> putBack(FileReport &report, llvm::ArrayRef<std::string> sources) {
  if (!report.source || report.diagnostics.empty() || !hasCompiledStatements(report.source->text()))
    return {};
  return Return(report, sources).run();
}

/// Returns the files of line markers such as `# 12 "file.h" 3`. Files of the compiler and the system, which have a 3,
/// come last.
static std::vector<std::string> filesOfMarkers(StringRef text) {
  std::vector<std::string> own, system;
  llvm::StringSet<> seen;
  for (size_t at = text.starts_with("# ") ? 0 : text.find("\n# "); at != StringRef::npos;
       at = text.find("\n# ", at + 1)) {
    const StringRef line = text.substr(at).ltrim('\n').split('\n').first;
    const auto [path, flags] = line.split('"').second.split('"');
    if (path.empty() || path.starts_with("<") || !seen.insert(path).second)
      continue;
    (flags.contains('3') ? system : own).push_back(path.str());
  }
  llvm::append_range(own, system);
  return own;
}

std::vector<std::string> sourcesOfNvcc(StringRef ptxPath) {
  namespace fs = std::filesystem;
  const fs::path path(ptxPath.str());
  const std::string name = path.filename().string();
  // Match `tmpxft_0000713_00000000-6_kernel.ptx` with `tmpxft_0000713_00000000-7_kernel.cpp1.ii`.
  const size_t dash = name.find('-');
  if (!StringRef(name).starts_with("tmpxft_") || dash == std::string::npos)
    return {};
  const std::string prefix = name.substr(0, dash + 1);
  std::error_code problem;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(path.has_parent_path() ? path.parent_path() : ".", problem)) {
    const std::string other = entry.path().filename().string();
    if (!StringRef(other).starts_with(prefix) || !StringRef(other).ends_with(".cpp1.ii"))
      continue;
    if (const auto text = SourceBuffer::open(entry.path().string()))
      return filesOfMarkers((*text)->text());
  }
  return {};
}

} // namespace ptxray
