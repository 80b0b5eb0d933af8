#include "Editor/Structure.h"
#include "Editor/Excerpt.h"
#include "Editor/Statements.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using llvm::StringRef;

namespace {

/// Converts the items of a module into symbols.
class SymbolCollector {
public:
  explicit SymbolCollector(std::vector<DocumentSymbol> &symbols) : symbols(symbols) {}
  void item(const Ast &ast, Statement item);

private:
  void declarations(const Ast &ast, Slice slice, DocumentSymbol::Kind kind, DocumentSymbol &owner);
  void body(const Ast &ast, const ptxray::Function &function, DocumentSymbol &owner);
  DocumentSymbol declaration(const Ast &ast, const Declaration &one, DocumentSymbol::Kind kind) const;

  std::vector<DocumentSymbol> &symbols;
};

DocumentSymbol SymbolCollector::declaration(const Ast &ast, const Declaration &one, DocumentSymbol::Kind kind) const {
  DocumentSymbol symbol;
  auto text = [&](SpellingId id) { return id == SpellingId::None ? std::string() : ast.text(id).str(); };
  symbol.kind = text(one.space) == ".reg" ? DocumentSymbol::Register : kind;
  symbol.name = ast.text(one.name).str();
  if (one.isParameterised)
    symbol.name += "<" + std::to_string(one.count) + ">";
  symbol.detail =
      text(one.space) + (one.vector == SpellingId::None ? "" : " " + text(one.vector)) + " " + text(one.type);
  symbol.nameRange = one.nameRange;
  symbol.range = {std::min(one.range.begin, one.nameRange.begin), std::max(one.range.end, one.nameRange.end)};
  return symbol;
}

void SymbolCollector::declarations(const Ast &ast, Slice slice, DocumentSymbol::Kind kind, DocumentSymbol &owner) {
  for (const Declaration &one : llvm::ArrayRef(ast.declarations).slice(slice.first, slice.count))
    if (one.name != NameId::None)
      owner.children.push_back(declaration(ast, one, kind));
}

void SymbolCollector::body(const Ast &ast, const ptxray::Function &function, DocumentSymbol &owner) {
  for (const Statement one : llvm::ArrayRef(ast.statements).slice(function.body.first, function.body.count)) {
    if (one.kind == StatementKind::Declaration && ast.declarations[one.index].name != NameId::None)
      owner.children.push_back(declaration(ast, ast.declarations[one.index], DocumentSymbol::Variable));
    if (one.kind != StatementKind::Label)
      continue;
    const ptxray::Label &label = ast.labels[one.index];
    const StringRef name = ast.text(label.name);
    const Range range{label.range.begin, label.range.begin + static_cast<uint32_t>(name.size())};
    owner.children.push_back({DocumentSymbol::Label, name.str(), "", range, range, {}});
  }
}

void SymbolCollector::item(const Ast &ast, Statement item) {
  if (item.kind == StatementKind::Declaration && ast.declarations[item.index].name != NameId::None)
    symbols.push_back(declaration(ast, ast.declarations[item.index], DocumentSymbol::Variable));
  if (item.kind != StatementKind::Function)
    return;
  const ptxray::Function &function = ast.functions[item.index];
  if (function.name == NameId::None)
    return;
  DocumentSymbol symbol;
  symbol.kind = function.kind == FunctionKind::Entry ? DocumentSymbol::Kernel : DocumentSymbol::Function;
  symbol.name = ast.text(function.name).str();
  symbol.detail = function.kind == FunctionKind::Entry ? ".entry" : ".func";
  symbol.range = function.range;
  symbol.nameRange = function.nameRange;
  declarations(ast, function.returns, DocumentSymbol::Parameter, symbol);
  declarations(ast, function.parameters, DocumentSymbol::Parameter, symbol);
  body(ast, function, symbol);
  symbols.push_back(std::move(symbol));
}

} // namespace

std::vector<DocumentSymbol> documentSymbols(Document &document) {
  std::vector<DocumentSymbol> symbols;
  if (!document.isPtx())
    return symbols;
  SymbolCollector collector(symbols);
  Parser parser;
  DiagnosticSink sink;
  parser.stream(document.source(), sink, [&](const Ast &ast, Statement item) { collector.item(ast, item); });
  return symbols;
}

// ---- folding

namespace {

class FoldingFinder {
public:
  explicit FoldingFinder(StringRef text) : text(text) {}
  std::vector<Folding> run();

private:
  void lineStart();
  void endRun(uint32_t end);
  size_t skipHidden(size_t at);

