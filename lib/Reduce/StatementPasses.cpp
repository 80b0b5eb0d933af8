#include "Parse/Interner.h"
#include "Reduce/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray {

using llvm::StringRef;

namespace {

/// The names that are declared between two braces, and the changes that remove them. `%r<` represents a family.
struct NameScope {
  uint32_t outer = 0, braces = 0; // braces: the change that removes the braces
  llvm::StringMap<llvm::SmallVector<uint32_t, 1>> declared = {};
};

struct NamedUses {
  uint32_t change, scope;
  llvm::SmallVector<NameId, 4> names;
};

/// The statements of a body as changes that remove them. Braces are removed once nothing is declared between them.
class BodyStatements {
public:
  BodyStatements(const ReadModule &module, Changes &changes) : module(module), ast(module.ast()), changes(changes) {}
  void add(const Function &function);

private:
  void take(Range range) { changes.push_back({.parts = {{range, ""}}}); }
  uint32_t newest() const { return static_cast<uint32_t>(changes.size() - 1); }
  void declare(NameId name, bool isFamily);
  void declareLabel(NameId name) {
    if (name != NameId::None)
      scopes.front().declared[ast.text(name)].push_back(newest());
  }
  void addStatement(Statement statement, bool isLast);
  void addInstruction(const Instruction &instruction, bool isLast);
  void addDeclaration(const Declaration &declaration);
  void addDirective(const Directive &directive);
  void endBlock(Range brace);
  void addUse(const NamedUses &use, StringRef name);
  /// Returns the range including that character, if it follows.
  Range upTo(char end, Range range) const;

  const ReadModule &module;
  const Ast &ast;
  Changes &changes;
  std::vector<NameScope> scopes = std::vector<NameScope>(1);
  uint32_t scope = 0; // the current scope
  std::vector<NamedUses> uses;
  Range lastDeclaration;
};

} // namespace

Range BodyStatements::upTo(char end, Range range) const {
  const StringRef text = module.source().text();
  const size_t next = text.find_first_not_of(" \t\r\n", range.end);
  if (next != StringRef::npos && text[next] == end)
    range.end = static_cast<uint32_t>(next + 1);
  return range;
}

void BodyStatements::declare(NameId name, bool isFamily) {
  if (scope != 0)
    changes.back().used.push_back(scopes[scope].braces);
  if (name != NameId::None)
    scopes[scope].declared[(ast.text(name) + (isFamily ? "<" : "")).str()].push_back(newest());
}

void BodyStatements::addDeclaration(const Declaration &declaration) {
  const Range range = upTo(';', declaration.range);
  if (range.begin == lastDeclaration.begin)
    changes.back().parts.front().part = range;
  else
    take(range);
  lastDeclaration = range;
  declare(declaration.name, declaration.isParameterised);
}

void BodyStatements::addInstruction(const Instruction &instruction, bool isLast) {
  take(instruction.range);
  changes.back().isNever = isLast;
  const uint32_t first = instruction.names.first - (instruction.guard != NameId::None);
  const auto names = llvm::ArrayRef(ast.operandNames).slice(first, instruction.names.end() - first);
  uses.push_back({newest(), scope, {names.begin(), names.end()}});
}

void BodyStatements::addDirective(const Directive &directive) {
  take(upTo(';', directive.range));
  declareLabel(directive.label);
  NamedUses use{newest(), scope, {}};
  for (const Operand &operand : ast.operandsOf(directive.operands))
    if (operand.name != NameId::None)
      use.names.push_back(operand.name);
  uses.push_back(std::move(use));
}

void BodyStatements::endBlock(Range brace) {
  if (scope == 0)
    return;
  changes[scopes[scope].braces].parts.push_back({brace, ""});
  scope = scopes[scope].outer;
}

void BodyStatements::addStatement(Statement statement, bool isLast) {
  const Range brace{statement.index, statement.index + 1};
  switch (statement.kind) {
  case StatementKind::Instruction: return addInstruction(ast.instructions[statement.index], isLast);
  case StatementKind::BrokenInstruction: return take(upTo(';', ast.brokenInstructions[statement.index].range));
  case StatementKind::Label:
    take(upTo(':', ast.labels[statement.index].range));
    return declareLabel(ast.labels[statement.index].name);
  case StatementKind::Declaration: return addDeclaration(ast.declarations[statement.index]);
  case StatementKind::Directive: return addDirective(ast.directives[statement.index]);
  case StatementKind::Function:
    take(ast.functions[statement.index].range);
    return declareLabel(ast.functions[statement.index].name);
  case StatementKind::BlockBegin:
    take(brace);
    scopes.push_back({scope, newest()});
    scope = static_cast<uint32_t>(scopes.size() - 1);
    return;
  case StatementKind::BlockEnd: return endBlock(brace);
  }
}

void BodyStatements::addUse(const NamedUses &use, StringRef name) {
  for (uint32_t at = use.scope;; at = scopes[at].outer) {
    const auto &declared = scopes[at].declared;
    auto found = declared.find(name);
    if (found == declared.end())
      found = declared.find((name.rtrim("0123456789") + "<").str());
    if (found != declared.end()) {
      for (const uint32_t one : found->second)
        if (one != use.change)
          changes[use.change].used.push_back(one);
      return;
    }
    if (at == 0)
      return;
  }
}

