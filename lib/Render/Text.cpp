// Writes diagnostics in the style of clang.
#include "Diagnostics/Manual.h"
#include "Render/Render.h"
#include "Source/Counted.h"
#include "Source/Origin.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>

namespace ptxray {

static constexpr size_t widestLine = 120;   // for longer lines, only the part around the caret is displayed
static constexpr size_t contextBefore = 40; // bytes kept before the caret in a truncated line
static constexpr unsigned tabStop = 8;
static constexpr size_t fewestFolded = 4; // fewer similar diagnostics are all displayed
static constexpr size_t linesNamed = 6;

namespace {

/// Diagnostics that are represented by a similar one.
struct Alike {
  size_t count = 0;
  std::vector<uint32_t> lines; // the first lines to list, and the last line
};

enum class Style { Plain, Bold, Error, Warning, Note, Caret };

/// The displayed part of a line: all of it, or the part around the caret.
struct Excerpt {
  uint32_t number;
  llvm::StringRef line;
  size_t from, to; // offsets in bytes

  llvm::StringRef dotsBefore() const { return from > 0 ? "..." : ""; }
  llvm::StringRef dotsAfter() const { return to < line.size() ? "..." : ""; }
  std::string margin() const { return std::string(std::max<size_t>(5, std::to_string(number).size()), ' '); }
};

/// A line in displayed form, with tildes under the marked bytes.
struct MarkedText {
  std::string text, marks;
  size_t columns = 0; // width of the text
};

struct TextRenderer {
  const FileReport &report;
  const RenderOptions &options;
  llvm::raw_ostream &out;
  std::optional<OriginTable> origins = std::nullopt;