  StringRef text;
  std::vector<Folding> found;
  llvm::SmallVector<uint32_t, 16> braces;
  /// A sequence of lines that contain only comments, or only debugging directives.
  Folding lines{Folding::Region, {0, 0}};
  size_t at = 0;
};

void FoldingFinder::endRun(uint32_t end) {
  if (lines.kind != Folding::Region && text.slice(lines.range.begin, end).trim().contains('\n'))
    found.push_back({lines.kind,
                     {lines.range.begin,
                      lines.range.begin + static_cast<uint32_t>(text.slice(lines.range.begin, end).rtrim().size())}});
  lines.kind = Folding::Region;
}

/// Classifies the line that begins here.
void FoldingFinder::lineStart() {
  const StringRef line = text.substr(at, 512).split('\n').first.ltrim();
  const Folding::Kind kind = line.starts_with("//")                                  ? Folding::Comment
                             : line.starts_with(".loc") || line.starts_with(".file") ? Folding::Lines
                                                                                     : Folding::Region;
  if (kind == lines.kind)
    return;
  endRun(static_cast<uint32_t>(at));
  lines = {kind, {static_cast<uint32_t>(at), 0}};
}

size_t FoldingFinder::skipHidden(size_t from) {
  const StringRef rest = text.drop_front(from);
  if (rest.starts_with("//"))
    return std::min(text.find('\n', from), text.size());
  const bool isComment = rest.starts_with("/*");
  if (!isComment && !rest.starts_with("\""))
    return from + 1;
  const size_t close = isComment ? text.find("*/", from + 2) : text.find('"', from + 1);
  const size_t end = close == StringRef::npos ? text.size() : close + (isComment ? 2 : 1);
  if (isComment && rest.take_front(end - from).contains('\n'))
    found.push_back({Folding::Comment, {static_cast<uint32_t>(from), static_cast<uint32_t>(end)}});
  return end;
}

std::vector<Folding> FoldingFinder::run() {
  lineStart();
  while (at < text.size()) {
    const char c = text[at];
    if (c == '/' || c == '"') {
      at = skipHidden(at);
      continue;
    }
    if (c == '{')
      braces.push_back(static_cast<uint32_t>(at));
    if (c == '}' && !braces.empty()) {
      const Range range{braces.pop_back_val(), static_cast<uint32_t>(at + 1)};
      if (text.slice(range.begin, range.end).contains('\n'))
        found.push_back({Folding::Region, range});
    }
    ++at;
    if (c == '\n')
      lineStart();
  }
  endRun(static_cast<uint32_t>(text.size()));
  llvm::stable_sort(found, [](const Folding &a, const Folding &b) { return a.range.begin < b.range.begin; });
  return std::move(found);
}

} // namespace

std::vector<Folding> foldings(Document &document) {
  return document.isPtx() ? FoldingFinder(document.text()).run() : std::vector<Folding>();
}

// ---- selection

/// Adds a range if it contains the previous one and is larger.
static void widen(std::vector<Range> &ranges, Range next) {
  const Range last = ranges.back();
  if (next.begin <= last.begin && last.end <= next.end && next != last)
    ranges.push_back(next);
}

std::vector<Range> selectionsAt(Document &document, uint32_t place) {
  std::vector<Range> ranges{wordAt(document.text(), place)};
  const Excerpt *excerpt = document.excerptAt(place);
  const auto offset = excerpt ? excerpt->offsetOf(place) : std::nullopt;
  if (offset) {
    auto add = [&](Range range) {
      if (range.size() && excerpt->isInDocument(range))
        widen(ranges, excerpt->placeOf(range));
    };
    if (const auto found = instructionAt(*excerpt, *offset)) {
      for (const Operand &operand : llvm::reverse(excerpt->ast().operandsOf(found->instruction->operands)))
        if (operand.range.begin <= *offset && *offset <= operand.range.end)
          add(operand.range);
      add(found->instruction->range);
    }
    std::vector<Folding> blocks;
    for (const Folding &folding : FoldingFinder(excerpt->text()).run())
      if (folding.kind == Folding::Region && folding.range.begin <= *offset && *offset <= folding.range.end)
        blocks.push_back(folding);
    constexpr size_t mostBlocks = 64; // limit of clients
    for (const Folding &block : llvm::reverse(llvm::ArrayRef(blocks).take_back(mostBlocks)))
      add(block.range);
    if (excerpt->body())
      add(excerpt->body()->function->range);
  }
  widen(ranges, {0, static_cast<uint32_t>(document.text().size())});
  return ranges;
}

} // namespace ptxray
