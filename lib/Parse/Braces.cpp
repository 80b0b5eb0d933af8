#include "Parse/Braces.h"

namespace ptxray {

bool startsLine(llvm::StringRef text, uint32_t offset) {
  llvm::StringRef before = text.take_front(offset).rtrim(" \t\r\f\v");
  return before.empty() || before.back() == '\n';
}

namespace {

/// A brace of a body that opens or closes a block, not a vector.
struct Brace {
  uint32_t offset;
  bool opens;
  bool doubled; // the same brace stands directly before it
};

struct Line {
  uint32_t begin;
  llvm::StringRef text;
};

class Finder {
public:
  Finder(Scanner scanner, llvm::StringRef text) : scanner(scanner), text(text) {}
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
  void function();
  void settle();
  Line lineAt(uint32_t offset) const;
  uint32_t columnOf(uint32_t offset) const { return offset - lineAt(offset).begin; }
  uint32_t placeOfLostOpen(uint32_t orphan) const;
  uint32_t placeOfLostClose(uint32_t open) const;

  Scanner scanner;
  llvm::StringRef text;
  Token token, previous;
  std::vector<Brace> braces; // of the function at hand
  uint32_t functionEnd = 0;
  std::vector<std::pair<uint32_t, bool>> declarations; // statements: where, and whether it declares
  std::vector<BraceRepair> repairs;
};

} // namespace

static bool oneOf(TokenKind kind, std::initializer_list<TokenKind> kinds) {
  return llvm::is_contained(kinds, kind);
}

bool Finder::startsItem() const {
  if (token.kind == TokenKind::EndOfFile)
    return true;
  return startsLine(text, token.begin) &&
         (oneOf(token.kind, {TokenKind::Linkage, TokenKind::Entry, TokenKind::Section,
                             TokenKind::File, TokenKind::Version, TokenKind::MetadataSection,
                             TokenKind::SourceSection}) ||
          (token.kind == TokenKind::Func && columnOf(token.begin) == 0));
}

std::vector<BraceRepair> Finder::run() {
  for (advance(); token.kind != TokenKind::EndOfFile;) {
    if (token.kind != TokenKind::Entry && token.kind != TokenKind::Func) {
      advance();
      continue;
    }
    // The head, up to its body.
    do
      advance();
    while (!oneOf(token.kind, {TokenKind::Semicolon, TokenKind::LeftBrace, TokenKind::EndOfFile,
                               TokenKind::Opcode, TokenKind::At}) &&
           !startsItem());
    if (token.kind == TokenKind::LeftBrace)
      function();
  }
  return std::move(repairs);
}

void Finder::function() {
  braces.clear();
  declarations.clear();
  bool inVector = false, statementBegins = true;
  do {
    const bool afterBrace = !braces.empty() && braces.back().offset == previous.begin;
    const bool between = braces.empty() || afterBrace ||
                         oneOf(previous.kind, {TokenKind::Semicolon, TokenKind::Colon,
                                               TokenKind::Integer}) ||
                         (previous.kind == TokenKind::RightBrace && !inVector);
    const bool closesLine = startsLine(text, token.begin);
    if (token.kind == TokenKind::LeftBrace && between && !inVector) {
      braces.push_back({token.begin, true, afterBrace && previous.end == token.begin});
      statementBegins = true;
    } else if (token.kind == TokenKind::LeftBrace) {
      inVector = true;
    } else if (token.kind == TokenKind::RightBrace && inVector) {
      inVector = false;
    } else if (token.kind == TokenKind::RightBrace &&
               (closesLine || afterBrace || previous.kind == TokenKind::Semicolon)) {
      braces.push_back({token.begin, false, afterBrace && previous.end == token.begin});
      statementBegins = true;
    } else {
      if (statementBegins)
        declarations.push_back({token.begin, token.kind == TokenKind::Space});
      statementBegins = token.kind == TokenKind::Semicolon;
      if (statementBegins)
        inVector = false;
    }
    advance();
  } while (!startsItem());
  functionEnd = token.begin;
  settle();
}

void Finder::settle() {
  int depth = 0;
  const Brace *orphan = nullptr; // closes the function although more follows
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
  for (const Brace &brace : braces)
    if (brace.doubled && brace.opens == (depth == 1)) {
      repairs.push_back({BraceRepair::Drop, brace.offset});
      return;
    }
  if (depth == -1 && orphan)
    repairs.push_back({BraceRepair::InsertOpen, placeOfLostOpen(orphan->offset)});
  // With the function's own brace in place, a block is not closed.
  const bool endsFunction = !braces.back().opens && columnOf(braces.back().offset) ==
                                                        columnOf(braces.front().offset);
  if (depth == 1 && endsFunction && open.size() > 1)
    repairs.push_back({BraceRepair::InsertClose, placeOfLostClose(open.back()->offset)});
}

Line Finder::lineAt(uint32_t offset) const {
  size_t begin = text.take_front(offset).rfind('\n');
  begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
  return {uint32_t(begin), text.substr(begin).take_until([](char c) { return c == '\n'; })};
}

// Where a brace was taken away, what stood round it is left: a line of blanks, a blank too many.
static bool hasTrace(llvm::StringRef line) {
  llvm::StringRef blanks = line.take_while([](char c) { return c == ' ' || c == '\t'; });
  llvm::StringRef rest = line.drop_front(blanks.size()).rtrim('\r');
  if (rest.empty())
    return !blanks.empty();
  return blanks.contains("\t ") && rest.starts_with("//");
}

// A block begins with its declarations: the place is before the first of those that follow the last
// statement of another kind, or on the line above.
uint32_t Finder::placeOfLostOpen(uint32_t orphan) const {
  uint32_t place = orphan;
  bool declares = false;
  for (auto [offset, isDeclaration] : declarations) {
    if (offset >= orphan)
      break;
    if (isDeclaration && !declares)
      place = offset;
    declares = isDeclaration;
  }
  const Line line = lineAt(place);
  if (line.begin == 0)
    return place;
  const Line above = lineAt(line.begin - 1);
  return hasTrace(above.text) ? above.begin : place;
}

uint32_t Finder::placeOfLostClose(uint32_t open) const {
  for (uint32_t at = open; at < functionEnd;) {
    const Line line = lineAt(at);
    if (at != open && (hasTrace(line.text) || line.text.rtrim('\r').ends_with("; ")))
      return line.begin + (hasTrace(line.text) ? 0 : line.text.size());
    at = line.begin + line.text.size() + 1;
  }
  // No trace: the block ends with its line.
  const Line line = lineAt(open);
  return line.begin + line.text.size();
}

std::vector<BraceRepair> findBraceRepairs(Scanner scanner, llvm::StringRef text) {
  return Finder(scanner, text).run();
}

} // namespace ptxray
