// Collects the mentions of names from the arrays of a body.
#include "Editor/MergeByPlace.h"
#include "Editor/Names.h"
#include "Parse/Scanner.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

class MentionCollector {
public:
  MentionCollector(const Ast &ast, const SourceBuffer &source, llvm::ArrayRef<Symbol> symbols)
      : ast(ast), source(source) {
    for (const Symbol &symbol : symbols)
      declaredAt.try_emplace(symbol.nameRange.begin, &symbol);
  }

  void instructions(const Body &body);
  void rest(const Body &body);
  void declaration(const Declaration &declaration);
  void function(const Function &function);
  void operands(Slice nodes, llvm::function_ref<const Symbol *(NameId)> find);
  void unread(const Body &body);
  std::vector<Mention> take();

  void add(NameId name, Range range, const Symbol *symbol, uint8_t uses = 0, bool isDeclaration = false) {
    if (name != NameId::None && range.size())
      found.push_back({range, name, symbol, uses, isDeclaration});
  }
  const Symbol *declared(Range range) const { return declaredAt.lookup(range.begin); }

private:
  /// Returns the range of the name alone, without signs, offset and suffix.
  Range nameIn(Range range, NameId name) const {
    const llvm::StringRef text = ast.text(name), written = source.text(range);
    const size_t at = written.starts_with(text) ? 0 : written.find(text);
    if (at == llvm::StringRef::npos)
      return {};
    const auto begin = range.begin + static_cast<uint32_t>(at);
    return {begin, begin + static_cast<uint32_t>(text.size())};
  }

  const Ast &ast;
  const SourceBuffer &source;
  llvm::DenseMap<uint32_t, const Symbol *> declaredAt; // keyed by the begin of the name
  std::vector<Mention> found;
};

void MentionCollector::instructions(const Body &body) {
  std::vector<uint8_t> uses;
  found.reserve(found.size() + body.size() * 3);
  for (uint32_t number = 0; number < body.size(); ++number) {
    const Instruction &one = body.instruction(number);
    const llvm::ArrayRef<Operand> nodes = ast.operandsOf(one.operands);
    uses.assign(nodes.size(), 0);
    for (const NodeUse use : body.facts(number).nodes)
      if (use.node < uses.size())
        uses[use.node] = use.uses;
    if (const LocalId guard = body.guard(number); guard != LocalId::None) {
      const auto length = static_cast<uint32_t>(ast.text(one.guard).size());
      add(one.guard, {one.guardRange.end - length, one.guardRange.end}, body.symbol(guard), Reads);
    }
    const LocalId *local = body.namesOf(number).data();
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].kind == OperandKind::Name) {
        add(nodes[i].name, nameIn(nodes[i].range, nodes[i].name), body.symbol(*local), uses[i]);
        ++local;
      }
  }
}

/// Adds the names between the instructions.
void MentionCollector::rest(const Body &body) {
  for (const PlacedLabel &label : body.labels) {
    const Label &written = ast.labels[label.index];
    add(written.name, nameIn(written.range, written.name), body.symbol(label.local), 0, /*isDeclaration=*/true);
  }
  for (const PlacedDirective &placed : body.directives) {
    const Directive &directive = ast.directives[placed.index];
    if (directive.label != NameId::None) {
      const Range label = nameIn(directive.range, directive.label);
      add(directive.label, label, declared(label), 0, /*isDeclaration=*/true);
    }
    uint32_t target = placed.targets.first;
    for (const Operand &operand : ast.operandsOf(directive.operands))
      if (operand.kind == OperandKind::Name && operand.name != NameId::None && target < placed.targets.end())
        add(operand.name, nameIn(operand.range, operand.name), body.symbol(body.targets[target++]), Targets);
  }
  for (const Statement one : llvm::ArrayRef(ast.statements).slice(body.function->body.first, body.function->body.count))
    if (one.kind == StatementKind::Function)
      function(ast.functions[one.index]);
    else if (one.kind == StatementKind::Declaration)
      declaration(ast.declarations[one.index]);
}

void MentionCollector::declaration(const Declaration &declaration) {
  add(declaration.name, declaration.nameRange, declared(declaration.nameRange), 0, /*isDeclaration=*/true);
}

void MentionCollector::function(const Function &function) {
  const auto declarations = [&](Slice slice) {
    for (const Declaration &one : llvm::ArrayRef(ast.declarations).slice(slice.first, slice.count))
      declaration(one);
  };
  declarations(function.returns); // results precede the name
  add(function.name, function.nameRange, declared(function.nameRange), 0, /*isDeclaration=*/true);
  declarations(function.parameters);
}

