#include "Parse/Builder.h"
#include "Parse/Fingerprint.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

namespace ptxray {

llvm::StringRef Ast::text(NameId name) const {
  return name == NameId::None ? llvm::StringRef() : names->text(uint32_t(name));
}
llvm::StringRef Ast::text(SpellingId spelling) const {
  return spelling == SpellingId::None ? llvm::StringRef() : spellings->text(uint32_t(spelling));
}

void Builder::start(llvm::StringRef text, bool keep, Parser::ItemFn fn) {
  source = text;
  keepBodies = keep;
  onItem.emplace(fn);
  delivered = 0;
  inBody = false;
  bodyMark = itemMark = {};
  beforeItem = Token();
  pendingLinkage = SpellingId::None;
  sink = nullptr;
  ast.lost.clear();
  splits.clear();
  joined.clear();
  cut(Mark{});
  dropStatement();
}

Builder::Mark Builder::mark() const {
  return {ast.module.size(),     ast.statements.size(), ast.instructions.size(), ast.brokenInstructions.size(),
          ast.operands.size(),   ast.operandNames.size(), ast.labels.size(),     ast.declarations.size(),
          ast.directives.size(), ast.functions.size(),  ast.dims.size()};
}

void Builder::cut(const Mark &mark) {
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
  // A word without dots may be anything: a label, a name whose directive is misspelt.
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

void Builder::fail(DiagId id, Range range, std::initializer_list<std::string> args) {
  if (!sink)
    throw FastPassFailed();
  if (!reported)
    sink->report(id, range, args);
  reported = true;
}

// ---- constant expressions
//
// The grammar hands over signs, numbers, operators and parentheses one by one; `operations` and
// `values` are the two stacks of operator precedence parsing. Signs are applied as soon as what
// they stand before is complete.

static uint8_t precedenceOf(uint64_t op) {
  switch (op) {
  case '*': case '/': case '%':
    return 11;
  case '+': case '-':
    return 10;
  case '<' | '<' << 8: case '>' | '>' << 8:
    return 9;
  case '<': case '>': case '<' | '=' << 8: case '>' | '=' << 8:
    return 8;
  case '=' | '=' << 8: case '!' | '=' << 8:
    return 7;
  case '&':
    return 6;
  case '^':
    return 5;
  case '|':
    return 4;
  case '&' | '&' << 8:
    return 3;
  case '|' | '|' << 8:
    return 2;
  default: // the ternary
    return 1;
  }
}

void Builder::prefix(const Token &token) {
  if (operations.size() >= deepestNesting)
    return fail(DiagId::NestingTooDeep, token.range(), {std::to_string(deepestNesting), "signs"});
  operations.push_back({uint16_t(token.value), true, 12, token.begin});
}

void Builder::openGroup(const Token &token) {
  if (operations.size() >= deepestNesting)
    return fail(DiagId::NestingTooDeep, token.range(),
                {std::to_string(deepestNesting), "parentheses"});
  operations.push_back({'(', true, 0, token.begin});
}

void Builder::cast(const Token &token) {
  llvm::StringRef type = spellings.text(token.id);
  if (type != ".s64" && type != ".u64")
    fail(DiagId::CastType, token.range(), {type.str()});
  if (!operations.empty() && operations.back().op == '(') {
    operations.back().op = type == ".u64" ? 'U' : 'S';
    operations.back().precedence = 12;
  }
}

void Builder::literal(const Token &token) {
  // In a faulty text what ends the expression may be dropped, and an operator stand behind it.
  if (!sink && operations.empty() && values.empty())
    switch (ahead.kind) {
    case TokenKind::Comma: case TokenKind::Semicolon: case TokenKind::RightBrace:
    case TokenKind::RightBracket: { // nearly always: a number alone
      Operand &operand = push(token.kind == TokenKind::Float ? OperandKind::Float
                                                             : OperandKind::Integer,
                              token.range());
      operand.flags = token.flags;
      operand.value = token.value;
      if (token.kind == TokenKind::WarpSize) {
        operand.flags = WarpSize;
        operand.value = 32;
      }
      return;
    }
    default:
      break;
    }
  Constant value{Constant::Signed, token.flags, token.range(), token.value};
  if (token.kind == TokenKind::Float)
    value.kind = Constant::Real;
  else if (token.kind == TokenKind::WarpSize)
    value = {Constant::Signed, WarpSize, token.range(), 32};
  else if (token.flags & UnsignedSuffix || int64_t(token.value) < 0)
    value.kind = Constant::Unsigned;
  values.push_back(value);
  applySigns();
}

void Builder::applySigns() {
  while (!operations.empty() && operations.back().unary && operations.back().op != '(')
    applyUnary(operations.pop_back_val(), values.back());
}

void Builder::applyUnary(const Operation &operation, Constant &value) {
  value.range.begin = operation.begin;
  if (value.flags & HexFloat && !(value.flags & WideFloat))
    return noValue(value, "`0f...` stands alone; a decimal number is"); 
  if (value.kind == Constant::Real) {
    if (operation.op == '-')
      value.bits = std::bit_cast<uint64_t>(-std::bit_cast<double>(value.bits));
    else if (operation.op != '+')
      noValue(value, "an integer is");
    return;
  }
  value.flags = 0;
  switch (operation.op) {
  case '-':
    value.bits = -value.bits;
    break;
  case '!':
    value.bits = value.bits == 0;
    value.kind = Constant::Signed;
    break;
  case '~':
    value.bits = ~value.bits;
    [[fallthrough]];
  case 'U':
    value.kind = Constant::Unsigned;
    break;
  case 'S':
    value.kind = Constant::Signed;
    break;
  }
}

// Once reported, the expression goes on as the integer 0.
void Builder::noValue(Constant &value, const char *expected) {
  fail(DiagId::ConstantType, value.range, {expected});
  value = {Constant::Signed, 0, value.range, 0};
}

Builder::Constant Builder::binary(const Operation &operation, Constant left, Constant right) {
  Constant out{Constant::Signed, 0, {left.range.begin, right.range.end}, 0};
  const uint16_t op = operation.op;
  for (Constant *side : {&left, &right})
    if (side->flags & HexFloat && !(side->flags & WideFloat))
      noValue(*side, "`0f...` stands alone; a decimal number is");
  if ((left.kind == Constant::Real) != (right.kind == Constant::Real)) {
    noValue(out, "two integers or two floats are");
    return out;
  }
  if (left.kind == Constant::Real) {
    double a = std::bit_cast<double>(left.bits), b = std::bit_cast<double>(right.bits), real = 0;
    switch (op) {
    case '+': real = a + b; break;
    case '-': real = a - b; break;
    case '*': real = a * b; break;
    case '/':
      if (b == 0) {
        fail(DiagId::DivisionByZero, out.range);
        return out;
      }
      real = a / b;
      break;
    case '<': out.bits = a < b; return out;
    case '>': out.bits = a > b; return out;
    case '<' | '=' << 8: out.bits = a <= b; return out;
    case '>' | '=' << 8: out.bits = a >= b; return out;
    case '=' | '=' << 8: out.bits = a == b; return out;
    case '!' | '=' << 8: out.bits = a != b; return out;
    default: noValue(out, "an integer is"); return out;
    }
    out.kind = Constant::Real;
    out.bits = std::bit_cast<uint64_t>(real);
    return out;
  }
  uint64_t a = left.bits, b = right.bits;
  bool isUnsigned = left.kind == Constant::Unsigned || right.kind == Constant::Unsigned;
  int64_t sa = a, sb = b;
  Constant::Kind arithmetic = isUnsigned ? Constant::Unsigned : Constant::Signed;
  switch (op) {
  case '+': out.bits = a + b; out.kind = arithmetic; break;
  case '-': out.bits = a - b; out.kind = arithmetic; break;
  case '*': out.bits = a * b; out.kind = arithmetic; break;
  case '/': case '%':
    if (b == 0) {
      fail(DiagId::DivisionByZero, out.range);
    } else if (op == '%') {
      out.bits = a % b; // of unsigned operands, whatever was written
    } else {
      // The one quotient that does not fit is the dividend again.
      out.bits = isUnsigned ? a / b : sb == -1 ? -a : uint64_t(sa / sb);
      out.kind = arithmetic;
    }
    break;
  case '<' | '<' << 8: out.bits = b > 63 ? 0 : a << b; out.kind = left.kind; break;
  case '>' | '>' << 8:
    out.kind = left.kind;
    if (left.kind == Constant::Unsigned)
      out.bits = b > 63 ? 0 : a >> b;
    else
      out.bits = sa >> (b > 63 ? 63 : b);
    break;
  case '<': out.bits = isUnsigned ? a < b : sa < sb; break;
  case '>': out.bits = isUnsigned ? a > b : sa > sb; break;
  case '<' | '=' << 8: out.bits = isUnsigned ? a <= b : sa <= sb; break;
  case '>' | '=' << 8: out.bits = isUnsigned ? a >= b : sa >= sb; break;
  case '=' | '=' << 8: out.bits = a == b; break;
  case '!' | '=' << 8: out.bits = a != b; break;
  case '&': out.bits = a & b; out.kind = Constant::Unsigned; break;
  case '^': out.bits = a ^ b; out.kind = Constant::Unsigned; break;
  case '|': out.bits = a | b; out.kind = Constant::Unsigned; break;
  case '&' | '&' << 8: out.bits = a && b; break;
  case '|' | '|' << 8: out.bits = a || b; break;
  }
  return out;
}

void Builder::reduce() {
  Operation operation = operations.pop_back_val();
  if (operation.op == '(' || operation.op == '?')
    return; // unbalanced: reported where it was seen
  if (operation.unary) // before such a parenthesis
    return applyUnary(operation, values.back());
  Constant right = values.pop_back_val();
  if (operation.op == ':') {
    Constant left = values.pop_back_val();
    Constant &condition = values.back();
    Constant chosen = condition.bits ? left : right;
    chosen.range = {condition.range.begin, right.range.end};
    chosen.flags = 0;
    for (const Constant &part : {condition, left, right})
      if (part.flags & HexFloat && !(part.flags & WideFloat))
        return noValue(condition = chosen, "an integer is");
    if (condition.kind == Constant::Real)
      noValue(chosen, "an integer is");
    else if ((left.kind == Constant::Real) != (right.kind == Constant::Real))
      noValue(chosen, "two integers or two floats are");
    else if (left.kind == Constant::Unsigned || right.kind == Constant::Unsigned)
      chosen.kind = Constant::Unsigned;
    condition = chosen;
    return;
  }
  values.back() = binary(operation, values.back(), right);
}

// All that binds at least as tight, up to an open parenthesis.
void Builder::reduceTo(uint8_t precedence) {
  while (!operations.empty() && operations.back().precedence >= precedence)
    reduce();
}

void Builder::infix(const Token &token) {
  if (operations.size() >= deepestNesting)
    return fail(DiagId::NestingTooDeep, token.range(),
                {std::to_string(deepestNesting), "operators"});
  uint16_t op = token.value;
  if (op == '?') {
    reduceTo(2);
    operations.push_back({op, false, 1, token.begin});
    return;
  }
  if (op == ':') {
    reduceTo(2);
    while (!operations.empty() && operations.back().op == ':')
      reduce();
    if (operations.empty() || operations.back().op != '?')
      fail(DiagId::SyntaxError, token.range(), {":", "`;`"});
    else
      operations.back().op = ':';
    return;
  }
  uint8_t precedence = precedenceOf(op);
  reduceTo(precedence);
  operations.push_back({op, false, precedence, token.begin});
}

void Builder::closeGroup(const Token &token) {
  reduceTo(1);
  if (operations.empty() || operations.back().op != '(')
    return;
  values.back().range = {operations.pop_back_val().begin, token.end};
  applySigns();
}

Builder::Constant Builder::finishExpression() {
  while (!operations.empty()) {
    const Range end{last.end, last.end};
    if (operations.back().op == '(')
      fail(DiagId::ExpectedBracket, end, {")", source.slice(last.begin, last.end).str()});
    if (operations.back().op == '?')
      fail(DiagId::SyntaxError, end, {"end of the expression", "`:`"});
    reduce();
  }
  Constant value = values.back();
  values.clear();
  return value;
}

void Builder::endExpression() {
  if (values.empty())
    return; // `literal` has done it
  Constant value = finishExpression();
  Operand &operand = push(
      value.kind == Constant::Real ? OperandKind::Float : OperandKind::Integer, value.range);
  operand.value = value.bits;
  operand.flags = value.flags & ~UnsignedSuffix;
  if (value.kind == Constant::Unsigned)
    operand.flags |= UnsignedSuffix;
}

// ---- operands

Operand &Builder::push(OperandKind kind, Range range) {
  lastNode = ast.operands.size();
  Operand &operand = ast.operands.emplace_back();
  operand.kind = kind;
  operand.range = range;
  return operand;
}

/// `call.uni` is interned as a spelling, `call` as a name.
static bool isDottedCall(const Token &token) {
  return token.kind == TokenKind::Call && token.end - token.begin != 4;
}

void Builder::name(const Token &token) {
  if (isDottedCall(token)) [[unlikely]]
    return dottedName(token);
  if (token.id == NameSink) [[unlikely]] {
    push(OperandKind::Sink, token.range());
  } else {
    push(OperandKind::Name, token.range()).name = NameId(token.id);
    ast.operandNames.push_back(NameId(token.id));
  }
  Operand &operand = ast.operands.back();
  if (!operations.empty())
    nameSigns(operand);
}

// Before a name only a single sign makes sense: `-a`, `!p`.
void Builder::nameSigns(Operand &operand) {
  uint16_t op = operations.back().op;
  if (operations.size() > 1 || (op != '-' && op != '!'))
    fail(DiagId::SyntaxError, operand.range, {ast.text(operand.name).str(), "a constant"});
  operand.flags |= op == '-' ? Negated : Not;
  operand.range.begin = operations.front().begin;
  operations.clear();
}

void Builder::dottedName(const Token &token) {
  if (token.id >= splits.size())
    splits.resize(std::max<size_t>(token.id + 1, splits.size() * 2));
  Split &split = splits[token.id];
  llvm::StringRef text = spellings.text(token.id);
  size_t dot = text.find('.');
  if (split.name == NameId::None) {
    split.name = NameId(names.intern(text.data(), dot));
    split.suffix = SpellingId(spellings.intern(text.data() + dot, text.size() - dot));
  }
  if (text.find('.', dot + 1) != llvm::StringRef::npos)
    fail(DiagId::SyntaxError, token.range(), {text.str(), "one selector"});
  Operand &operand = push(OperandKind::Name, token.range());
  operand.name = split.name;
  operand.suffix = split.suffix;
  ast.instructions.back().hasSuffix = true;
  ast.operandNames.push_back(split.name);
  if (!operations.empty())
    nameSigns(operand);
}

void Builder::suffix(const Token &token) {
  Operand &operand = ast.operands.back();
  operand.suffix = SpellingId(token.id);
  operand.range.end = token.end;
  ast.instructions.back().hasSuffix = true;
}

void Builder::beginOffset() { openNodes.push_back(lastNode); }

void Builder::endOffset() {
  if (!values.empty())
    endExpression();
  integerOnly();
  Operand offset = ast.operands.back();
  ast.operands.pop_back();
  lastNode = openNodes.pop_back_val();
  Operand &operand = ast.operands[lastNode];
  operand.flags |= HasOffset;
  operand.value = offset.value;
  operand.range.end = last.end;
}

void Builder::openSubscript(const Token &) { openNodes.push_back(ast.operands.size() - 1); }

void Builder::closeSubscript(const Token &token) {
  if (ast.operands.back().kind != OperandKind::Name)
    integerOnly();
  uint32_t index = lastNode = openNodes.pop_back_val();
  Operand child = ast.operands.back();
  Operand &operand = ast.operands[index];
  operand.flags |= Subscript;
  operand.range.end = token.end;
  if (child.kind == OperandKind::Name) { // `a[%r]`: the register is a child
    operand.extent = 2;
    return;
  }
  operand.flags |= HasOffset;
  operand.value = child.value;
  ast.operands.pop_back();
}

// What stands before `|` becomes a child of the pair.
void Builder::beginPair() {
  Operand pair;
  pair.kind = OperandKind::Pair;
  pair.range = ast.operands[lastNode].range;
  ast.operands.insert(ast.operands.begin() + lastNode, pair);
  openNodes.push_back(lastNode);
}

void Builder::endPair() {
  uint32_t index = lastNode = openNodes.pop_back_val();
  Operand &pair = ast.operands[index];
  pair.extent = ast.operands.size() - index;
  pair.range.end = last.end;
}

void Builder::open(OperandKind kind, const Token &token) {
  if (openNodes.size() >= deepestInitialiser) {
    fail(DiagId::NestingTooDeep, token.range(), {std::to_string(deepestInitialiser), "braces"});
    throw SyntaxFault();
  }
  openNodes.push_back(ast.operands.size());
  push(kind, token.range());
}

void Builder::close(const Token &token) {
  uint32_t index = lastNode = openNodes.pop_back_val();
  Operand &operand = ast.operands[index];
  operand.extent = ast.operands.size() - index;
  operand.range.end = token.end;
}

// `[a, b]`: only a name may have something behind it.
void Builder::addressPart(const Token &comma) {
  const uint32_t address = openNodes.back();
  const Operand &first = ast.operands[address + 1];
  if (first.kind != OperandKind::Name || first.flags & HasOffset)
    fail(DiagId::SyntaxError, comma.range(), {",", "`]`"});
}

void Builder::integerOnly() {
  Operand &operand = ast.operands.back();
  if (operand.kind == OperandKind::Integer)
    return;
  fail(DiagId::ConstantType, operand.range, {"an integer is"});
  operand.kind = OperandKind::Integer;
}

void Builder::addressSuffix(const Token &token) {
  // The address is the last node at the top: walk over the operands of the instruction.
  uint32_t index = ast.instructions.back().operands.first;
  while (index + ast.operands[index].extent < ast.operands.size())
    index += ast.operands[index].extent;
  ast.operands[index].suffix = SpellingId(token.id);
  ast.instructions.back().hasSuffix = true;
  ast.operands[index].range.end = token.end;
}

// ---- pieces of directives and initialisers

void Builder::number(const Token &token) {
  Operand &operand = push(
      token.kind == TokenKind::Float ? OperandKind::Float : OperandKind::Integer, token.range());
  operand.flags = token.flags;
  operand.value = token.value;
}

void Builder::string(const Token &token) {
  // In a faulty text a string over several lines is a lost or stray quote, which the other pass reports.
  if (!sink && !ast.lost.empty() && source.slice(token.begin, token.end).contains('\n'))
    throw FastPassFailed();
  text(token.range());
}

void Builder::text(Range range) {
  llvm::StringRef text = source.slice(range.begin, range.end);
  push(OperandKind::String, range).name = NameId(names.intern(text.data(), text.size()));
}

void Builder::word(const Token &token) {
  push(OperandKind::Name, token.range()).name = NameId(token.id);
}

void Builder::dotted(const Token &token) {
  push(OperandKind::Name, token.range()).suffix = SpellingId(token.id);
}

// `.b8 1, 2` of a section: a List with a word.
void Builder::openWord(const Token &token) {
  open(OperandKind::List, token);
  ast.operands.back().suffix = SpellingId(token.id);
}

// The bytes of a debugging section would take many times the memory of their text: where nobody keeps
// the Ast, lists of nothing but numbers that fit are dropped as soon as they are read.
std::optional<uint64_t> Builder::largestDropped() const {
  const llvm::StringRef word = ast.text(ast.operands[openNodes.back()].suffix);
  unsigned bits;
  if (keepBodies || !word.starts_with(".b") || word.drop_front(2).getAsInteger(10, bits) || bits == 0 || bits > 64)
    return std::nullopt;
  return UINT64_MAX >> (64 - bits);
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

// `generic(a)`: a List with a name and one child.
void Builder::openCall(const Token &token) {
  uint32_t index = ast.operands.size() - 1;
  ast.operands[index].kind = OperandKind::List;
  if (ast.text(ast.operands[index].name) != "generic")
    fail(DiagId::SyntaxError, token.range(), {"(", "`,` or `;`"});
  openNodes.push_back(index);
}

// `0xff(a)`: a List without a name; the mask is its first child.
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

/// A size is not negative, and -1 stands for one that is not written.
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
void Builder::endInitialiser() {
  decl.initialiser.count = ast.operands.size() - decl.initialiser.first;
}

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

void Builder::endDeclarations() { decl = Declaration(); }

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
void Builder::beginParameters() {
  ast.functions[openFunctions.back()].parameters.first = ast.declarations.size();
}
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
  // From here on statements belong to the body; the function at hand is remembered by `function`.
  function = openFunctions.pop_back_val();
  Function &f = ast.functions[function];
  f.hasBody = true;
  f.body.first = ast.statements.size();
  inBody = true;
  blocks = 0;
  statementEnd();
  bodyMark = mark();
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
    fail(DiagId::SyntaxError, token.range(), {names.text(token.id).str(), "`_`"});
}

// ---- statements

void Builder::add(StatementKind kind, uint32_t index) {
  (inBody ? ast.statements : ast.module).push_back({kind, index});
}

void Builder::blockBegin(const Token &token) {
  if (++blocks == deepestNesting + 1)
    fail(DiagId::NestingTooDeep, token.range(), {std::to_string(deepestNesting), "blocks"});
  add(StatementKind::BlockBegin, token.begin);
  statementEnd();
}

void Builder::blockEnd(const Token &token) {
  if (blocks == 0)
    return; // one that the recovering pass has made up
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
  guardName = NameId(token.id);
  guardRange = {guardStart, token.end};
}

void Builder::label() {
  // Of a call prototype or a list of targets the label is the name.
  if (ahead.kind == TokenKind::Targets || ahead.kind == TokenKind::Prototype)
    return;
  uint32_t index = ast.labels.size();
  uint32_t id = saved.id;
  if (isDottedCall(saved)) {
    llvm::StringRef text = spellings.text(id);
    fail(DiagId::SyntaxError, saved.range(), {text.str(), "a name"});
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
  bool isName = token.kind == TokenKind::Id ||
                (token.kind == TokenKind::Call && !isDottedCall(token));
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
  inst.names.first = ast.operandNames.size();
}

void Builder::qualifier(const Token &token) {
  Instruction &inst = ast.instructions.back();
  inst.opcodeRange.end = token.end;
  uint64_t key = uint64_t(inst.opcode) << 32 | token.id;
  auto [found, isNew] = joined.try_emplace(key, 0);
  if (isNew)
    found->second = spellings.internCopy(
        ast.text(inst.opcode).str() + spellings.text(token.id).str());
  inst.opcode = SpellingId(found->second);
}

void Builder::endInstruction(const Token &token) {
  Instruction &inst = ast.instructions.back();
  inst.operands.count = ast.operands.size() - inst.operands.first;
  inst.names.count = ast.operandNames.size() - inst.names.first;
  Fingerprint print(inst.opcode);
  for (const Operand &operand : ast.operandsOf(inst.operands))
    print.add(writtenPrint(operand));
  inst.print = print.value();
  inst.range.end = token.end;
  ast.statements.push_back({StatementKind::Instruction, uint32_t(ast.instructions.size() - 1)});
  statementEnd();
}

void Builder::resetStatement() {
  statementMark = mark();
  operations.clear();
  values.clear();
  openNodes.clear();
  decl = Declaration();
  guardName = NameId::None;
}

// The kinds that may follow an item of the module.
static bool startsItem(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndOfFile: case TokenKind::Version: case TokenKind::Target:
  case TokenKind::AddressSize: case TokenKind::File: case TokenKind::Section:
  case TokenKind::MetadataSection: case TokenKind::SourceSection: case TokenKind::Dwarf:
  case TokenKind::Pragma: case TokenKind::Alias: case TokenKind::Linkage: case TokenKind::Align:
  case TokenKind::Attribute: case TokenKind::Space: case TokenKind::Entry: case TokenKind::Func:
    return true;
  default:
    return false;
  }
}

void Builder::itemEnd() {
  // A statement behind a function means that a brace of the function is wrong: then the function
  // has to be read again, too.
  const bool afterFunction = !ast.module.empty() && ast.module.back().kind == StatementKind::Function;
  const llvm::StringRef space =
      ahead.kind == TokenKind::Space ? ast.text(SpellingId(ahead.id)) : llvm::StringRef();
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
