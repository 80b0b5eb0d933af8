// Builds operands, and the constant expressions in them.
#include "Parse/Builder.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cmath>

namespace ptxray {

// ---- constant expressions
//
// The grammar passes signs, numbers, operators and parentheses one by one. `operations` and `values` are the two stacks
// of operator precedence parsing. A sign is applied as soon as its operand is complete.

static uint8_t precedenceOf(uint64_t op) {
  switch (op) {
  case '*':
  case '/':
  case '%': return 11;
  case '+':
  case '-': return 10;
  case '<' | '<' << 8:
  case '>' | '>' << 8: return 9;
  case '<':
  case '>':
  case '<' | '=' << 8:
  case '>' | '=' << 8: return 8;
  case '=' | '=' << 8:
  case '!' | '=' << 8: return 7;
  case '&': return 6;
  case '^': return 5;
  case '|': return 4;
  case '&' | '&' << 8: return 3;
  case '|' | '|' << 8: return 2;
  default: // the ternary
    return 1;
  }
}

void Builder::prefix(const Token &token) {
  if (operations.size() >= deepestNesting)
    return fail(DiagId::NestingTooDeep, token.range(), deepestNesting, "signs");
  operations.push_back({uint16_t(token.value), true, 12, token.begin});
}

void Builder::openGroup(const Token &token) {
  if (operations.size() >= deepestNesting)
    return fail(DiagId::NestingTooDeep, token.range(), deepestNesting, "parentheses");
  operations.push_back({'(', true, 0, token.begin});
}

void Builder::cast(const Token &token) {
  llvm::StringRef type = spellings.text(token.id);
  if (type != ".s64" && type != ".u64")
    fail(DiagId::CastType, token.range(), type);
  if (!operations.empty() && operations.back().op == '(') {
    operations.back().op = type == ".u64" ? 'U' : 'S';
    operations.back().precedence = 12;
  }
}

/// Returns the flags for the narrowest width that the number fits.
static uint16_t sizeFlags(OperandKind kind, uint8_t flags, uint64_t bits) {
  const auto value = static_cast<int64_t>(bits);
  if (kind == OperandKind::Integer) {
    const uint16_t beyond32 = fitsInto(32, value) ? uint16_t(0) : uint16_t(Beyond32);
    return fitsInto(16, value) ? uint16_t(0) : uint16_t(Beyond16 | beyond32);
  }
  const bool isSingle = flags & HexFloat && !(flags & WideFloat);
  const double number = isSingle ? 0 : std::bit_cast<double>(bits);
  const bool isTooLarge = std::isfinite(number) && std::isinf(static_cast<float>(number));
  return isTooLarge ? uint16_t(Beyond32) : uint16_t(0);
}

void Builder::plainNumber(const Token &token) {
  Operand &operand = push(token.kind == TokenKind::Float ? OperandKind::Float : OperandKind::Integer, token.range());
  operand.flags = token.flags | sizeFlags(operand.kind, token.flags, token.value);
  operand.value = token.value;
}

void Builder::literal(const Token &token) {
  // In a faulty text, the end of the expression may have been dropped, so an operator may follow.
  if (!sink && operations.empty() && values.empty())
    switch (ahead.kind) {
    case TokenKind::Comma:
    case TokenKind::Semicolon:
    case TokenKind::RightBrace:
    case TokenKind::RightBracket: return plainNumber(token); // the most common case
    default: break;
    }
  Constant value{Constant::Signed, token.flags, token.range(), token.value};
  if (token.kind == TokenKind::Float)
    value.kind = Constant::Real;
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
    return noValue(value, "`0f...` cannot be part of an expression; use a decimal number");
  if (value.kind == Constant::Real) {
    if (operation.op == '-')
      value.bits = std::bit_cast<uint64_t>(-std::bit_cast<double>(value.bits));
    else if (operation.op != '+')
      noValue(value, "an integer is");
    return;
  }
  value.flags &= AnyValue;
  switch (operation.op) {
  case '-': value.bits = -value.bits; break;
  case '!':
    value.bits = value.bits == 0;
    value.kind = Constant::Signed;
    break;
  case '~': value.bits = ~value.bits; [[fallthrough]];
  case 'U': value.kind = Constant::Unsigned; break;
  case 'S': value.kind = Constant::Signed; break;
  }
}

// Reports a constant without a value; the expression continues with the integer 0.
void Builder::noValue(Constant &value, const char *expected) {
  fail(DiagId::ConstantType, value.range, expected);
  value = {Constant::Signed, 0, value.range, 0};
}

/// Returns the result of a comparison, or nothing if the operator is no comparison.
template <typename Number> static std::optional<bool> compared(uint16_t op, Number a, Number b) {
  switch (op) {
  case '<': return a < b;
  case '>': return a > b;
  case '<' | '=' << 8: return a <= b;
  case '>' | '=' << 8: return a >= b;
  case '=' | '=' << 8: return a == b;
  case '!' | '=' << 8: return a != b;
  default: return std::nullopt;
  }
}

Builder::Constant Builder::ofReals(uint16_t op, const Constant &left, const Constant &right) {
  const double a = std::bit_cast<double>(left.bits), b = std::bit_cast<double>(right.bits);
  Constant out{Constant::Signed, 0, {left.range.begin, right.range.end}, 0};
  if (const std::optional<bool> holds = compared(op, a, b)) {
    out.bits = *holds;
    return out;
  }
  double real = 0;
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
  default: noValue(out, "an integer is"); return out;
  }
  out.kind = Constant::Real;
  out.bits = std::bit_cast<uint64_t>(real);
  return out;
}

