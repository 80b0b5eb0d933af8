#include "Ptxas/Messages.h"
#include "Parse/Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace ptxray {

using llvm::StringRef;

namespace {

/// One line of ptxas, split: `ptxas k.ptx, line 9; error   : ...`, `ptxas info    : (C7508) ...`.
struct Line {
  unsigned number = 0; // 0 if the line has none
  StringRef kind;      // `error`, `fatal`, `warning`, `info`
  unsigned code = 0;   // `7508` in `(C7508)`
  StringRef message;
};

/// A range of numbers of ptxas's remarks with the same cause and remedy.
struct CodeRange {
  unsigned first, last;
  IdTakingTexts<2> id;
};
constexpr CodeRange codeRanges[] = {
    {7504, 7508, DiagId::SetmaxnregIgnored},
    {7517, 7517, DiagId::WgmmaWaitInserted},
    {7509, 7520, DiagId::WgmmaSerialized},
};

/// Finds the statements of a module by the line in which they begin. Computed on first use.
class StatementLines {
public:
  StatementLines(const Ast &ast, const SourceBuffer &source) : ast(ast), source(source) {}
  Range find(unsigned line, StringRef message);
  /// Returns the location of the function or variable in the message; empty if there is none.
  Range findNamed(StringRef message);

private:
  void read();
  void note(Range opcode, Range statement) {
    places.insert({source.lineColumn(opcode.begin).line, {opcode, statement}});
  }
  const Ast &ast;
  const SourceBuffer &source;
  bool isRead = false;
  struct Place {
    Range opcode, statement;
  };
  std::multimap<uint32_t, Place> places;
  llvm::StringMap<Range> names; // names in the module
};

} // namespace

void StatementLines::read() {
  isRead = true;
  for (const Statement item : ast.module)
    if (item.kind == StatementKind::Function) {
      const Function &function = ast.functions[item.index];
      note(function.nameRange, function.nameRange);
      names.try_emplace(source.text(function.nameRange), function.nameRange);
      for (const Statement one : llvm::ArrayRef(ast.statements).slice(function.body.first, function.body.count))
        if (one.kind == StatementKind::Instruction)
          note(ast.instructions[one.index].opcodeRange, ast.instructions[one.index].range);
    } else if (item.kind == StatementKind::Declaration) {
      const Declaration &declared = ast.declarations[item.index];
      note(declared.nameRange, declared.range);
      names.try_emplace(source.text(declared.nameRange), declared.nameRange);
    } else if (item.kind == StatementKind::Directive) {
      note(ast.directives[item.index].nameRange, ast.directives[item.index].range);
    }
}

/// If several statements are in one line, selects the one whose opcode the message quotes.
Range StatementLines::find(unsigned line, StringRef message) {
  if (!isRead)
    read();
  constexpr unsigned mostInLine = 1000; // limit for a text without newlines
  const auto [first, last] = places.equal_range(line);
  const Place *best = nullptr;
  unsigned count = 0;
  for (auto place = first; place != last && count < mostInLine; ++place, ++count) {
    const StringRef opcode = source.text(place->second.opcode).split('.').first;
    if (!best || message.contains("'" + opcode.str() + "'") || message.contains("'" + opcode.str() + "."))
      best = &place->second;
  }
  if (best)
    return best->statement;
  // The line begins within a statement, or was not parsed. Then the range is the contents of the line.
  const StringRef text = source.lineText(line);
  const uint32_t begin = text.data() ? text.data() - source.text().data() : 0;
  const StringRef trimmed = text.trim();
  const uint32_t from = begin + (text.size() - text.ltrim().size());
  return {from, from + static_cast<uint32_t>(trimmed.size())};
}

/// Recognises `Entry function 'k' uses ...`, `... in function k.` and `For entry k adjusting ...`.
Range StatementLines::findNamed(StringRef message) {
  if (!isRead)
    read();
  StringRef before;
  while (!message.empty()) {
    auto [word, rest] = message.split(' ');
    const bool isQuoted = word.starts_with("'");
    const StringRef name = word.trim("'.,;:");
    const bool isMeant = isQuoted || before.equals_insensitive("function") || before.equals_insensitive("entry");
    if (const auto found = names.find(name); isMeant && found != names.end())
      return found->second;
    before = word;
    message = rest;
  }
  return {};
}

/// Returns the word of a statement that a message quotes, if it occurs only once.
static Range narrowed(Range statement, StringRef message, const SourceBuffer &source) {
  const StringRef word = message.split('\'').second.split('\'').first;
  const StringRef text = source.text(statement);
  const size_t at = word.empty() ? StringRef::npos : text.find(word);
  if (at == StringRef::npos || text.find(word, at + 1) != StringRef::npos)
    return statement;
  const auto begin = statement.begin + static_cast<uint32_t>(at);
  return {begin, begin + static_cast<uint32_t>(word.size())};
}