void MentionCollector::operands(Slice nodes, llvm::function_ref<const Symbol *(NameId)> find) {
  for (const Operand &operand : ast.operandsOf(nodes))
    if (operand.name != NameId::None && operand.kind == OperandKind::Name)
      add(operand.name, nameIn(operand.range, operand.name), find(operand.name), Names);
}

/// Adds names in statements that could not be parsed, if only one symbol has that name.
void MentionCollector::unread(const Body &body) {
  if (ast.brokenInstructions.empty() && ast.lost.empty())
    return;
  llvm::DenseSet<uint32_t> known;
  for (const Mention &mention : found)
    known.insert(mention.range.begin);
  llvm::DenseMap<uint32_t, const Symbol *> byName;
  for (const Mention &mention : found)
    if (mention.symbol)
      byName.try_emplace(static_cast<uint32_t>(mention.name), mention.symbol);
  Scanner scanner(*ast.names, *ast.spellings);
  scanner.start(source.text());
  scanner.moveTo(body.function->head.end);
  Token token;
  for (scanner.next(token); token.kind != TokenKind::EndOfFile && token.begin < body.function->range.end;
       scanner.next(token)) {
    const bool isName = token.kind == TokenKind::Id, isDotted = token.kind == TokenKind::Opcode;
    if ((!isName && !isDotted) || known.contains(token.begin))
      continue;
    const llvm::StringRef text = scanner.text(token.range()).split('.').first;
    const std::optional<uint32_t> id = ast.names->find(text);
    if (const Symbol *symbol = id ? byName.lookup(*id) : nullptr)
      add(NameId(*id), {token.begin, token.begin + static_cast<uint32_t>(text.size())}, symbol);
  }
}

std::vector<Mention> MentionCollector::take() {
  mergeByPlace(found);
  return std::move(found);
}

} // namespace

std::vector<Mention> mentionsInBody(const Body &body, const SourceBuffer &source) {
  MentionCollector collector(*body.ast, source, body.symbols);
  collector.function(*body.function);
  collector.instructions(body);
  collector.rest(body);
  collector.unread(body);
  return collector.take();
}

std::vector<Mention> mentionsInModule(const Ast &ast, const SourceBuffer &source, llvm::ArrayRef<Symbol> symbols) {
  MentionCollector collector(ast, source, symbols);
  llvm::DenseMap<uint32_t, const Symbol *> byName;
  auto find = [&](NameId name) { return byName.lookup(static_cast<uint32_t>(name)); };
  auto note = [&](NameId name, Range range) {
    if (const Symbol *symbol = collector.declared(range))
      byName.try_emplace(static_cast<uint32_t>(name), symbol);
  };
  for (const Statement item : ast.module)
    if (item.kind == StatementKind::Function)
      note(ast.functions[item.index].name, ast.functions[item.index].nameRange);
    else if (item.kind == StatementKind::Declaration)
      note(ast.declarations[item.index].name, ast.declarations[item.index].nameRange);
  for (const Statement item : ast.module) {
    if (item.kind == StatementKind::Function) {
      const Function &function = ast.functions[item.index];
      collector.add(function.name, function.nameRange, find(function.name), 0, /*isDeclaration=*/true);
    } else if (item.kind == StatementKind::Declaration) {
      const Declaration &declaration = ast.declarations[item.index];
      collector.add(declaration.name, declaration.nameRange, find(declaration.name), 0, /*isDeclaration=*/true);
      collector.operands(declaration.initialiser, find);
    } else if (item.kind == StatementKind::Directive) {
      collector.operands(ast.directives[item.index].operands, find);
    }
  }
  return collector.take();
}

std::vector<Mention> mentionsIn(const Excerpt &excerpt) {
  const Body *body = excerpt.body();
  std::vector<Mention> all =
      mentionsInModule(excerpt.ast(), excerpt.source(), body ? body->symbols : excerpt.moduleSymbols());
  if (!body)
    return all;
  const std::vector<Mention> inner = mentionsInBody(*body, excerpt.source());
  llvm::erase_if(all, [&](const Mention &mention) { return body->function->nameRange == mention.range; });
  all.insert(all.end(), inner.begin(), inner.end());
  mergeByPlace(all);
  return all;
}

const Mention *mentionAt(llvm::ArrayRef<Mention> mentions, uint32_t offset) {
  const auto behind =
      llvm::partition_point(mentions, [&](const Mention &mention) { return mention.range.begin <= offset; });
  if (behind == mentions.begin() || behind[-1].range.end < offset)
    return nullptr;
  return &behind[-1];
}

} // namespace ptxray