/// Returns the result of an integer operation other than a comparison or a division by zero.
uint64_t Builder::integerBits(uint16_t op, const Constant &left, const Constant &right) {
  const uint64_t a = left.bits, b = right.bits;
  const int64_t signedA = a, signedB = b;
  switch (op) {
  case '+': return a + b;
  case '-': return a - b;
  case '*': return a * b;
  case '%': return a % b; // operands are unsigned, regardless of their spelling
  case '/':
    if (left.kind == Constant::Unsigned || right.kind == Constant::Unsigned)
      return a / b;
    return signedB == -1 ? -a : uint64_t(signedA / signedB); // the only quotient that does not fit equals the dividend
  case '<' | '<' << 8: return b > 63 ? 0 : a << b;
  case '>' | '>' << 8:
    if (left.kind == Constant::Unsigned)
      return b > 63 ? 0 : a >> b;
    return signedA >> (b > 63 ? 63 : b);
  case '&': return a & b;
  case '^': return a ^ b;
  case '|': return a | b;
  case '&' | '&' << 8: return a && b;
  case '|' | '|' << 8: return a || b;
  default: return 0;
  }
}

Builder::Constant::Kind Builder::integerKind(uint16_t op, const Constant &left, const Constant &right) {
  switch (op) {
  case '+':
  case '-':
  case '*':
  case '/':
    return left.kind == Constant::Unsigned || right.kind == Constant::Unsigned ? Constant::Unsigned : Constant::Signed;
  case '<' | '<' << 8:
  case '>' | '>' << 8: return left.kind;
  case '&':
  case '^':
  case '|': return Constant::Unsigned;
  default: return Constant::Signed;
  }
}

Builder::Constant Builder::ofIntegers(uint16_t op, const Constant &left, const Constant &right) {
  Constant out{Constant::Signed, 0, {left.range.begin, right.range.end}, 0};
  const uint64_t a = left.bits, b = right.bits;
  const bool isUnsigned = left.kind == Constant::Unsigned || right.kind == Constant::Unsigned;
  const std::optional<bool> holds = isUnsigned ? compared(op, a, b) : compared(op, int64_t(a), int64_t(b));
  if (holds) {
    out.bits = *holds;
  } else if ((op == '/' || op == '%') && b == 0) {
    fail(DiagId::DivisionByZero, out.range);
  } else {
    out.kind = integerKind(op, left, right);
    out.bits = integerBits(op, left, right);
  }
  return out;
}

Builder::Constant Builder::binary(uint16_t op, Constant left, Constant right) {
  Constant out{Constant::Signed, 0, {left.range.begin, right.range.end}, 0};
  for (Constant *side : {&left, &right})
    if (side->flags & HexFloat && !(side->flags & WideFloat))
      noValue(*side, "`0f...` cannot be part of an expression; use a decimal number");
  if ((left.kind == Constant::Real) != (right.kind == Constant::Real)) {
    noValue(out, "two integers or two floats are");
    return out;
  }
  if (left.kind == Constant::Real)
    return ofReals(op, left, right);
  if ((left.flags | right.flags) & AnyValue) {
    out.flags = AnyValue;
    return out;
  }
  return ofIntegers(op, left, right);
}

void Builder::reduce() {
  Operation operation = operations.pop_back_val();
  if (operation.op == '(' || operation.op == '?')
    return;            // unbalanced, and reported where it occurred
  if (operation.unary) // a sign before the parenthesis
    return applyUnary(operation, values.back());
  Constant right = values.pop_back_val();
  assert(values.size() >= (operation.op == ':' ? 2 : 1) && "an operation follows its operands");
  if (operation.op == ':') {
    Constant left = values.pop_back_val();
    Constant &condition = values.back();
    Constant chosen = condition.bits ? left : right;
    chosen.range = {condition.range.begin, right.range.end};
    chosen.flags = left.kind == Constant::Real ? 0 : (condition.flags | left.flags | right.flags) & AnyValue;
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
  values.back() = binary(operation.op, values.back(), right);
}

// Applies all operators with at least this precedence, up to an open parenthesis.
void Builder::reduceTo(uint8_t precedence) {
  while (!operations.empty() && operations.back().precedence >= precedence)
    reduce();
}

void Builder::infix(const Token &token) {
  if (operations.size() >= deepestNesting)
    return fail(DiagId::NestingTooDeep, token.range(), deepestNesting, "operators");
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
      fail(DiagId::SyntaxError, token.range(), ":", "`;`");
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
      fail(DiagId::ExpectedBracket, end, ")", source.slice(last.begin, last.end));
    if (operations.back().op == '?')
      fail(DiagId::SyntaxError, end, "end of the expression", "`:`");
    reduce();
  }
  Constant value = values.back();
  values.clear();
  assert(value.range.begin <= value.range.end && "an expression has a place");
  return value;
}