static Line readLine(StringRef text) {
  Line line;
  auto [head, message] = text.split(':');
  line.message = message.trim();
  if (auto [place, kind] = head.split("; "); !kind.empty()) {
    place.rsplit(", line ").second.getAsInteger(10, line.number);
    head = kind;
  } else {
    head.consume_front("ptxas ");
  }
  line.kind = head.trim();
  if (StringRef rest = line.message;
      rest.consume_front("(C") && !rest.consumeInteger(10, line.code) && rest.consume_front(")"))
    line.message = rest.trim();
  else
    line.code = 0;
  return line;
}

/// Returns the line number within a message: `in the function 'k' in line 24`, `in around line 33`.
static unsigned lineWithin(StringRef message) {
  unsigned number = 0;
  StringRef rest = message.rsplit("line ").second;
  return message.contains(" line ") && !rest.consumeInteger(10, number) ? number : 0;
}

/// Reads `8 registers`, `400 bytes smem`, `96 bytes cmem[0]` or `0 bytes spill stores`.
static void readAmount(StringRef text, FunctionResources &function) {
  uint64_t amount = 0;
  text = text.trim();
  text.consume_front("used ");
  text.consume_front("Used ");
  if (text.consumeInteger(10, amount))
    return;
  text = text.trim();
  if (text.starts_with("bytes cmem"))
    function.constantBytes.push_back({text.drop_front(StringRef("bytes ").size()).str(), amount});
  const std::pair<StringRef, uint64_t *> known[] = {
      {"registers", &function.registers},
      {"barriers", &function.barriers},
      {"bytes smem", &function.sharedBytes},
      {"bytes lmem", &function.localBytes},
      {"bytes stack frame", &function.stackBytes},
      {"bytes cumulative stack size", &function.stackBytes},
      {"bytes spill stores", &function.spillStoreBytes},
      {"bytes spill loads", &function.spillLoadBytes},
  };
  for (auto [name, field] : known)
    if (text == name)
      *field = std::max(*field, amount);
}

namespace {

/// Reads the lines of -v. Some name a function, to which the following lines refer.
class ResourceReader {
public:
  bool read(StringRef text); // returns false for other lines
  std::vector<FunctionResources> functions;

private:
  void turnTo(StringRef name);
  llvm::StringMap<size_t> known; // keyed by name, in `functions`
  size_t current = 0;
};

} // namespace

void ResourceReader::turnTo(StringRef name) {
  const auto [place, isNew] = known.try_emplace(name, functions.size());
  current = place->second;
  if (isNew)
    functions.emplace_back().name = name.str();
}

bool ResourceReader::read(StringRef text) {
  if (text.consume_front("Compiling entry function '")) {
    turnTo(text.split("'").first);
    functions[current].isEntry = true;
    functions[current].arch = text.rsplit(" for '").second.split("'").first.str();
    return true;
  }
  if (text.consume_front("Function properties for ")) {
    turnTo(text.trim());
    return true;
  }
  if (text.starts_with("Used ") || text.contains("bytes stack frame")) {
    llvm::SmallVector<StringRef> parts;
    text.split(parts, ',');
    for (StringRef part : parts)
      if (current < functions.size())
        readAmount(part, functions[current]);
    return true;
  }
  return text.contains(" bytes gmem") || text.starts_with("Compile time") || text.trim().empty();
}

PtxasMessages readMessages(StringRef printed, const SourceBuffer &source) {
  static constexpr llvm::StringLiteral summary = "Ptx assembly aborted due to errors";
  PtxasMessages out;
  Parser parser;
  DiagnosticSink unused;
  StatementLines lines(parser.read(source, unused), source);
  ResourceReader resources;
  DiagnosticSink sink;
  llvm::SmallVector<StringRef> texts;
  printed.split(texts, '\n');
  for (StringRef text : texts) {
    Line line = readLine(text);
    if (resources.read(line.kind == "info" ? line.message : text))
      continue;
    out.refusesText |= line.number && line.kind == "error";
    if (!line.number)
      line.number = lineWithin(line.message);
    const Range range = line.number ? lines.find(line.number, line.message) : lines.findNamed(line.message);
    StringRef message = line.message;
    message.consume_front("Potential Performance Loss: ");
    if (line.kind == "error" || line.kind == "fatal") {
      if (message != summary || !sink.hasErrors())
        sink.report(DiagId::PtxasError, line.number ? narrowed(range, message, source) : range, message);
    } else if (line.code) {
      const CodeRange *known = llvm::find_if(
          codeRanges, [&](const CodeRange &codes) { return codes.first <= line.code && line.code <= codes.last; });
      sink.report(known == std::end(codeRanges) ? IdTakingTexts<2>(DiagId::PtxasRemark) : known->id, range, message,
                  "C" + std::to_string(line.code));
    } else if (line.kind == "warning") {
      sink.report(DiagId::PtxasWarning, range, message);
    } else if (line.kind == "info") {
      sink.report(DiagId::PtxasRemark, range, message, "info");
    } else {
      out.rest += text.str() + "\n";
    }
  }
  out.diagnostics = sink.take();
  out.functions = std::move(resources.functions);
  return out;
}

} // namespace ptxray