  void styled(Style style, llvm::StringRef text);
  void head(std::optional<Range> range, Style style, llvm::StringRef kind, llvm::StringRef message, llvm::StringRef id);
  void snippet(Range range, const Fix *fix);
  void replacement(const Excerpt &shown, const Fix &fix);
  void manual(llvm::StringRef numbers);
  void diagnostic(const Diagnostic &d, const Alike &alike);
  void notes(const Diagnostic &d);
};

} // namespace

void TextRenderer::styled(Style style, llvm::StringRef text) {
  static constexpr llvm::StringLiteral codes[] = {"",           "\033[1m",    "\033[1;31m",
                                                  "\033[1;35m", "\033[1;36m", "\033[1;32m"};
  if (!options.color || style == Style::Plain)
    out << text;
  else
    out << codes[static_cast<size_t>(style)] << text << "\033[0m";
}

void TextRenderer::head(std::optional<Range> range, Style style, llvm::StringRef kind, llvm::StringRef message,
                        llvm::StringRef id) {
  std::string place = escaped(nameOf(report)) + ":";
  if (range && report.source) {
    const LineColumn at = report.source->lineColumn(range->begin);
    place += std::to_string(at.line) + ":" + std::to_string(at.column) + ":";
  }
  styled(Style::Bold, place);
  out << ' ';
  styled(style, (kind + ":").str());
  out << ' ';
  styled(style == Style::Note ? Style::Plain : Style::Bold, escaped(message));
  if (const std::string page = options.links && !id.empty() ? pageOfRule(options, id) : ""; !page.empty())
    out << " [\033]8;;" << page << "\033\\" << id << "\033]8;;\033\\]";
  else if (!id.empty())
    out << " [" << id << ']';
  out << '\n';
}

static Excerpt excerptAround(llvm::StringRef line, uint32_t number, size_t begin) {
  if (line.size() <= widestLine)
    return {number, line, 0, line.size()};
  const size_t from = begin > contextBefore ? begin - contextBefore : 0;
  return {number, line, from, std::min(line.size(), from + widestLine)};
}

/// Returns the end of the character that begins at a byte. Bytes of one character are escaped together.
static size_t endOfCharacter(llvm::StringRef line, size_t at, size_t limit) {
  size_t end = at + 1;
  while (end < limit && (line[end] & 0xC0) == 0x80 && (line[at] & 0x80))
    ++end;
  return end;
}

static MarkedText marked(const Excerpt &shown, size_t begin, size_t end) {
  MarkedText result;
  result.text = shown.dotsBefore();
  result.columns = result.text.size();
  for (size_t at = shown.from, next = at; at < shown.to; at = next) {
    const size_t column = result.columns;
    next = endOfCharacter(shown.line, at, shown.to);
    const bool isTab = shown.line[at] == '\t';
    const std::string character =
        isTab ? std::string(tabStop - column % tabStop, ' ') : escaped(shown.line.slice(at, next));
    result.text += character;
    result.columns +=
        isTab ? character.size() : static_cast<size_t>(std::max(0, llvm::sys::unicode::columnWidthUTF8(character)));
    if (next > begin && next <= std::max(end, begin + 1)) {
      result.marks.resize(std::max(result.marks.size(), column), ' ');
      result.marks.resize(result.columns, '~');
    }
  }
  result.text += shown.dotsAfter();
  return result;
}

/// Returns the marks with a caret at their beginning, or after the line if nothing is marked.
static std::string withCaret(const MarkedText &marked, bool isPoint) {
  const size_t caret = marked.marks.find('~');
  if (caret == std::string::npos)
    return std::string(marked.columns, ' ') + '^';
  std::string marks = isPoint ? marked.marks.substr(0, caret + 1) : marked.marks;
  marks[caret] = '^';
  return marks;
}

/// Prints the source line with a caret and tildes under the range. Below them, prints the text that a fix would insert.
void TextRenderer::snippet(Range range, const Fix *fix) {
  const SourceBuffer &source = *report.source;
  const LineColumn at = source.lineColumn(range.begin);
  const llvm::StringRef line = source.lineText(at.line);
  const size_t begin = std::min<size_t>(at.column - 1, line.size());
  const size_t end = std::clamp<size_t>(begin + range.size(), begin, line.size());
  const Excerpt shown = excerptAround(line, at.line, begin);
  const MarkedText text = marked(shown, begin, end);
  out << llvm::right_justify(std::to_string(at.line), shown.margin().size()) << " | " << text.text << '\n';
  out << shown.margin() << " | ";
  styled(Style::Caret, withCaret(text, range.size() == 0));
  out << '\n';
  if (fix && fix->edits.size() == 1 && !fix->edits[0].text.empty())
    replacement(shown, *fix);
}

void TextRenderer::replacement(const Excerpt &shown, const Fix &fix) {
  const Edit &edit = fix.edits[0];
  const LineColumn place = report.source->lineColumn(edit.range.begin);
  if (place.line != shown.number || place.column - 1 < shown.from || place.column - 1 > shown.to)
    return;
  std::string before = shown.dotsBefore().str();
  for (const char c : shown.line.slice(shown.from, place.column - 1)) {
    if (c == '\t')
      before.append(tabStop - before.size() % tabStop, ' ');
    else if (llvm::isPrint(c))
      before += ' ';
    else
      return; // escapes shift the columns, and the line "fix:" is sufficient
  }
  out << shown.margin() << " | " << before;
  const llvm::StringRef text = edit.text;
  styled(Style::Caret, escaped(text.contains('\n') ? text.trim() : text)); // a separate line is displayed as its words
  out << '\n';
}

/// Prints the sections of the manual, with a link to the first.
void TextRenderer::manual(llvm::StringRef numbers) {
  const ManualSection *section = findManualSection(numbers);
  const bool isLink = options.links && section;
  if (isLink)
    out << "\033]8;;" << section->url() << "\033\\";
  out << "manual " << numbers << " of " << (section ? "PTX " + manualVersion.str() : "a later PTX");
  if (isLink)
    out << "\033]8;;\033\\";
}

void TextRenderer::diagnostic(const Diagnostic &d, const Alike &alike) {
  static constexpr Style styles[] = {Style::Error, Style::Warning, Style::Warning};
  const llvm::StringRef margin = "      ";
  if (!report.source) {
    head(std::nullopt, Style::Error, "error", d.message(), d.ruleText());
    return;
  }
  head(d.range, styles[static_cast<size_t>(d.severity)], severityName(d.severity), d.message(), d.ruleText());
  snippet(d.range, d.fix ? &*d.fix : nullptr);
  for (const Note &note : d.notes)
    if (!note.range)
      out << margin << "note: " << escaped(note.message) << '\n';
  if (d.fix)
    out << margin << (d.fix->safe || d.severity != Severity::Error ? "fix: " : "guess: ") << escaped(d.fix->title)
        << '\n';
  if (!origins && !report.inlined)
    origins.emplace(*report.source);
  if (std::optional<Origin> origin = origins ? origins->at(d.range.begin) : std::nullopt)
    out << margin << "from: " << escaped(origin->path) << ':' << origin->line << '\n';
  if (!d.spec.manual.empty() || !d.spec.file.empty()) {
    out << margin << "see: ";
    if (!d.spec.manual.empty()) {
      manual(d.spec.manual);
      out << (d.spec.file.empty() ? "" : ", ");
    }
    if (!d.spec.file.empty())
      out << d.spec.file << ':' << d.spec.line;
    out << '\n';
  }
  if (const llvm::ArrayRef<uint32_t> lines = alike.lines; alike.count) {
    out << margin << "and " << alike.count << " more like it, in line" << (lines.size() == 1 ? " " : "s ");
    llvm::interleaveComma(lines.take_front(linesNamed), out);
    if (lines.size() > linesNamed)
      out << ", ... " << lines.back();
    out << " (" << options.unfolding << " shows all)\n";
  }
}

/// Prints the notes of a diagnostic.
void TextRenderer::notes(const Diagnostic &d) {
  for (const Note &note : d.notes)
    if (note.range) {
      head(note.range, Style::Note, "note", note.message, "");
      snippet(*note.range, nullptr);
    }
}

/// Computes the key for similar diagnostics. Two diagnostics are similar if their rules and messages are equal except
/// for the numbers of registers and labels (`%r12`, `$L__BB0_3`).
static void readShape(const Diagnostic &d, llvm::SmallVectorImpl<char> &key) {
  key.clear();
  key.push_back(static_cast<char>(d.severity));
  llvm::append_range(key, info(d.id).id);
  key.push_back(static_cast<char>(d.kind));
  for (llvm::StringRef arg : d.args) {
    key.push_back('\0');
    const bool name = arg.starts_with("%") || arg.starts_with("$");
    if (name)
      llvm::copy_if(arg, std::back_inserter(key), [](char c) { return !llvm::isDigit(c); });
    else
      llvm::append_range(key, arg);
  }
}

/// Prints one line per function, with columns as wide as their contents.
static void resources(llvm::ArrayRef<FunctionResources> functions, llvm::raw_ostream &out) {
  if (functions.empty())
    return;
  std::vector<std::vector<std::string>> rows{
      {"function", "registers", "barriers", "shared", "stack", "spill stores", "spill loads", "constant"}};
  for (const FunctionResources &f : functions) {
    uint64_t constant = 0;
    for (const auto &[bank, bytes] : f.constantBytes)
      constant += bytes;
    std::vector<std::string> &row = rows.emplace_back();
    row.push_back(escaped(f.name));
    for (uint64_t amount :
         {f.registers, f.barriers, f.sharedBytes, f.stackBytes, f.spillStoreBytes, f.spillLoadBytes, constant})
      row.push_back(std::to_string(amount));
  }
  std::vector<size_t> widths(rows.front().size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto &row : rows) {
    out << llvm::left_justify(row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i)
      out << "  " << llvm::right_justify(row[i], widths[i]);
    out << '\n';
  }
}

std::vector<TextBlock> renderBlocks(const FileReport &report, const RenderOptions &options) {
  std::string shown;
  llvm::raw_string_ostream out(shown);
  TextRenderer text{report, options, out};
  const DiagnosticList &all = report.diagnostics;
  llvm::StringMap<std::vector<size_t>> alike;
  std::vector<std::vector<size_t> *> group(all.size());
  llvm::SmallString<128> key;
  for (size_t i = 0; options.fold && i < all.size(); ++i) {
    readShape(all[i], key);
    group[i] = &alike[key];
    group[i]->push_back(i);
  }
  std::vector<TextBlock> blocks;
  for (size_t i = 0; i < all.size(); ++i) {
    Alike alike;
    if (group[i] && group[i]->size() >= fewestFolded && report.source) {
      if (group[i]->front() != i)
        continue;
      const auto others = llvm::ArrayRef(*group[i]).drop_front();
      alike.count = others.size();
      for (size_t other : others)
        if (alike.lines.size() <= linesNamed || other == others.back())
          if (const uint32_t line = report.source->lineColumn(all[other].range.begin).line;
              alike.lines.empty() || alike.lines.back() != line)
            alike.lines.push_back(line);
    }
    TextBlock &block = blocks.emplace_back();
    readShape(all[i], key);
    block.key = key.str().str();
    block.count += alike.count;
    text.diagnostic(all[i], alike);
    block.before = std::exchange(shown, "");
    if (report.source)
      text.notes(all[i]);
    block.behind = std::exchange(shown, "");
  }
  return blocks;
}

void renderText(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out) {
  for (const TextBlock &block : renderBlocks(report, options))
    out << block.before << block.behind;
  if (report.inlined)
    for (const InlineSummary::Expansion &one : report.inlined->expansions) {
      out << escaped(report.path) << ':' << report.source->lineColumn(one.range.begin).line << ": judged as\n";
      llvm::SmallVector<llvm::StringRef> lines;
      llvm::StringRef(one.text).rtrim().split(lines, '\n');
      for (llvm::StringRef line : lines)
        out << "      " << escaped(line) << '\n';
    }
  if (!report.functions.empty())
    out << "ptxas " << report.compiler.release << " (" << escaped(report.compiler.path) << ")\n";
  resources(report.functions, out);
}

void FoldedTexts::add(std::vector<TextBlock> blocks) {
  const size_t before = shown.size();
  llvm::StringMap<bool> counted; // distinct texts
  for (TextBlock &block : blocks) {
    const auto [found, isNew] = known.try_emplace(block.key, shown.size());
    // Similar diagnostics in one module are already folded there, or displayed.
    if (isNew || found->second >= before) {
      shown.push_back({std::move(block)});
      continue;
    }
    Shown &first = shown[found->second];
    first.more += block.count;
    first.texts += counted.try_emplace(block.key, true).second;
  }
}

std::string FoldedTexts::take() {
  std::string text;
  for (const Shown &one : shown) {
    text += one.block.before;
    if (one.texts)
      text += "      and " + std::to_string(one.more) + " more like it in " + counted(one.texts, "other text") +
              " of this file (--no-fold shows all)\n";
    text += one.block.behind;
  }
  shown.clear();
  known.clear();
  return text;
}

/// Prints the totals: `3128 statements in 77 files, 3 skipped (2 with #if inside, 1 ...)`.
static void endInline(const Totals &totals, llvm::raw_ostream &out) {
  out << counted(totals.statements, "statement") << " in " << counted(totals.sources, "file");
  unsigned skipped = 0;
  for (const auto &[reason, count] : totals.skipped)
    skipped += count;
  if (skipped) {
    out << ", " << skipped << " skipped (";
    llvm::interleaveComma(totals.skipped, out, [&](const auto &one) { out << one.second << ' ' << one.first; });
    out << ')';
  }
  out << '\n';
}

void endText(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out) {
  llvm::SmallVector<std::string, 4> parts;
  if (totals.errors)
    parts.push_back(counted(totals.errors, "error"));
  if (totals.warnings)
    parts.push_back(counted(totals.warnings, "warning"));
  if (totals.fixed)
    parts.push_back(std::to_string(totals.fixed) + " fixed");
  if (totals.accepted)
    parts.push_back(std::to_string(totals.accepted) + " accepted by the baseline");
  if (totals.dead)
    parts.push_back(totals.dead == 1 ? "1 entry of the baseline matches nothing"
                                     : std::to_string(totals.dead) + " entries of the baseline match nothing");
  const bool shown = options.summary == Summary::Always || !parts.empty();
  if (options.summary == Summary::Never || !shown)
    return;
  if (parts.empty() && !totals.unreadable && !totals.entries && !totals.statements) {
    out << counted(totals.files, "file") << ", no errors\n";
    return;
  }
  if (totals.statements)
    endInline(totals, out);
  if (parts.empty())
    parts.push_back(totals.unreadable ? "nothing else found" : "nothing found");
  out << llvm::join(parts, ", ");
  if (totals.entries)
    out << " in " << counted(totals.files + totals.entries, "text");
  else if (totals.files > 1 || options.summary == Summary::Always)
    out << " in " << counted(totals.files, "file");
  if (totals.fixable)
    out << " (--fix corrects " << totals.fixable;
  if (totals.unsafe)
    out << (totals.fixable ? ", " : " (") << "--unsafe-fixes corrects " << totals.unsafe
        << (totals.fixable ? " more" : "");
  if (totals.fixable || totals.unsafe)
    out << ')';
  if (totals.hidden)
    out << " (" << totals.hidden << " not shown, by --max-errors)";
  out << '\n';
}

void endStatistics(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out) {
  std::vector<std::pair<DiagId, unsigned>> rows;
  for (const auto &[id, total] : totals.rules)
    rows.emplace_back(id, total.count);
  llvm::stable_sort(rows, [](const auto &a, const auto &b) { return a.second > b.second; });
  for (const auto &[id, count] : rows)
    out << llvm::format("%7u  ", count) << llvm::left_justify(info(id).id, 30) << ' ' << info(id).message << '\n';
  endText(totals, options, out);
}

} // namespace ptxray
