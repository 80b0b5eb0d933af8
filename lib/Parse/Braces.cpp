#include "Parse/Braces.h"

namespace ptxray {

namespace {

/// A brace that opens or closes a block of a body. Braces of vectors are not included.
struct Brace {
  uint32_t offset;
  bool opens;
  bool doubled; // directly preceded by the same brace
};

struct Line {
  uint32_t begin;
  llvm::StringRef text;
};

class Finder {
public:
  Finder(const Scanner &scanner, const SourceBuffer &source) : scanner(scanner), source(source), text(source.text()) {}
  std::vector<BraceRepair> run();

private:
  void advance() {
    previous = token;
    do
      scanner.next(token);
    while (token.kind == TokenKind::Bad && token.bad != BadToken::UnclosedComment);
    scanner.braces = 0;
  }
  bool startsItem() const;
  bool continuesOperands() const;
  void function();
  void settle();
  void findLoneEmptyLine();
  bool isTrace(const Line &line) const { return hasTrace(line.text) || line.begin == loneEmptyLine; }
  Line lineAt(uint32_t offset) const;
  uint32_t columnOf(uint32_t offset) const { return offset - lineAt(offset).begin; }
  uint32_t placeOfLostOpen(uint32_t orphan) const;
  std::optional<uint32_t> placeOfLostClose(uint32_t open) const;