void Builder::endExpression() {
  if (values.empty())
    return; // `literal` has handled it
  Constant value = finishExpression();
  Operand &operand = push(value.kind == Constant::Real ? OperandKind::Float : OperandKind::Integer, value.range);
  operand.value = value.bits;
  operand.flags = (value.flags & ~UnsignedSuffix) | sizeFlags(operand.kind, value.flags, value.bits);
  if (value.kind == Constant::Unsigned)
    operand.flags |= UnsignedSuffix;
}

// ---- operands

const char *Builder::adviceOnParentheses() const {
  return ast.text(ast.instructions.back().opcode).contains('.')
             ? "an operand has no parentheses; an address is written in brackets: `[%rd1]`"
             : "a guard such as `@%p1` makes one instruction conditional; a branch jumps over several";
}

// Applies a sign before a name. Only a single sign is meaningful: `-a`, `!p`.
void Builder::nameSigns(Operand &operand) {
  uint16_t op = operations.back().op;
  if (operations.size() > 1 || (op != '-' && op != '!')) {
    const bool isFirst = !reported;
    fail(DiagId::SyntaxError, operand.range, ast.text(operand.name), "a constant");
    if (isFirst && op == '(')
      sink->at(sink->diagnostics().size() - 1).notes.push_back({adviceOnParentheses(), std::nullopt});
    throw SyntaxFault();
  }
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
    usedSplits.push_back(token.id);
    split.name = NameId(names.intern(text.data(), dot));
    split.suffix = SpellingId(spellings.intern(text.data() + dot, text.size() - dot));
  }
  if (text.find('.', dot + 1) != llvm::StringRef::npos)
    fail(DiagId::SyntaxError, token.range(), text, "one selector");
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
  assert(!openNodes.empty() && "an offset belongs to an operand");
  if (!values.empty())
    endExpression();
  integerOnly();
  Operand offset = ast.operands.back();
  ast.operands.pop_back();
  lastNode = openNodes.pop_back_val();
  Operand &operand = ast.operands[lastNode];
  operand.flags |= HasOffset | (offset.flags & AnyValue);
  operand.value = offset.value;
  operand.range.end = last.end;
}

void Builder::openSubscript(const Token &) { openNodes.push_back(ast.operands.size() - 1); }

void Builder::closeSubscript(const Token &token) {
  assert(!openNodes.empty() && "a subscript belongs to a name");
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
  operand.flags |= HasOffset | (child.flags & AnyValue);
  operand.value = child.value;
  ast.operands.pop_back();
}

// Makes the operand before `|` a child of the pair.
void Builder::beginPair() {
  assert(lastNode < ast.operands.size() && "a pair begins with an operand");
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
    fail(DiagId::NestingTooDeep, token.range(), deepestInitialiser, "braces");
    throw SyntaxFault();
  }
  openNodes.push_back(ast.operands.size());
  push(kind, token.range());
}

void Builder::close(const Token &token) {
  assert(!openNodes.empty() && "what is closed was opened");
  uint32_t index = lastNode = openNodes.pop_back_val();
  Operand &operand = ast.operands[index];
  operand.extent = ast.operands.size() - index;
  operand.range.end = token.end;
}

// Checks that the first part of `[a, b]` is a name without an offset.
void Builder::addressPart(const Token &comma) {
  assert(!openNodes.empty() && openNodes.back() + 1 < ast.operands.size() && "an address has a first part");
  const uint32_t address = openNodes.back();
  const Operand &first = ast.operands[address + 1];
  if (first.kind != OperandKind::Name || first.flags & HasOffset)
    fail(DiagId::SyntaxError, comma.range(), ",", "`]`");
}

void Builder::integerOnly() {
  Operand &operand = ast.operands.back();
  if (operand.kind == OperandKind::Integer)
    return;
  fail(DiagId::ConstantType, operand.range, "an integer is");
  operand.kind = OperandKind::Integer;
}

void Builder::addressSuffix(const Token &token) {
  // The address is the last top-level node: skip the other operands of the instruction.
  uint32_t index = ast.instructions.back().operands.first;
  while (index + ast.operands[index].extent < ast.operands.size())
    index += ast.operands[index].extent;
  ast.operands[index].suffix = SpellingId(token.id);
  ast.instructions.back().hasSuffix = true;
  ast.operands[index].range.end = token.end;
}

} // namespace ptxray