void BodyStatements::add(const Function &function) {
  uint32_t last = function.body.end();
  while (last > function.body.first && ast.statements[last - 1].kind != StatementKind::Instruction)
    --last;
  for (uint32_t i = function.body.first; i < function.body.end(); ++i)
    addStatement(ast.statements[i], i + 1 == last);
  for (const NamedUses &use : uses)
    for (const NameId name : use.names)
      if (name != NameId::None)
        addUse(use, ast.text(name));
}

Changes statementChanges(const ReadModule &module) {
  Changes changes;
  for (const Function &function : module.ast().functions)
    if (function.hasBody)
      BodyStatements(module, changes).add(function);
  return changes;
}

Changes blockChanges(const ReadModule &module) {
  const Ast &ast = module.ast();
  Changes changes;
  std::vector<uint32_t> open;
  for (const Statement one : ast.statements) {
    const Replacement brace{{one.index, one.index + 1}, ""};
    if (one.kind == StatementKind::BlockBegin) {
      open.push_back(static_cast<uint32_t>(changes.size()));
      changes.push_back({.parts = {brace}});
    } else if (one.kind == StatementKind::BlockEnd && !open.empty()) {
      changes[open.back()].parts.push_back(brace);
      open.pop_back();
    }
  }
  return changes;
}

Changes endChanges(const ReadModule &module) {
  const Ast &ast = module.ast();
  Changes changes;
  for (const Function &function : ast.functions) {
    uint32_t last = function.body.end();
    while (last > function.body.first && ast.statements[last - 1].kind != StatementKind::Instruction)
      --last;
    if (last > function.body.first)
      changes.push_back({.parts = {{ast.instructions[ast.statements[last - 1].index].range, ""}}});
  }
  return changes;
}

Changes guardChanges(const ReadModule &module) {
  Changes changes;
  for (const Instruction &one : module.ast().instructions)
    if (one.guard != NameId::None)
      changes.push_back({.parts = {{one.guardRange, ""}}});
  return changes;
}

namespace {

/// A read of a name, or a guard, and its possible replacements.
struct ReadPlace {
  uint32_t instruction;
  Range name;
};

/// Instructions that compute one register from others, which may be used instead.
class Bypasses {
public:
  explicit Bypasses(const ReadModule &module, const Body &body) : module(module), body(body) {}
  void add(Changes &changes);

private:
  Range nameIn(Range range, NameId name) const {
    const size_t at = module.source().text(range).find(module.ast().text(name));
    const auto begin = static_cast<uint32_t>(range.begin + (at == StringRef::npos ? 0 : at));
    return {begin, static_cast<uint32_t>(begin + module.ast().text(name).size())};
  }
  void findReads();
  void bypass(uint32_t number, LocalId result, StringRef source, Changes &changes) const;

  const ReadModule &module;
  const Body &body;
  llvm::DenseMap<LocalId, std::vector<ReadPlace>> reads;
};

} // namespace

void Bypasses::findReads() {
  for (uint32_t number = 0; number < body.size(); ++number) {
    if (const LocalId guard = body.guard(number); guard != LocalId::None)
      reads[guard].push_back({number, nameIn(body.instruction(number).guardRange, body.nameOf(guard))});
    body.eachUse(number, [&](NamedUse use) {
      if (body.isOwnRegister(use.local) && !(use.uses & Writes))
        reads[use.local].push_back({number, nameIn(use.operand.range, use.operand.name)});
    });
  }
}

void Bypasses::bypass(uint32_t number, LocalId result, StringRef source, Changes &changes) const {
  Change change{.parts = {{body.instruction(number).range, ""}}};
  if (const auto found = reads.find(result); found != reads.end())
    for (const ReadPlace &place : found->second)
      change.parts.push_back({place.name, source.str()});
  if (change.parts.size() > 1)
    changes.push_back(std::move(change));
}

void Bypasses::add(Changes &changes) {
  findReads();
  for (uint32_t number = 0; number < body.size(); ++number) {
    LocalId result = LocalId::None;
    unsigned written = 0;
    llvm::SmallVector<StringRef, 4> sources;
    body.eachUse(number, [&](NamedUse use) {
      if (use.uses & Writes) {
        result = use.local;
        ++written;
      } else if (body.isOwnRegister(use.local)) {
        sources.push_back(module.source().text(nameIn(use.operand.range, use.operand.name)));
      } else if (!body.symbol(use.local)) { // a special register
        sources.push_back(module.source().text(use.operand.range));
      }
    });
    if (written != 1 || !body.isOwnRegister(result) || body.definitions.only(result) != number)
      continue;
    for (const Operand &operand : module.ast().operandsOf(body.instruction(number).operands))
      if (operand.kind == OperandKind::Integer || operand.kind == OperandKind::Float)
        sources.push_back(module.source().text(operand.range));
    for (const StringRef source : sources)
      if (source != body.text(result))
        bypass(number, result, source, changes);
  }
}

Changes bypassChanges(const ReadModule &module) {
  Changes changes;
  for (const Body &body : module.bodies())
    Bypasses(module, body).add(changes);
  return changes;
}

} // namespace ptxray
