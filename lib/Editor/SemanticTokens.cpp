#include "Editor/SemanticTokens.h"
#include "Editor/MergeByPlace.h"
#include "Editor/Names.h"
#include "Editor/Statements.h"
#include "Isa/Isa.h"
#include "Parse/Scanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

namespace {

/// Colours items in order: names first, then the tokens between them.
class Colourer {
public:
  Colourer(const SourceBuffer &source, Range part) : source(source), part(part) {}

  /// Adds the names and opcodes of a body. Bodies must be added in source order.
  void body(const Body &body);
  /// Adds names outside of bodies, in any order.
  void mentions(llvm::ArrayRef<Mention> mentions, const Ast &ast);
  /// Returns all tokens up to the end of the part, including those other than names.
  std::vector<SemanticToken> take(const Ast &ast);

private:
  void opcode(const Ast &ast, const Instruction &instruction);
  void add(Range range, SemanticToken::Kind kind, unsigned modifiers = 0) {
    if (range.size() && range.begin < part.end && part.begin < range.end)
      named.push_back({range, kind, static_cast<uint8_t>(modifiers)});
  }
  const SourceBuffer &source;
  Range part;
  std::vector<SemanticToken> named;
  // Indexed by SpellingId; locations are relative to the spelling.
  std::vector<std::vector<SemanticToken>> wordsOfSpellings;
};

SemanticToken::Kind kindOf(const Symbol &symbol) {
  switch (symbol.kind) {
  case SymbolKind::Register: return symbol.isParameter ? SemanticToken::Parameter : SemanticToken::Register;
  case SymbolKind::Variable: return symbol.isParameter ? SemanticToken::Parameter : SemanticToken::Variable;
  case SymbolKind::Function: return SemanticToken::Function;
  default: return SemanticToken::Label;
  }
}

SemanticToken::Kind kindOfWord(StringRef word, SemanticToken::Kind otherwise) {
  const isa::WordId id = isa::findWord(word);
  return id && isa::word(id).typeKind != isa::TypeKind::None ? SemanticToken::Type : otherwise;
}

void Colourer::mentions(llvm::ArrayRef<Mention> mentions, const Ast &ast) {
  for (const Mention &one : mentions)
    if (one.symbol)
      add(one.range, kindOf(*one.symbol), one.isDeclaration ? SemanticToken::Declaration : 0);
    else if (isa::findSpecialRegister(ast.text(one.name)))
      add(one.range, SemanticToken::Special, SemanticToken::ReadOnly);
}

/// Returns the name of an instruction and its qualifiers. If comments separate the words, the opcode may extend over
/// several lines.
std::vector<SemanticToken> wordsOfOpcode(StringRef text, Range opcode) {
  std::vector<SemanticToken> tokens;
  for (const auto &[index, word] : llvm::enumerate(wordsOf(text, opcode))) {
    const StringRef written = text.slice(word.begin, word.end);
    if (!written.empty() && written.find_first_of("\r\n") == StringRef::npos)
      tokens.push_back({word, index ? kindOfWord(written, SemanticToken::Qualifier) : SemanticToken::Opcode});
  }
  return tokens;
}

void Colourer::opcode(const Ast &ast, const Instruction &instruction) {
  const Range range = instruction.opcodeRange;
  const StringRef spelling = ast.text(instruction.opcode);
  if (spelling.size() != range.size()) { // contains blanks or comments
    for (const SemanticToken &word : wordsOfOpcode(source.text(), range))
      add(word.range, word.kind);
    return;
  }
  const auto id = static_cast<size_t>(instruction.opcode);
  if (wordsOfSpellings.size() <= id)
    wordsOfSpellings.resize(ast.spellings->size());
  std::vector<SemanticToken> &words = wordsOfSpellings[id];
  if (words.empty())
    words = wordsOfOpcode(spelling, {0, range.size()});
  for (const SemanticToken &word : words)
    add({range.begin + word.range.begin, range.begin + word.range.end}, word.kind);
}

void Colourer::body(const Body &body) {
  const size_t begin = named.size();
  mentions(mentionsInBody(body, source), *body.ast);
  const size_t opcodes = named.size();
  for (uint32_t number = 0; number < body.size(); ++number)
    opcode(*body.ast, body.instruction(number));
  for (const Instruction &broken : body.ast->brokenInstructions)
    if (body.function->range.begin <= broken.range.begin && broken.range.begin < body.function->range.end)
      opcode(*body.ast, broken);
  mergeByPlace(named, opcodes);
  mergeByPlace(named, begin);
}

/// The tokens of a source other than names. Queries must be in ascending order.
class OtherTokens {
public:
  explicit OtherTokens(StringRef text) : text(text) {}
  std::optional<SemanticToken> read(const Token &token);

private:
  StringRef text;
  TokenKind last = TokenKind::EndOfFile;
  bool isInTarget = false; // among the words of `.target`
};

std::optional<SemanticToken> OtherTokens::read(const Token &token) {
  const StringRef word = text.slice(token.begin, token.end);
  const bool isName = token.kind == TokenKind::Id;
  const TokenKind before = std::exchange(last, token.kind);
  isInTarget = token.kind == TokenKind::Target || (isInTarget && (isName || token.kind == TokenKind::Comma));
  if (isName && isInTarget && isa::findTarget(word) >= 0)
    return SemanticToken{token.range(), SemanticToken::Special, SemanticToken::ReadOnly};
  if (token.kind == TokenKind::Integer || token.kind == TokenKind::Float)
    return SemanticToken{token.range(), SemanticToken::Number};
  if (!word.starts_with(".") || token.kind == TokenKind::Bad || token.kind == TokenKind::RawSource)
    return std::nullopt;
  if (before == TokenKind::RightBracket && isa::findWord(word)) // `[a].unified`
    return SemanticToken{token.range(), SemanticToken::Qualifier};
  return SemanticToken{token.range(), kindOfWord(word, SemanticToken::Directive)};
}

std::vector<SemanticToken> Colourer::take(const Ast &ast) {
  mergeByPlace(named);
  std::vector<SemanticToken> tokens;
  tokens.reserve(named.size() + named.size() / 8);
  /// Tokens that overlap another one are omitted.
  const auto put = [&](const SemanticToken &token) {
    if (tokens.empty() || tokens.back().range.end <= token.range.begin)
      tokens.push_back(token);
  };
  auto known = named.begin();
  const auto putNamedBefore = [&](uint32_t place) {
    for (; known != named.end() && known->range.begin < place; ++known)
      put(*known);
  };
  OtherTokens others(source.text());
  Scanner scanner(*ast.names, *ast.spellings);
  scanner.start(source.text());
  Token token;
  for (scanner.next(token); token.kind != TokenKind::EndOfFile && token.begin < part.end; scanner.next(token)) {
    putNamedBefore(token.end);
    if (const auto other = others.read(token); other && part.begin < other->range.end)
      put(*other);
  }
  putNamedBefore(part.end);
  return tokens;
}

/// Marks opcodes that the version or target lacks.
void markLacking(std::vector<SemanticToken> &tokens, const DiagnosticList &diagnostics) {
  auto isGate = [](DiagId id) {
    return id == DiagId::RequiresPtx || id == DiagId::RequiresTarget || id == DiagId::RequiresTargetVariant ||
           id == DiagId::RemovedInPtx || id == DiagId::NotAvailable;
  };
  for (const Diagnostic &d : diagnostics) {
    if (!isGate(d.id))
      continue;
    auto at = llvm::partition_point(tokens, [&](const SemanticToken &t) { return t.range.begin < d.range.begin; });
    for (; at != tokens.end() && at->range.begin < d.range.end; ++at)
      if (at->kind == SemanticToken::Opcode || at->kind == SemanticToken::Qualifier || at->kind == SemanticToken::Type)
        at->modifiers |= SemanticToken::Deprecated;
  }
}

/// Returns the tokens of the whole document, or of a part with several functions.
std::vector<SemanticToken> tokensOfAll(Document &document, Range part) {
  const SourceBuffer &source = document.source();
  Colourer colourer(source, part);
  auto see = [&](const Body &body, const ModuleState &) {
    if (body.function->range.begin < part.end)
      colourer.body(body);
  };
  const ReadModule module = streamModule(source, document.options(), see);
  colourer.mentions(mentionsInModule(module.ast(), source, module.symbols()), module.ast());
  return colourer.take(module.ast());
}

/// Adds the tokens of one function, or of everything outside.
void addExcerpt(const Excerpt &excerpt, Range part, std::vector<SemanticToken> &tokens) {
  Colourer colourer(excerpt.source(), {0, static_cast<uint32_t>(excerpt.text().size())});
  if (excerpt.body())
    colourer.body(*excerpt.body());
  else
    colourer.mentions(mentionsIn(excerpt), excerpt.ast());
  for (SemanticToken &token : colourer.take(excerpt.ast())) {
    if (!excerpt.isInDocument(token.range))
      continue;
    token.range = excerpt.placeOf(token.range);
    if (token.range.begin < part.end && part.begin < token.range.end)
      tokens.push_back(token);
  }
}

/// Returns the tokens of a part as large as a screen, with few functions.
std::vector<SemanticToken> tokensOfPart(Document &document, Range part) {
  std::vector<SemanticToken> tokens, out;
  bool isOutside = true;
  for (const Range body : document.bodies()) {
    if (part.begin < body.end && body.begin < part.end)
      addExcerpt(*document.excerptAt(body.begin + 1), part, tokens);
    isOutside &= part.begin < body.begin || body.end < part.end;
  }
  if (isOutside)
    addExcerpt(*document.outside(), part, tokens);
  llvm::stable_sort(tokens,
                    [](const SemanticToken &a, const SemanticToken &b) { return a.range.begin < b.range.begin; });
  for (const SemanticToken &token : tokens) // the head of a function is in both excerpts
    if (out.empty() || out.back().range.end <= token.range.begin)
      out.push_back(token);
  return out;
}

} // namespace

std::vector<SemanticToken> semanticTokens(Document &document, Range part) {
  if (!document.isPtx())
    return {};
  constexpr ptrdiff_t mostInPart = 8;
  const auto touched =
      llvm::count_if(document.bodies(), [&](Range body) { return part.begin < body.end && body.begin < part.end; });
  std::vector<SemanticToken> tokens =
      touched <= mostInPart ? tokensOfPart(document, part) : tokensOfAll(document, part);
  markLacking(tokens, document.checked().diagnostics);
  return tokens;
}

} // namespace ptxray
