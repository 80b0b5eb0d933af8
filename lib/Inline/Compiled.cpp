#include "Inline/Compiled.h"
#include "Source/Narrow.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

namespace ptxray {

using llvm::StringRef;

namespace {

/// Reads the lines of a file, and records those with locations.
class CompiledReader {
public:
  explicit CompiledReader(StringRef text) : text(text) {}
  std::vector<CompiledStatement> read();

private:
  void line(StringRef line);
  void readLoc(StringRef line);
  void readFile(StringRef line);
  void begin(size_t next);
  void nameFiles();

  StringRef text;
  std::vector<CompiledStatement> found;
  std::vector<uint32_t> fileOf; // indexed by statement: the number of the file
  std::vector<std::pair<uint32_t, std::string>> files;
  std::string function;
  unsigned number = 0;
  uint32_t locFile = 0, locLine = 0, locColumn = 0;
};

} // namespace

void CompiledReader::readLoc(StringRef line) {
  uint32_t file = 0, number = 0, column = 0;
  if (line.consumeInteger(10, file) || (line = line.ltrim()).consumeInteger(10, number) ||
      (line = line.ltrim()).consumeInteger(10, column))
    return;
  locFile = file;
  locLine = number;
  locColumn = column;
}

void CompiledReader::readFile(StringRef line) {
  uint32_t file = 0;
  if (!line.consumeInteger(10, file))
    files.emplace_back(file, line.split('"').second.split('"').first.str());
}

/// Returns the name in `.visible .entry name(` or `.func (.param .b32 result) name(`.
static std::string functionIn(StringRef line) {
  StringRef rest = line.contains(".entry") ? line.split(".entry").second : line.split(".func").second;
  rest = rest.ltrim();
  if (rest.consume_front("("))
    rest = rest.split(')').second.ltrim();
  return rest.take_until([](char c) { return llvm::isSpace(c) || c == '(' || c == ',' || c == ';'; }).str();
}

void CompiledReader::line(StringRef line) {
  line = line.trim();
  if (line.starts_with(".") && (line.contains(".entry") || line.contains(".func"))) {
    function = functionIn(line);
    number = 0;
    locFile = 0;
  } else if (line.starts_with(".loc")) {
    readLoc(line.drop_front(4).ltrim());
  } else if (line.starts_with(".file")) {
    readFile(line.drop_front(5).ltrim());
  }
}

void CompiledReader::begin(size_t next) {
  CompiledStatement &one = found.emplace_back();
  one.body.begin = one.body.end = narrow<uint32_t>(next);
  one.function = function;
  one.number = ++number;
  one.line = locFile ? locLine : 0;
  one.column = locFile ? locColumn : 0;
  fileOf.push_back(locFile);
}

/// Adds the names of files, which are at the end of the PTX.
void CompiledReader::nameFiles() {
  for (size_t i = 0; i < found.size(); ++i)
    for (const auto &[file, path] : files)
      if (fileOf[i] && file == fileOf[i])
        found[i].path = path;
}

std::vector<CompiledStatement> CompiledReader::read() {
  bool isInside = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const StringRef one = text.slice(at, end).trim();
    const size_t next = std::min(end + 1, text.size());
    if (one == "// begin inline asm") {
      begin(next);
      isInside = true;
    } else if (isInside && one == "// end inline asm") {
      found.back().body.end = narrow<uint32_t>(at);
      isInside = false;
    } else if (!isInside) {
      line(one);
    }
    at = next;
  }
  if (isInside)
    found.back().body.end = narrow<uint32_t>(text.size());
  nameFiles();
  return std::move(found);
}

std::vector<CompiledStatement> readCompiled(StringRef ptx) { return CompiledReader(ptx).read(); }

namespace {

/// A character of a template, or an operand in it.
struct TemplatePart {
  Range place;
  bool isOperand = false;
  std::string operand; // name of the operand, if it has one
  char character = 0;
};

/// Reads a template part by part. Skips white space.
class TemplateWalk {
public:
  explicit TemplateWalk(const InlineStatement &statement)
      : text(statement.text.text()), mark(statement.style == TemplateStyle::Gcc ? '%' : '$'),
        isBasic(statement.isBasic) {}
  std::optional<TemplatePart> next();

private:
  TemplatePart part(uint32_t length, std::string operand = "") {
    const TemplatePart made{{at, at + length}, true, std::move(operand), 0};
    at += length;
    return made;
  }
  TemplatePart marked();

  StringRef text;
  const char mark;
  const bool isBasic;
  uint32_t at = 0;
};

} // namespace

TemplatePart TemplateWalk::marked() {
  const StringRef rest = text.substr(at);
  const char c = rest.size() > 1 ? rest[1] : '\0';
  if (c == mark) {
    const TemplatePart one{{at, at + 2}, false, "", mark};
    at += 2;
    return one;
  }
  const StringRef digits = rest.drop_front(1).take_while([](char d) { return llvm::isDigit(d); });
  if (!digits.empty())
    return part(narrow<uint32_t>(1 + digits.size()), std::string(1, mark) + digits.str());
  if (c == '=' && mark == '%')
    return part(2);
  if (c == '{' && mark == '$' && rest.contains('}')) {
    const StringRef inside = rest.drop_front(2).split('}').first;
    const StringRef number = inside.take_while([](char d) { return llvm::isDigit(d); });
    return part(narrow<uint32_t>(inside.size() + 3), number.empty() ? "" : ("$" + number).str());
  }
  const TemplatePart one{{at, at + 1}, false, "", mark};
  ++at;
  return one;
}

std::optional<TemplatePart> TemplateWalk::next() {
  while (at < text.size() && llvm::isSpace(text[at]))
    ++at;
  if (at >= text.size())
    return std::nullopt;
  if (text[at] == mark && !isBasic)
    return marked();
  TemplatePart one{{at, at + 1}, false, "", text[at]};
  ++at;
  return one;
}

/// Returns the text that replaced an operand: a register, a number, a name.
static StringRef operandAt(StringRef text) {
  const size_t sign = !text.empty() && (text[0] == '-' || text[0] == '%') ? 1 : 0;
  return text.take_front(
      sign + text.drop_front(sign).take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }).size());
}

std::optional<Alignment> Alignment::of(StringRef compiled, const InlineStatement &statement) {
  Alignment aligned;
  aligned.made.resize(compiled.size());
  size_t at = 0;
  auto skipBlanks = [&] {
    while (at < compiled.size() && llvm::isSpace(compiled[at]))
      ++at;
  };
  TemplateWalk walk(statement);
  while (const std::optional<TemplatePart> part = walk.next()) {
    skipBlanks();
    const StringRef rest = compiled.substr(at);
    const StringRef word = part->isOperand ? operandAt(rest) : rest.take_front(1);
    if (word.empty() || (!part->isOperand && word[0] != part->character))
      return std::nullopt;
    for (size_t i = 0; i < word.size(); ++i)
      aligned.made[at + i] = part->place;
    if (!part->operand.empty())
      aligned.names.try_emplace(word, part->operand);
    at += word.size();
  }
  skipBlanks();
  return at == compiled.size() ? std::optional(std::move(aligned)) : std::nullopt;
}

Range Alignment::inTemplate(Range part) const {
  Range found;
  for (uint32_t i = part.begin; i < std::min<size_t>(part.end, made.size()); ++i) {
    if (made[i].size() == 0)
      continue;
    found = found.size() ? Range{std::min(found.begin, made[i].begin), std::max(found.end, made[i].end)} : made[i];
  }
  return found;
}

} // namespace ptxray
