#include "Parse/Builder.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <limits>

namespace ptxray {

llvm::StringRef Ast::text(NameId name) const {
  return name == NameId::None ? llvm::StringRef() : names->text(uint32_t(name));
}
llvm::StringRef Ast::text(SpellingId spelling) const {
  return spelling == SpellingId::None ? llvm::StringRef() : spellings->text(uint32_t(spelling));
}

void Builder::start(llvm::StringRef text, Bodies bodies, Parser::ItemFn fn) {
  source = text;
  keepBodies = bodies == Bodies::Kept;
  onItem.emplace(fn);
  delivered = 0;
  inBody = false;
  bodyMark = itemMark = statementMark = {};
  beforeItem = last = ahead = saved = Token();
  blocks = 0;
  reported = false;
  pendingLinkage = SpellingId::None;
  sink = nullptr;
  ast.lost.clear();
  ast.unread.clear();
  for (const uint32_t spelling : usedSplits)
    splits[spelling] = Split();
  usedSplits.clear();
  joined.clear();
  cut(Mark{});
  dropStatement();
}

Builder::Mark Builder::mark() const {
  return {ast.module.size(),     ast.statements.size(),   ast.instructions.size(), ast.brokenInstructions.size(),
          ast.operands.size(),   ast.operandNames.size(), ast.labels.size(),       ast.declarations.size(),
          ast.directives.size(), ast.functions.size(),    ast.dims.size()};
}

void Builder::cut(const Mark &mark) {
  assert(mark.statements <= ast.statements.size() && mark.operands <= ast.operands.size() &&
         mark.instructions <= ast.instructions.size() && "the omitted text was read after the mark");
  ast.module.resize(mark.module, Statement{StatementKind::Label, 0});
  ast.statements.resize(mark.statements, Statement{StatementKind::Label, 0});
  ast.instructions.resize(mark.instructions);
  ast.brokenInstructions.resize(mark.brokenInstructions);
  ast.operands.resize(mark.operands);
  ast.operandNames.resize(mark.operandNames);
  ast.labels.resize(mark.labels);
  ast.declarations.resize(mark.declarations);
  ast.directives.resize(mark.directives);
  ast.functions.resize(mark.functions);
  ast.dims.resize(mark.dims);
  statementMark = mark;
}

void Builder::dropStatement() {
  cut(statementMark);
  openFunctions.clear();
  resetStatement();
}

void Builder::breakStatement() {
  std::optional<Instruction> begun;
  if (ast.instructions.size() > statementMark.instructions)
    begun = ast.instructions.back();
  dropStatement();
  // A word without dots may be anything, such as a label, or a misspelt directive.
  if (!begun || !ast.text(begun->opcode).contains('.'))
    return;
  begun->operands = begun->names = {};
  begun->range.end = begun->opcodeRange.end;
  ast.brokenInstructions.push_back(*begun);
  add(StatementKind::BrokenInstruction, ast.brokenInstructions.size() - 1);
  resetStatement();
}

uint32_t Builder::dropItem() {
  inBody = false;
  pendingLinkage = SpellingId::None;
  statementMark = itemMark;
  dropStatement();
  return beforeItem.end;
}

// ---- pieces of directives and initialisers

void Builder::number(const Token &token) {
  Operand &operand = push(token.kind == TokenKind::Float ? OperandKind::Float : OperandKind::Integer, token.range());
  operand.flags = token.flags;
  operand.value = token.value;
}

void Builder::string(const Token &token) {
  // In a faulty text, a string over several lines is caused by a lost or stray quote, which the other pass reports.
  if (!sink && !ast.lost.empty() && source.slice(token.begin, token.end).contains('\n'))
    throw FastPassFailed();
  text(token.range());
}

void Builder::text(Range range) {
  llvm::StringRef text = source.slice(range.begin, range.end);
  push(OperandKind::String, range).name = NameId(names.intern(text.data(), text.size()));
}

void Builder::word(const Token &token) { push(OperandKind::Name, token.range()).name = NameId(token.id); }

void Builder::dotted(const Token &token) { push(OperandKind::Name, token.range()).suffix = SpellingId(token.id); }

// Opens a List for `.b8 1, 2` in a section.
void Builder::openWord(const Token &token) {
  open(OperandKind::List, token);
  ast.operands.back().suffix = SpellingId(token.id);
}

static std::optional<uint64_t> largestOf(llvm::StringRef type, llvm::StringRef kind) {
  if (type.consume_front(kind))
    for (const auto &[bits, largest] : {std::pair<llvm::StringRef, uint64_t>{"8", UINT8_MAX},
                                        {"64", UINT64_MAX},
                                        {"32", UINT32_MAX},
                                        {"16", UINT16_MAX}})
      if (type == bits)
        return largest;
  return std::nullopt;
}

// Returns the bound below which the values of a list may be dropped. The values of a debugging section would take many
// times the memory of their text. Therefore, unless the Ast is kept, lists that consist only of small numbers are
// dropped as soon as they are read.
std::optional<uint64_t> Builder::largestDropped() const {
  return keepBodies ? std::nullopt : largestOf(ast.text(ast.operands[openNodes.back()].suffix), ".b");
}

// Returns the bound below which values of an initialiser are only counted, because those of a table would take as much
// memory. Nested lists are stored; otherwise it would be unknown how many values each has.
std::optional<uint64_t> Builder::largestCounted() const {
  const bool isWholeList = openNodes.size() == 1 && decl.dims.count == 1 && decl.vector == SpellingId::None;
  if (keepBodies || !isWholeList)
    return std::nullopt;
  const std::optional<uint64_t> largest = largestOf(ast.text(decl.type), ".b");
  return largest ? largest : largestOf(ast.text(decl.type), ".u");
}

void Builder::closeValues() {
  const std::optional<uint64_t> largest = largestDropped();
  close(last);
  auto isDropped = [largest](const Operand &value) {
    return value.kind == OperandKind::Integer && uint64_t(value.value) <= *largest;
  };
  if (largest && llvm::all_of(llvm::drop_begin(ast.operands, lastNode + 1), isDropped))
    ast.operands.resize(lastNode);
}

// Opens a List with a name and one child for `generic(a)`.
void Builder::openCall(const Token &token) {
  uint32_t index = ast.operands.size() - 1;
  ast.operands[index].kind = OperandKind::List;
  if (ast.text(ast.operands[index].name) != "generic")
    fail(DiagId::SyntaxError, token.range(), "(", "`,` or `;`");
  openNodes.push_back(index);
}

// Opens a List without a name for `0xff(a)`. The mask is its first child.
void Builder::openMask(const Token &) {
  endExpression();
  beginPair();
  ast.operands[openNodes.back()].kind = OperandKind::List;
}

void Builder::beginKey() { beginPair(); }
void Builder::endKey() { endPair(); }

// ---- directives

void Builder::beginDirective(const Token &token) {
  directive = Directive();
  directive.name = SpellingId(token.id);
  directive.nameRange = directive.range = token.range();
  directive.operands.first = ast.operands.size();
}

void Builder::endDirective() {
  directive.operands.count = ast.operands.size() - directive.operands.first;
  directive.range.end = last.end;
  uint32_t index = ast.directives.size();
  ast.directives.push_back(directive);
  if (openFunctions.empty())
    add(StatementKind::Directive, index);
}

void Builder::endAttribute(const Token &token) {
  directive.operands.count = ast.operands.size() - directive.operands.first;
  directive.range.end = token.end;
  if (openFunctions.empty() && decl.attributes.count++ == 0)
    decl.attributes.first = ast.directives.size();
  ast.directives.push_back(directive);
}

void Builder::dwarf(const Token &token) {
  directive = Directive();
  directive.name = SpellingId(spellings.internCopy("@@DWARF"));
  directive.nameRange = {token.begin, token.begin + 7};
  directive.range = {token.begin, token.begin};
  directive.operands.first = ast.operands.size();
  text({token.begin + 7, token.end});
  endDirective();
}

void Builder::beginLabelled(const Token &token) {
  beginDirective(token);
  directive.label = NameId(saved.id);
  directive.range.begin = saved.begin;
}

// ---- declarations

void Builder::linkage(const Token &token) {
  pendingLinkage = SpellingId(token.id);
  linkageRange = token.range();
}

/// Returns a size as a non-negative number, because -1 means that it is absent.
static int64_t sizeOf(const Token &token) {
  return static_cast<int64_t>(std::min<uint64_t>(token.value, std::numeric_limits<int64_t>::max()));
}

void Builder::declAlignValue(const Token &token) {
  decl.align = sizeOf(token);
  decl.isAlignedBehind = decl.type != SpellingId::None;
}

void Builder::declSpace(const Token &token) {
  decl.space = SpellingId(token.id);
  decl.spaceRange = token.range();
  decl.range = token.range();
  decl.linkage = SpellingId::None;
  if (openFunctions.empty() && pendingLinkage != SpellingId::None) {
    decl.linkage = pendingLinkage;
    decl.range.begin = linkageRange.begin;
    pendingLinkage = SpellingId::None;
  }
}

void Builder::declType(const Token &token) {
  if (decl.type != SpellingId::None)
    decl.vector = decl.type;
  decl.type = SpellingId(token.id);
  decl.typeRange = token.range();
}

void Builder::declPtr() { decl.isPtr = true; }
void Builder::declPtrSpace(const Token &token) { decl.ptrSpace = SpellingId(token.id); }
void Builder::declPtrAlign(const Token &token) { decl.ptrAlign = sizeOf(token); }

void Builder::declName(const Token &token) {
  decl.name = nameOf(token);
  decl.nameRange = token.range();
  decl.isParameterised = decl.hasInitialiser = false;
  decl.count = 0;
  decl.dims = {uint32_t(ast.dims.size()), 0};
  decl.initialiser = {uint32_t(ast.operands.size()), 0};
}

void Builder::declCount(const Token &token) {
  decl.isParameterised = true;
  decl.count = std::min<uint64_t>(token.value, UINT32_MAX);
}

void Builder::openDim() {
  ast.dims.push_back(-1);
  ++decl.dims.count;
}
void Builder::declDim(const Token &token) { ast.dims.back() = sizeOf(token); }

void Builder::beginInitialiser() { decl.hasInitialiser = true; }
void Builder::endInitialiser() { decl.initialiser.count = ast.operands.size() - decl.initialiser.first; }

void Builder::endDeclarator() {
  decl.range.end = last.end;
  uint32_t index = ast.declarations.size();
  ast.declarations.push_back(decl);
  if (openFunctions.empty()) {
    add(StatementKind::Declaration, index);
    statementMark = mark();
  } else {
    decl = Declaration();
  }
}

void Builder::endDeclarations() {
  decl.isNameless = !decl.nameRange.end;
  if (decl.isNameless)
    endDeclarator();
  decl = Declaration();
}

// ---- functions

void Builder::beginFunction(const Token &token) {
  Function f;
  f.kind = token.kind == TokenKind::Entry ? FunctionKind::Entry : FunctionKind::Func;
  f.head = f.range = token.range();
  if (pendingLinkage != SpellingId::None) {
    f.linkage = pendingLinkage;
    f.head.begin = f.range.begin = linkageRange.begin;
    pendingLinkage = SpellingId::None;
  }
  f.directives.first = ast.directives.size();
  f.parameters.first = f.returns.first = ast.declarations.size();
  openFunctions.push_back(ast.functions.size());
  ast.functions.push_back(f);
}

void Builder::functionName(const Token &token) {
  if (token.id == NameSink)
    fail(DiagId::SinkName, token.range());
  Function &f = ast.functions[openFunctions.back()];
  f.name = NameId(token.id);
  f.nameRange = token.range();
}

void Builder::beginReturns() {
  Function &f = ast.functions[openFunctions.back()];
  f.hasReturn = true;
  f.returns.first = ast.declarations.size();
}
void Builder::endReturns() {
  Function &f = ast.functions[openFunctions.back()];
  f.returns.count = ast.declarations.size() - f.returns.first;
}
void Builder::beginParameters() { ast.functions[openFunctions.back()].parameters.first = ast.declarations.size(); }
void Builder::endParameters() {
  Function &f = ast.functions[openFunctions.back()];
  f.parameters.count = ast.declarations.size() - f.parameters.first;
}

void Builder::endHead() {
  Function &f = ast.functions[openFunctions.back()];
  f.directives.count = ast.directives.size() - f.directives.first;
  f.head.end = f.range.end = last.end;
}

void Builder::beginBody() {
  // Following statements belong to the body; `function` is the current function.
  function = openFunctions.pop_back_val();
  Function &f = ast.functions[function];
  f.hasBody = true;
  f.brace = last.begin;
  f.body.first = ast.statements.size();
  inBody = true;
  blocks = 0;
  statementEnd();
  bodyMark = mark();
}

std::optional<uint32_t> Builder::passBodyOver() {
  Function &f = ast.functions[function];
  const auto found = llvm::partition_point(skippedBodies, [&](Range one) { return one.begin < f.brace; });
  if (found == skippedBodies.end() || found->begin != f.brace)
    return std::nullopt;
  f.isPassedOver = true;
  return found->end;
}

void Builder::endBody() {
  Function &f = ast.functions[function];
  f.body.count = ast.statements.size() - f.body.first;
  inBody = false;
  openFunctions.push_back(function);
}

void Builder::endFunction() {
  uint32_t index = openFunctions.pop_back_val();
  Function &f = ast.functions[index];
  f.range.end = last.end;
  add(StatementKind::Function, index);
}

void Builder::beginPrototype(const Token &token) {
  beginFunction(token);
  Function &f = ast.functions[openFunctions.back()];
  f.kind = FunctionKind::Prototype;
  f.name = NameId(saved.id);
  f.nameRange = saved.range();
  f.range.begin = f.head.begin = saved.begin;
}

void Builder::prototypeName(const Token &token) {
  if (token.id != NameSink)
    fail(DiagId::SyntaxError, token.range(), names.text(token.id), "`_`");
}

// ---- statements

void Builder::add(StatementKind kind, uint32_t index) {
  (inBody ? ast.statements : ast.module).push_back({kind, index});
}

void Builder::blockBegin(const Token &token) {
  if (++blocks == deepestNesting + 1)
    fail(DiagId::NestingTooDeep, token.range(), deepestNesting, "blocks");
  add(StatementKind::BlockBegin, token.begin);
  statementEnd();
}

void Builder::blockEnd(const Token &token) {
  if (blocks == 0)
    return; // the recovering pass invented this label
  --blocks;
  add(StatementKind::BlockEnd, token.begin);
  statementEnd();
}

void Builder::closeBlocks(uint32_t offset) {
  for (; blocks; --blocks)
    add(StatementKind::BlockEnd, offset);
  statementEnd();
}

void Builder::guardBegin(const Token &token) {
  guardStart = token.begin;
  guardIsNot = false;
}

void Builder::guard(const Token &token) {
  // Otherwise, the rest of the name in `@p%1 ret;` would be treated as an instruction. The recovering pass reads it as
  // one name.
  if (!sink && ahead.begin == token.end)
    throw FastPassFailed();
  guardName = NameId(token.id);
  guardRange = {guardStart, token.end};
}

void Builder::label() {
  // The label of a call prototype or of a target list is its name.
  if (ahead.kind == TokenKind::Targets || ahead.kind == TokenKind::Prototype)
    return;
  uint32_t index = ast.labels.size();
  uint32_t id = saved.id;
  if (id == NameSink)
    fail(DiagId::SinkName, saved.range());
  if (isDottedCall(saved)) {
    llvm::StringRef text = spellings.text(id);
    fail(DiagId::SyntaxError, saved.range(), text, "a name");
    id = names.intern(text.data(), text.size());
  }
  ast.labels.push_back({NameId(id), saved.range()});
  add(StatementKind::Label, index);
  statementEnd();
}

void Builder::opcode(const Token &token) {
  Instruction &inst = ast.instructions.emplace_back();
  inst.opcodeRange = inst.range = token.range();
  inst.opcode = SpellingId(token.id);
  bool isName = token.kind == TokenKind::Id || (token.kind == TokenKind::Call && !isDottedCall(token));
  if (isName) {
    llvm::StringRef text = names.text(token.id);
    inst.opcode = SpellingId(spellings.intern(text.data(), text.size()));
  }
  if (guardName != NameId::None) {
    inst.guard = guardName;
    inst.guardNot = guardIsNot;
    inst.guardRange = guardRange;
    inst.range.begin = guardRange.begin;
    guardName = NameId::None;
  }
  inst.operands.first = ast.operands.size();
  if (inst.guard != NameId::None)
    ast.operandNames.push_back(inst.guard);
  inst.names.first = ast.operandNames.size();
}

void Builder::qualifier(const Token &token) {
  Instruction &inst = ast.instructions.back();
  inst.opcodeRange.end = token.end;
  uint64_t key = uint64_t(inst.opcode) << 32 | token.id;
  auto [found, isNew] = joined.try_emplace(key, 0);
  if (isNew)
    found->second = spellings.internCopy(ast.text(inst.opcode).str() + spellings.text(token.id).str());
  inst.opcode = SpellingId(found->second);
}

void Builder::resetStatement() {
  statementMark = mark();
  operations.clear();
  values.clear();
  openNodes.clear();
  decl = Declaration();
  guardName = NameId::None;
}

// Returns whether an item of the module may begin with a token of this kind.
static bool startsItem(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndOfFile:
  case TokenKind::Version:
  case TokenKind::Target:
  case TokenKind::AddressSize:
  case TokenKind::File:
  case TokenKind::Section:
  case TokenKind::MetadataSection:
  case TokenKind::SourceSection:
  case TokenKind::Dwarf:
  case TokenKind::Pragma:
  case TokenKind::Alias:
  case TokenKind::Linkage:
  case TokenKind::Align:
  case TokenKind::Attribute:
  case TokenKind::Space:
  case TokenKind::Entry:
  case TokenKind::Func: return true;
  default: return false;
  }
}

void Builder::itemEnd() {
  // A statement after a function means that a brace of the function is wrong, so the function must be parsed again.
  const bool afterFunction = !ast.module.empty() && ast.module.back().kind == StatementKind::Function;
  const llvm::StringRef space = ahead.kind == TokenKind::Space ? ast.text(SpellingId(ahead.id)) : llvm::StringRef();
  const bool inside = space == ".param" || (afterFunction && (space == ".reg" || space == ".local"));
  if (!sink && (!startsItem(ahead.kind) || inside))
    throw FastPassFailed();
  statementEnd();
  pendingLinkage = SpellingId::None;
  while (delivered < ast.module.size())
    (*onItem)(ast, ast.module[delivered++]);
  if (!keepBodies && bodyMark.functions) {
    Function &last = ast.functions[function];
    last.body = {};
    Mark keep = bodyMark;
    keep.module = ast.module.size();
    cut(keep);
    bodyMark = {};
  }
  itemMark = mark();
  beginItem();
}

} // namespace ptxray
