#include "Editor/SemanticTokens.h"
#include "Editor/Names.h"
#include "Editor/Statements.h"
#include "Isa/Isa.h"
#include "Parse/Scanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

namespace {

/// One item after the other; names first, then what the scanner sees between them.
class Colourer {
public:
  Colourer(const SourceBuffer &source, Range part) : source(source), part(part) {}

  /// The names and opcodes of a body.
  void body(const Body &body);
  void mentions(llvm::ArrayRef<Mention> mentions, const Ast &ast);
  void opcode(Range range);
  /// All that no name is, up to the end of the part.
  void rest(const Ast &ast);
  std::vector<SemanticToken> take();

private:
  void add(Range range, SemanticToken::Kind kind, unsigned modifiers = 0) {
    if (range.size() && range.begin < part.end && part.begin < range.end)
      tokens.push_back({range, kind, static_cast<uint8_t>(modifiers)});
  }
  const SourceBuffer &source;
  Range part;
  std::vector<SemanticToken> tokens;
};

SemanticToken::Kind kindOf(const Symbol &symbol) {
  switch (symbol.kind) {
  case SymbolKind::Register: return symbol.isParameter ? SemanticToken::Parameter : SemanticToken::Register;
  case SymbolKind::Variable: return symbol.isParameter ? SemanticToken::Parameter : SemanticToken::Variable;
  case SymbolKind::Function: return SemanticToken::Function;
  default: return SemanticToken::Label;
  }
}

void Colourer::mentions(llvm::ArrayRef<Mention> mentions, const Ast &ast) {
  for (const Mention &one : mentions)
    if (one.symbol)
      add(one.range, kindOf(*one.symbol), one.isDeclaration ? SemanticToken::Declaration : 0);
    else if (isa::findSpecialRegister(ast.text(one.name)))
      add(one.range, SemanticToken::Special, SemanticToken::ReadOnly);
}

void Colourer::opcode(Range range) {
  const auto words = wordsOf(source.text(), range);
  for (const auto &[index, word] : llvm::enumerate(words)) {
    const isa::WordId id = index ? isa::findWord(source.text(word)) : isa::WordId(0);
    const bool isType = id && isa::word(id).typeKind != isa::TypeKind::None;
    add(word, index == 0 ? SemanticToken::Opcode : isType ? SemanticToken::Type : SemanticToken::Qualifier);
  }
}

void Colourer::body(const Body &body) {
  mentions(mentionsInBody(body, source), *body.ast);
  for (uint32_t number = 0; number < body.size(); ++number)
    opcode(body.instruction(number).opcodeRange);
  for (const Instruction &broken : body.ast->brokenInstructions)
    if (body.function->range.begin <= broken.range.begin && broken.range.begin < body.function->range.end)
      opcode(broken.opcodeRange);
}

void Colourer::rest(const Ast &ast) {
  llvm::stable_sort(tokens,
                    [](const SemanticToken &a, const SemanticToken &b) { return a.range.begin < b.range.begin; });
  const std::vector<SemanticToken> named = tokens;
  auto known = named.begin();
  Scanner scanner(*ast.names, *ast.spellings);
  scanner.start(source.text());
  Token token;
  for (scanner.next(token); token.kind != TokenKind::EndOfFile && token.begin < part.end; scanner.next(token)) {
    while (known != named.end() && known->range.end <= token.begin)
      ++known;
    if (known != named.end() && known->range.begin < token.end)
      continue;
    const StringRef text = scanner.text(token.range());
    if (token.kind == TokenKind::Integer || token.kind == TokenKind::Float)
      add(token.range(), SemanticToken::Number);
    else if (text.starts_with(".") && token.kind != TokenKind::Bad) {
      const isa::WordId word = isa::findWord(text);
      const bool isType = word && isa::word(word).typeKind != isa::TypeKind::None;
      add(token.range(), isType ? SemanticToken::Type : SemanticToken::Directive);
    }
  }
}

std::vector<SemanticToken> Colourer::take() {
  llvm::stable_sort(tokens,
                    [](const SemanticToken &a, const SemanticToken &b) { return a.range.begin < b.range.begin; });
  std::vector<SemanticToken> out;
  for (const SemanticToken &token : tokens)
    if ((out.empty() || out.back().range.end <= token.range.begin) &&
        source.text(token.range).find_first_of("\r\n") == StringRef::npos)
      out.push_back(token);
  return out;
}

/// Opcodes that the version or target lacks are marked.
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

/// The whole text, or a part of it with several functions.
std::vector<SemanticToken> tokensOfAll(Document &document, Range part) {
  const SourceBuffer &source = document.source();
  Parser parser;
  Knowledge knowledge;
  DiagnosticSink sink;
  ModuleCheck module(parser.ast(), knowledge, source, document.options(), sink);
  Colourer colourer(source, part);
  parser.parse(source, sink, /*keepBodies=*/false, [&](const Ast &, Statement item) {
    if (const Body *body = module.item(item); body && body->function->range.begin < part.end)
      colourer.body(*body);
  });
  colourer.mentions(mentionsInModule(parser.ast(), source, module.symbols()), parser.ast());
  colourer.rest(parser.ast());
  return colourer.take();
}

/// Of one function, or of what is outside.
void addExcerpt(const Excerpt &excerpt, Range part, std::vector<SemanticToken> &tokens) {
  Colourer colourer(excerpt.source(), {0, static_cast<uint32_t>(excerpt.text().size())});
  if (excerpt.body())
    colourer.body(*excerpt.body());
  else
    colourer.mentions(mentionsIn(excerpt), excerpt.ast());
  colourer.rest(excerpt.ast());
  for (SemanticToken &token : colourer.take()) {
    if (!excerpt.isInDocument(token.range))
      continue;
    token.range = excerpt.placeOf(token.range);
    if (token.range.begin < part.end && part.begin < token.range.end)
      tokens.push_back(token);
  }
}

/// Of a part that a screen shows: few functions.
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
  for (const SemanticToken &token : tokens) // the head of a function is in both
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