  Scanner scanner;
  const SourceBuffer &source;
  llvm::StringRef text;
  Token token, previous;
  std::vector<Brace> braces; // braces of the current function
  uint32_t functionEnd = 0;
  uint32_t loneEmptyLine = 0; // the only empty line in the current function; 0 if there are none or several
  std::vector<std::pair<uint32_t, bool>> declarations; // statements: location, and whether it is a declaration
  std::vector<BraceRepair> repairs;
};

} // namespace

static bool oneOf(TokenKind kind, std::initializer_list<TokenKind> kinds) { return llvm::is_contained(kinds, kind); }

bool Finder::startsItem() const {
  if (token.kind == TokenKind::EndOfFile)
    return true;
  return startsLine(text, token.begin) &&
         (oneOf(token.kind, {TokenKind::Linkage, TokenKind::Entry, TokenKind::Section, TokenKind::File,
                             TokenKind::Version, TokenKind::MetadataSection, TokenKind::SourceSection}) ||
          (token.kind == TokenKind::Func && columnOf(token.begin) == 0));
}

// Returns whether the text after the token belongs to the same statement.
bool Finder::continuesOperands() const {
  Scanner copy = scanner;
  Token next;
  copy.next(next);
  return oneOf(next.kind, {TokenKind::Comma, TokenKind::Semicolon, TokenKind::RightBracket, TokenKind::Bar});
}

/// Returns whether all braces are obviously correct: vectors end on their lines, other braces begin theirs, and the
/// braces of every function are balanced.
static bool bracesMatch(llvm::StringRef text) {
  size_t last = 0; // brace of a block
  int depth = 0;
  // Avoid strcspn: in some C libraries, each call first searches for the end of the text.
  constexpr llvm::StringRef marks("{}/\"\0", 5);
  for (size_t at = text.find_first_of(marks); at < text.size(); at = text.find_first_of(marks, at + 1)) {
    const llvm::StringRef rest = text.drop_front(at);
    if (rest.starts_with("//")) {
      at += std::min(rest.find('\n'), rest.size() - 1);
    } else if (rest.starts_with("/*")) {
      const size_t close = rest.find("*/", 2);
      if (close == llvm::StringRef::npos)
        return false;
      at += close + 1;
    } else if (rest.starts_with("\"")) {
      const size_t close = rest.find_first_of("\"\n", 1);
      if (close == llvm::StringRef::npos || rest[close] == '\n')
        return false;
      at += close;
    } else if (rest.starts_with("{")) {
      const size_t next = rest.find_first_of("{};\n", 1);
      if (next != llvm::StringRef::npos && rest[next] == '}') {
        at += next;
        continue;
      }
      const llvm::StringRef between = text.slice(last, at);
      const bool isBlock = llvm::StringRef(";:{}").contains(between.rtrim().take_back(1));
      if (!startsLine(text, at) || (depth && !isBlock && (between.contains(".entry") || between.contains(".func"))))
        return false;
      ++depth;
      last = at;
    } else if (rest.starts_with("}")) {
      if (--depth < 0 || (!startsLine(text, at) && !text.slice(last, at).rtrim(" \t").ends_with(";")))
        return false;
      last = at;
    } else if (rest.starts_with(llvm::StringRef("", 1))) {
      return false;
    }
  }
  return depth == 0;
}

std::vector<BraceRepair> Finder::run() {
  advance();
  if (bracesMatch(text.drop_front(token.begin)))
    return {};
  while (token.kind != TokenKind::EndOfFile) {
    if (token.kind != TokenKind::Entry && token.kind != TokenKind::Func) {
      advance();
      continue;
    }
    // Skip the head, up to its body.
    do
      advance();
    while (!oneOf(token.kind, {TokenKind::Semicolon, TokenKind::LeftBrace, TokenKind::EndOfFile, TokenKind::Opcode,
                               TokenKind::At}) &&
           !startsItem());
    if (token.kind == TokenKind::LeftBrace)
      function();
  }
  return std::move(repairs);
}

void Finder::function() {
  braces.clear();
  declarations.clear();
  bool inVector = false, statementBegins = true, isLocation = false;
  do {
    const bool afterBrace = !braces.empty() && braces.back().offset == previous.begin;
    auto isAlone = [&] { return lineAt(token.begin).text.trim() == "{"; };
    auto isAfterGuard = [&] {
      const llvm::StringRef before = lineAt(token.begin).text.take_front(columnOf(token.begin)).trim();
      return before.starts_with("@") && !before.contains(' ');
    };
    auto isBetween = [&] {
      return braces.empty() || afterBrace || isAlone() || isAfterGuard() ||
             oneOf(previous.kind, {TokenKind::Semicolon, TokenKind::Colon}) ||
             (startsLine(text, token.begin) && !isVectorLine(text, token.begin) &&
              !oneOf(previous.kind, {TokenKind::Comma, TokenKind::Opcode, TokenKind::Dotted, TokenKind::Bar,
                                     TokenKind::LeftBracket})) ||
             (startsLine(text, previous.begin) && // a stray character before the brace
              oneOf(previous.kind, {TokenKind::At, TokenKind::Bar, TokenKind::Not, TokenKind::Equal,
                                    TokenKind::Question, TokenKind::Tilde, TokenKind::Infix}));
    };
    if (token.kind == TokenKind::LeftBrace && !inVector && isBetween()) {
      braces.push_back({token.begin, true, afterBrace && previous.end == token.begin});
      statementBegins = true;
    } else if (token.kind == TokenKind::LeftBrace) {
      inVector = true;
    } else if (token.kind == TokenKind::RightBrace && inVector) {
      inVector = false;
    } else if (token.kind == TokenKind::RightBrace &&
               (startsLine(text, token.begin) || afterBrace || !continuesOperands())) {
      braces.push_back({token.begin, false, afterBrace && previous.end == token.begin});
      statementBegins = true;
    } else {
      if (isLocation && startsLine(text, token.begin)) // `.loc` ends without a semicolon
        statementBegins = true;
      if (statementBegins) {
        declarations.push_back({token.begin, token.kind == TokenKind::Space});
        isLocation = token.kind == TokenKind::Loc;
      }
      statementBegins = oneOf(token.kind, {TokenKind::Semicolon, TokenKind::Colon});
      if (token.kind == TokenKind::Semicolon)
        inVector = false;
    }
    advance();
  } while (!startsItem());
  functionEnd = token.begin;
  settle();
}

void Finder::settle() {
  int depth = 0;
  const Brace *orphan = nullptr; // a closing brace of the function that is followed by more statements
  std::vector<const Brace *> open;
  for (const Brace &brace : braces) {
    depth += brace.opens ? 1 : -1;
    if (depth == 0 && !orphan && &brace != &braces.back())
      orphan = &brace;
    if (brace.opens)
      open.push_back(&brace);
    else if (&brace != &braces.back() && !open.empty())
      open.pop_back();
  }
  if (depth != 1 && depth != -1)
    return;
  findLoneEmptyLine();
  for (const Brace &brace : braces)
    if (brace.doubled && brace.opens == (depth == 1)) {
      repairs.push_back({BraceRepair::Drop, brace.offset});
      return;
    }
  if (depth == -1 && orphan) {
    const uint32_t place = placeOfLostOpen(orphan->offset);
    // If nothing indicates a lost block, and both braces look like the function's own, the parser reports the second
    // one.
    const uint32_t column = columnOf(braces.front().offset), last = braces.back().offset;
    const bool isAlone = text.slice(orphan->offset + 1, last).trim().empty();
    if (place != orphan->offset || !isAlone || columnOf(orphan->offset) != column || columnOf(last) != column)
      repairs.push_back({place == orphan->offset ? BraceRepair::Drop : BraceRepair::InsertOpen, place});
  }
  // If the function's own brace is in place, a block is not closed.
  const bool goesOn = !declarations.empty() && declarations.back().first > braces.back().offset;
  const bool endsFunction =
      !goesOn && !braces.back().opens && columnOf(braces.back().offset) == columnOf(braces.front().offset);
  if (depth == 1 && endsFunction && open.size() > 1)
    if (const std::optional<uint32_t> place = placeOfLostClose(open.back()->offset))
      repairs.push_back({BraceRepair::InsertClose, *place});
}

Line Finder::lineAt(uint32_t offset) const {
  const Range line = source.lineRange(source.lineColumn(offset).line);
  return {line.begin, source.text(line)};
}

/// Finds the empty line that a lost brace leaves behind if it was alone on its line in a text without indentation.
/// There must be only one.
void Finder::findLoneEmptyLine() {
  loneEmptyLine = 0;
  for (uint32_t at = lineAt(braces.front().offset).begin; at < braces.back().offset;) {
    const Line line = lineAt(at);
    if (line.text.trim().empty()) {
      if (loneEmptyLine) {
        loneEmptyLine = 0;
        return;
      }
      loneEmptyLine = at;
    }
    at += line.text.size() + 1;
  }
}

bool isVectorLine(llvm::StringRef text, uint32_t offset) {
  const llvm::StringRef rest = text.substr(offset);
  if (!rest.starts_with("{"))
    return false;
  const llvm::StringRef line = rest.take_front(rest.find('\n')).rtrim();
  return line.ends_with("},") || line.ends_with("};");
}

// Returns whether a line looks as if a brace was removed from it: it is blank, or has an extra blank.
bool hasTrace(llvm::StringRef line) {
  llvm::StringRef blanks = line.take_while([](char c) { return c == ' ' || c == '\t'; });
  llvm::StringRef rest = line.drop_front(blanks.size()).rtrim('\r');
  return rest.empty() ? !blanks.empty() : blanks.contains("\t ") && rest.starts_with("//");
}

// Finds the location of a block's lost opening brace. A block begins with its declarations. Candidates are the
// positions between the last brace and the orphan where declarations follow other statements. Chooses the first
// candidate with a trace above it, otherwise the first one.
uint32_t Finder::placeOfLostOpen(uint32_t orphan) const {
  uint32_t from = 0;
  for (const Brace &brace : braces)
    if (brace.offset < orphan)
      from = brace.offset;
  uint32_t place = orphan;
  bool declares = true; // declarations directly after the brace belong to its block
  for (auto [offset, isDeclaration] : declarations) {
    if (offset < from)
      continue;
    if (offset >= orphan)
      break;
    if (isDeclaration) {
      const Line line = lineAt(offset);
      const Line above = line.begin ? lineAt(line.begin - 1) : line;
      if (isTrace(above))
        return above.begin;
      if (!declares && place == orphan)
        place = offset;
    }
    declares = isDeclaration;
  }
  return place;
}

// Finds the location of a block's lost closing brace: the first trace after its opening brace, preferring the clearest
// kind. Without a trace, the block ends with its line, unless it is indented like the function. In that case, either of
// them may be the unclosed one.
std::optional<uint32_t> Finder::placeOfLostClose(uint32_t open) const {
  const Line first = lineAt(open);
  const uint32_t from = first.begin + first.text.size() + 1;
  uint32_t beforeComment = 0, afterBlank = first.text.rtrim('\r').ends_with("; ") ? first.begin + first.text.size() : 0;
  Line above = first;
  uint32_t firstBlank = from; // first of the blank lines directly above
  for (uint32_t at = from; at < functionEnd;) {
    const Line line = lineAt(at);
    if (isTrace(line))
      return line.begin;
    if (!beforeComment && line.text.trim() == "// end inline asm" && above.text.trim().empty())
      beforeComment = firstBlank;
    const bool endsBlank = line.text.rtrim('\r').ends_with("; ");
    if (!afterBlank && endsBlank && !line.text.contains(".reg"))
      afterBlank = line.begin + line.text.size();
    if (!line.text.trim().empty())
      firstBlank = line.begin + line.text.size() + 1;
    above = line;
    at = line.begin + line.text.size() + 1;
  }
  if (beforeComment || afterBlank)
    return beforeComment ? beforeComment : afterBlank;
  if (columnOf(open) == columnOf(braces.front().offset))
    return std::nullopt;
  return from - 1;
}

std::vector<BraceRepair> findBraceRepairs(const Scanner &scanner, const SourceBuffer &source) {
  return Finder(scanner, source).run();
}

} // namespace ptxray
