// Laws of exact numbers that preserve the stored bits, as listed in docs/equal.md.
//
// `numbers::sum` and similar functions return one of two NaNs. The order of operands matters only for f64, whose NaNs
// keep their bits. Operands are therefore sorted only if none of them can be an f64 NaN and no result is stored as f64.
#include "Equal/BitForms.h"
#include "Semantics/Operators.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using isa::StepOp;
using Kind = Node::Kind;
using Sort = Node::Sort;
using numbers::Format;

static bool isDouble(const ElementType &type) { return type.format == &numbers::f64; }

Term Terms::number(const Value &value) {
  const bool isFloat = value.isFloat();
  const auto isSame = [&](const Value &other) {
    const numbers::Number &x = value.number, &y = other.number;
    return value.kind == other.kind && value.isNegative == other.isNegative && value.magnitude == other.magnitude &&
           (!isFloat || (x.kind == y.kind && x.isNegative == y.isNegative && x.isCancelled == y.isCancelled &&
                         x.isWide == y.isWide && x.isTiny == y.isTiny && x.exponent == y.exponent &&
                         x.significand == y.significand && x.isSubnormalFirst == y.isSubnormalFirst));
  };
  if (value.kind == Value::Kind::Truth)
    return constant(value.magnitude, 1);
  Key key{static_cast<uint64_t>(value.magnitude), uint64_t(value.isNegative) << 1 | uint64_t(isFloat)};
  key = mixed(mixed(key, static_cast<uint64_t>(value.number.significand >> 64)),
              static_cast<uint64_t>(value.number.exponent));
  llvm::SmallVector<uint32_t, 2> &known = byValue[key.low];
  const auto found = llvm::find_if(known, [&](uint32_t one) { return isSame(values[one]); });
  const uint32_t index = found == known.end() ? static_cast<uint32_t>(values.size()) : *found;
  if (found == known.end()) {
    known.push_back(index);
    values.push_back(value);
    values.back().hasBits = false;
  }
  return make({.kind = Kind::Value,
               .sort = isFloat ? Sort::Float : Sort::Integer,
               .isWide = isFloat && value.number.isWide,
               .first = index},
              {});
}

/// Returns whether each number of one format is also a number of the other.
static bool contains(const Format &wide, const Format &narrow) {
  if (narrow.specials != numbers::Specials::Ieee || !narrow.hasZero || wide.specials != numbers::Specials::Ieee)
    return &wide == &narrow;
  return narrow.fractionBits <= wide.fractionBits && narrow.greatestExponent() <= wide.greatestExponent() &&
         narrow.leastExponent() - narrow.fractionBits >= wide.leastExponent() - wide.fractionBits;
}

static constexpr std::array<const Format *, 12> formats = {
    &numbers::f16,  &numbers::bf16, &numbers::f32,  &numbers::f64,  &numbers::tf32,  &numbers::e4m3,
    &numbers::e5m2, &numbers::e2m3, &numbers::e3m2, &numbers::e2m1, &numbers::ue8m0, &numbers::ue4m3};

static bool isIn(const numbers::Number &value, const Format &format) {
  if (value.isNaN() || value.isCancelled)
    return false;
  const numbers::Number stored = numbers::read(numbers::store(value, format, {}), format);
  return stored.kind == value.kind && stored.isNegative == value.isNegative && stored.exponent == value.exponent &&
         stored.significand == value.significand;
}

Terms::Facts Terms::factsOf(Term term) const {
  const Node &node = nodes[term];
  const Args args = argsOf(term);
  Facts result;
  const auto setExact = [&](auto isExact) {
    for (size_t i = 0; i < formats.size(); ++i)
      result.exactIn |= static_cast<uint16_t>(isExact(*formats[i]) ? 1 << i : 0);
  };
  switch (node.kind) {
  case Kind::Value:
    if (node.sort == Sort::Float)
      setExact([&](const Format &format) { return isIn(valueOf(term).number, format); });
    return result;
  case Kind::Read:
    if (types[node.type].isFloat())
      setExact([&](const Format &format) { return contains(format, *types[node.type].format); });
    return result;
  case Kind::Store:
  case Kind::Approximate:
  case Kind::Product:
    result.type = static_cast<uint16_t>(types[node.type].isFloat() ? node.type + 1 : 0);
    return result;
  case Kind::Salted: result.type = facts[args[0]].type; return result;
  case Kind::Apply: break;
  default: return result;
  }
  if (node.op == StepOp::Choice && node.sort == Sort::Bits)
    result.type = facts[args[1]].type ? facts[args[1]].type : facts[args[2]].type;
  if (node.sort != Sort::Float)
    return result;
  const bool keeps = node.op == StepOp::Negate || node.op == StepOp::Absolute || node.op == StepOp::Minimum ||
                     node.op == StepOp::Maximum || node.op == StepOp::Choice;
  if (keeps) {
    result.exactIn = ~uint16_t(0);
    for (const Term arg : node.op == StepOp::Choice ? args.drop_front() : args)
      result.exactIn &= facts[arg].exactIn;
  }
  return result;
}

bool Terms::isExactIn(Term number, const Format &format) const {
  const auto index = static_cast<size_t>(llvm::find(formats, &format) - formats.begin());
  return index < formats.size() && facts[number].exactIn >> index & 1;
}

// ---- reading

/// Returns the bits whose sign an operation on bits has changed.
std::optional<Terms::SignedBits> Terms::signedBits(Term bits, const ElementType &type) {
  if (nodes[bits].kind != Kind::Bitwise || !type.format->signBit() || type.bits % 8)
    return {};
  const Bits sign = type.format->signBit();
  llvm::SmallVector<Ref, 8> bytes(type.bits / 8);
  SignedBits result;
  for (const BitProduct &one : storedForm(bits)) {
    if (one.bytes.empty()) {
      result.isChanged = one.mask == sign;
      if (!result.isChanged)
        return {};
      continue;
    }
    const PlacedByte &byte = one.bytes.front();
    if (one.bytes.size() != 1 || byte.shift < 0 || byte.shift % 8 || bytes[byte.shift / 8].term != none)
      return {};
    const Bits all = Bits(255) << byte.shift;
    result.isCleared |= one.mask == (all & ~sign) && one.mask != all;
    if (one.mask != all && one.mask != (all & ~sign))
      return {};
    bytes[byte.shift / 8] = byte.ref;
  }
  if (llvm::any_of(bytes, [](const Ref &one) { return one.term == none; }))
    return {};
  result.bits = join(bytes);
  return result;
}

/// Returns the exact number of a number of f32 that was rounded to f64 first. A second rounding changes no sum, product
/// or root of numbers of f32, because f64 has more than twice as many bits.
std::optional<Term> Terms::roundedTwice(const Reading &of) const {
  const Term bits = of.bits;
  if (of.type.format != &numbers::f32 || nodes[bits].kind != Kind::Store || types[nodes[bits].type] != of.type)
    return {};
  const Term wide = argsOf(bits)[0];
  if (nodes[wide].kind != Kind::Read || !isDouble(types[nodes[wide].type]))
    return {};
  const Term stored = argsOf(wide)[0];
  if (nodes[stored].kind != Kind::Store || !isDouble(types[nodes[stored].type]))
    return {};
  const Term exact = argsOf(stored)[0];
  const Node &node = nodes[exact];
  const bool isSafe =
      (node.op == StepOp::Add && node.args == 2) || node.op == StepOp::Multiply || node.op == StepOp::SquareRoot;
  if (node.kind != Kind::Apply || node.sort != Sort::Float || !isSafe)
    return {};
  const auto isNarrow = [&](Term one) { return isExactIn(one, numbers::f32); };
  return llvm::all_of(factorsOfTwice(exact), isNarrow) ? std::optional(exact) : std::nullopt;
}

/// Returns the operands of an operation of f64 as they were before they were converted from f32.
llvm::SmallVector<Term, 2> Terms::factorsOfTwice(Term exact) const {
  llvm::SmallVector<Term, 2> narrow;
  for (const Term one : argsOf(exact)) {
    const bool isWide = nodes[one].kind == Kind::Read && isDouble(types[nodes[one].type]) &&
                        nodes[argsOf(one)[0]].kind == Kind::Store && isDouble(types[nodes[argsOf(one)[0]].type]);
    narrow.push_back(isWide ? argsOf(argsOf(one)[0])[0] : one);
  }
  return narrow;
}

/// Returns the readings that one is made of; empty if it is made of none.
llvm::SmallVector<Terms::Reading, 2> Terms::neededBy(const Reading &of) {
  if (isChoiceOfBits(of.bits))
    return {{argsOf(of.bits)[1], of.type, of.keepsNan}, {argsOf(of.bits)[2], of.type, of.keepsNan}};
  llvm::SmallVector<Reading, 2> needed;
  if (!of.type.isFloat() || of.keepsNan)
    return needed;
  if (const std::optional<SignedBits> inner = signedBits(of.bits, of.type))
    needed.push_back({inner->bits, of.type, false});
  else if (const std::optional<Term> exact = roundedTwice(of))
    for (const Term one : factorsOfTwice(*exact)) // the value as an operation on f32 reads it
      if (nodes[one].kind == Kind::Read)
        needed.push_back({argsOf(one)[0], types[nodes[one].type], isDouble(types[nodes[one].type])});
  return needed;
}

Term Terms::read(Term bits, const ElementType &type, bool keepsNan) {
  if (bits == unknown)
    return unknown;
  if (type.kind == ElementType::Kind::Truth)
    return bits;
  if (nodes[bits].kind == Kind::Constant)
    return number(readElement(constantOf(bits), type));
  const Reading whole{bits, type, keepsNan || isDouble(type)};
  std::vector<Reading> waiting = {whole}; // each after the readings that it is part of
  while (true) {
    const Reading one = waiting.back();
    const size_t before = waiting.size();
    const llvm::SmallVector<Reading, 2> needed = neededBy(one);
    if (needed.empty() && waiting.size() == 1)
      return readOnce(one);
    for (const Reading &part : needed)
      if (!readings.contains(keyOf(part, numberOf(part.type))) && !neededBy(part).empty())
        waiting.push_back(part);
    if (waiting.size() != before)
      continue;
    waiting.pop_back();
    const uint64_t key = keyOf(one, numberOf(one.type));
    const auto known = readings.find(key);
    const Term number = known == readings.end() ? readOnce(one) : known->second;
    readings[key] = number;
    if (waiting.empty())
      return number;
  }
}

/// Reads bits. The readings that this one is made of are known.
Term Terms::readOnce(const Reading &of) {
  const auto part = [&](const Reading &one) { // NOLINT(misc-no-recursion): one level
    const auto known = readings.find(keyOf(one, numberOf(one.type)));
    return known == readings.end() ? read(one.bits, one.type, one.keepsNan) : known->second;
  };
  const auto &[bits, type, keepsNan] = of;
  RecipeStep step;
  step.type = step.target = type;
  if (isChoiceOfBits(bits)) {
    const Term condition = argsOf(bits)[0];
    const llvm::SmallVector<Reading, 2> arms = neededBy(of);
    step.op = StepOp::Choice;
    const Term a = part(arms[0]), b = part(arms[1]);
    return choice(step, condition, a, b);
  }
  if (type.isFloat() && !keepsNan) {
    if (nodes[bits].kind == Kind::Store && types[nodes[bits].type] == type && isExactIn(argsOf(bits)[0], *type.format))
      return argsOf(bits)[0];
    if (const std::optional<SignedBits> inner = signedBits(bits, type)) {
      const Term number = part({inner->bits, type, false});
      step.op = StepOp::Absolute;
      const Term size = inner->isCleared ? applyFloat(step, number) : number;
      return inner->isChanged ? negated(size) : size;
    }
    if (const std::optional<Term> exact = roundedTwice(of)) {
      llvm::SmallVector<Term, 2> args;
      for (const Term one : factorsOfTwice(*exact)) {
        const bool isRead = nodes[one].kind == Kind::Read;
        const ElementType as = isRead ? types[nodes[one].type] : type;
        args.push_back(isRead ? part({argsOf(one)[0], as, isDouble(as)}) : one);
      }
      step.op = nodes[*exact].op;
      return read(store(applyFloat(step, args), type), type, false);
    }
  }
  return make({.kind = Kind::Read,
               .sort = type.isFloat() ? Sort::Float : Sort::Integer,
               .isWide = isDouble(type),
               .type = numberOf(type)},
              bits);
}

Term Terms::store(Term number, const ElementType &type) {
  const Node node = nodes[number];
  if (number == unknown || node.sort == Sort::Bits || node.sort == Sort::Truth)
    return number;
  if (node.kind == Kind::Value)
    return constant(storeElement(valueOf(number), type), type.bits);
  if (!type.isFloat())
    return node.sort == Sort::Integer ? storeInteger(number, type.bits)
                                      : make({.kind = Kind::Store, .bits = type.bits, .type = numberOf(type)}, number);
  Term stored = number;
  while (nodes[stored].kind == Kind::Apply && nodes[stored].op == StepOp::RoundNearest &&
         types[nodes[stored].target] == type)
    stored = argsOf(stored)[0]; // storing rounds in the same way
  return make({.kind = Kind::Store, .bits = type.bits, .type = numberOf(type)}, stored);
}

Term Terms::negation(Term truth) {
  const Node &node = nodes[truth];
  if (isConstant(truth))
    return constant(constantOf(truth) ^ 1, 1);
  if (node.kind == Kind::Apply && node.op == StepOp::Not)
    return argsOf(truth)[0];
  return make({.kind = Kind::Apply, .sort = Sort::Truth, .op = StepOp::Not, .bits = 1}, truth);
}

/// Returns whether the result depends on the types of the step.
static bool dependsOnType(StepOp op) {
  switch (op) {
  case StepOp::Negate:
  case StepOp::Invert:
  case StepOp::Not:
  case StepOp::Multiply:
  case StepOp::Divide:
  case StepOp::Remainder:
  case StepOp::Add:
  case StepOp::Subtract:
  case StepOp::ShiftLeft:
  case StepOp::ShiftRight:
  case StepOp::And:
  case StepOp::Or:
  case StepOp::Xor:
  case StepOp::Choice:
  case StepOp::Minimum:
  case StepOp::Maximum:
  case StepOp::Absolute:
  case StepOp::SquareRoot: return false;
  default: return !(op >= StepOp::Less && op <= StepOp::Unequal);
  }
}

Term Terms::applyNode(const RecipeStep &step, Args args, Sort sort) {
  Node node{.kind = Kind::Apply, .sort = sort, .op = step.op, .bits = static_cast<uint16_t>(sort == Sort::Truth)};
  if (dependsOnType(step.op)) {
    node.type = static_cast<uint16_t>(1 + numberOf(step.type));
    node.target = numberOf(step.target);
    node.first = static_cast<uint64_t>(step.constant);
    node.second = uint64_t(step.word) << 32 | step.part;
  }
  return make(node, args);
}

static bool isTruthOp(StepOp op) {
  return (op >= StepOp::Less && op <= StepOp::Unequal) || op == StepOp::Not || op == StepOp::IsNan ||
         op == StepOp::IsInfinite || op == StepOp::IsSubnormal || op == StepOp::IsOutOfBounds ||
         op == StepOp::IsNegative;
}

/// Returns whether a step computes a float of floats or integers.
static bool makesFloat(StepOp op) {
  return (op >= StepOp::SquareRoot && op <= StepOp::HyperbolicTangent) ||
         (op >= StepOp::WithSign && op <= StepOp::RoundRandom) || op == StepOp::Nan || op == StepOp::LargestFinite;
}

Term Terms::apply(const RecipeStep &step, Args args) {
  if (llvm::is_contained(args, unknown))
    return unknown;
  const bool isOfFloats = llvm::any_of(args, [&](Term one) { return isFloat(one); });
  const bool areTruths = !args.empty() && llvm::all_of(args, [&](Term one) { return nodes[one].sort == Sort::Truth; });
  switch (step.op) {
  case StepOp::Not: return negation(args[0]);
  case StepOp::Choice: return choice(step, args[0], args[1], args[2]);
  case StepOp::Saturated:
  case StepOp::Undefined:
    return args.empty() ? unknown : step.op == StepOp::Undefined ? args[0] : applyNode(step, args, Sort::Integer);
  case StepOp::And:
  case StepOp::Or:
  case StepOp::Xor:
    if (areTruths)
      return bitwiseTruth(step.op, args[0], args[1]);
    break;
  case StepOp::Truth: {
    if (isConstant(args[0]))
      return number(Value::integer(
          constantOf(args[0]) ? step.target.isFloat() ? Bits(1) : lowBits(~Bits(0), step.target.bits) : Bits(0)));
    return applyNode(step, args, Sort::Integer);
  }
  case StepOp::Minimum:
  case StepOp::Maximum: return extreme(step, args[0], args[1]);
  default: break;
  }
  if (step.op >= StepOp::Less && step.op <= StepOp::Unequal)
    return comparison(step, args[0], args[1]);
  if (isTruthOp(step.op))
    return applyNode(step, args, Sort::Truth);
  if (isOfFloats || makesFloat(step.op))
    return applyFloat(step, args);
  llvm::SmallVector<Term, 4> sorted(args.begin(), args.end());
  const bool commutes = step.op == StepOp::Add || step.op == StepOp::Multiply || step.op == StepOp::And ||
                        step.op == StepOp::Or || step.op == StepOp::Xor || step.op == StepOp::Carryless;
  if (commutes && sorted.size() == 2)
    llvm::sort(sorted);
  return applyNode(step, sorted, Sort::Integer);
}

Term Terms::bitwiseTruth(StepOp op, Term a, Term b) {
  for (const auto &[one, other] : {std::pair(a, b), std::pair(b, a)})
    if (isConstant(one)) {
      const bool isTrue = constantOf(one) != 0;
      if (op == StepOp::Xor)
        return isTrue ? negation(other) : other;
      return isTrue == (op == StepOp::And) ? other : one;
    }
  if (a == b)
    return op == StepOp::Xor ? constant(0, 1) : a;
  bool isNot = false;
  const auto isNegation = [&](Term one) { return nodes[one].kind == Kind::Apply && nodes[one].op == StepOp::Not; };
  if (op == StepOp::Xor) {
    for (Term *one : {&a, &b})
      if (isNegation(*one)) {
        *one = argsOf(*one)[0];
        isNot = !isNot;
      }
  } else if (op == StepOp::Or) {                                          // De Morgan
    return negation(bitwiseTruth(StepOp::And, negation(a), negation(b))); // NOLINT(misc-no-recursion)
  }
  if (negation(a) == b)
    return constant(op == StepOp::Xor ? !isNot : 0, 1);
  RecipeStep step;
  step.op = op;
  const Term result = applyNode(step, {std::min(a, b), std::max(a, b)}, Sort::Truth);
  return isNot ? negation(result) : result;
}

Term Terms::comparison(const RecipeStep &step, Term a, Term b) {
  RecipeStep as = step;
  if (step.op == StepOp::Greater || step.op == StepOp::GreaterEqual) {
    std::swap(a, b);
    as.op = step.op == StepOp::Greater ? StepOp::Less : StepOp::LessEqual;
  }
  const bool isOfFloats = isFloat(a) || isFloat(b);
  if (isOfFloats) {
    a = asFloat(a);
    b = asFloat(b);
  }
  if (as.op == StepOp::Unequal) {
    as.op = StepOp::Equal;
    return negation(comparison(as, a, b)); // NOLINT(misc-no-recursion)
  }
  if (as.op == StepOp::LessEqual && !isOfFloats) {
    as.op = StepOp::Less;
    return negation(comparison(as, b, a)); // NOLINT(misc-no-recursion)
  }
  if (a == b && !isOfFloats)
    return constant(as.op == StepOp::Equal, 1);
  if (as.op == StepOp::Equal && a > b)
    std::swap(a, b);
  return applyNode(as, {a, b}, Sort::Truth);
}

Term Terms::choice(const RecipeStep &step, Term condition, Term a, Term b) {
  if (condition == unknown || a == unknown || b == unknown)
    return unknown;
  if (a == b)
    return a;
  if (isConstant(condition))
    return constantOf(condition) ? a : b;
  if (nodes[condition].kind == Kind::Apply && nodes[condition].op == StepOp::Not)
    return choice(step, argsOf(condition)[0], b, a); // NOLINT(misc-no-recursion)
  if (isFloat(a) || isFloat(b)) {
    a = asFloat(a);
    b = asFloat(b);
  }
  const Sort sort = isFloat(b) ? Sort::Float : nodes[a].sort;
  // The lesser or the greater of two integers.
  if (sort == Sort::Integer && nodes[condition].kind == Kind::Apply && nodes[condition].op == StepOp::Less) {
    const Term less = argsOf(condition)[0], greater = argsOf(condition)[1];
    if ((less == a && greater == b) || (less == b && greater == a)) {
      RecipeStep as = step;
      as.op = less == a ? StepOp::Minimum : StepOp::Maximum;
      return extreme(as, a, b);
    }
  }
  RecipeStep as = step;
  as.op = StepOp::Choice;
  return applyNode(as, {condition, a, b}, sort);
}

/// Returns the least or the greatest of the arguments, as a set.
Term Terms::extreme(const RecipeStep &step, Term a, Term b) {
  constexpr size_t most = 1024;
  const Sort sort = isFloat(a) || isFloat(b) ? Sort::Float : Sort::Integer;
  if (sort == Sort::Float && (nodes[a].isWide || nodes[b].isWide || isDouble(step.target)))
    return applyNode(step, {a, b}, sort);
  llvm::SmallVector<Term, 16> all;
  if (sort == Sort::Float) {
    a = asFloat(a);
    b = asFloat(b);
  }
  for (const Term one : {a, b})
    if (nodes[one].kind == Kind::Apply && nodes[one].op == step.op && nodes[one].args < most)
      llvm::append_range(all, argsOf(one));
    else
      all.push_back(one);
  llvm::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() == 1 && sort == Sort::Integer)
    return all.front();
  return applyNode(step, all, sort);
}

// ---- floats

bool Terms::isNegation(Term number) const {
  return nodes[number].kind == Kind::Apply && nodes[number].op == StepOp::Negate;
}

Term Terms::negated(Term number) {
  if (number == unknown)
    return unknown;
  if (isNegation(number))
    return argsOf(number)[0];
  if (isValue(number)) {
    Value value = valueOf(number);
    value.isFloat() ? void(value.number = numbers::negative(value.number))
                    : void(value = Value::integer(value.magnitude, !value.isNegative));
    return this->number(value);
  }
  RecipeStep step;
  step.op = StepOp::Negate;
  return applyNode(step, number, nodes[number].sort);
}

/// Returns a known integer as a float.
Term Terms::asFloat(Term number) {
  return isValue(number) && !isFloat(number) ? this->number(Value::real(valueOf(number).asNumber())) : number;
}

Term Terms::applyFloat(const RecipeStep &step, Args given) {
  llvm::SmallVector<Term, 4> args;
  for (const Term one : given)
    args.push_back(asFloat(one));
  switch (step.op) {
  case StepOp::Negate: return negated(args[0]);
  case StepOp::Add:
    return args.size() == 3 ? fusedSum(step, args[0], args[1], args[2]) : sumOfFloats(step, args[0], args[1]);
  case StepOp::Subtract: {
    RecipeStep as = step;
    as.op = StepOp::Add;
    return sumOfFloats(as, args[0], negated(args[1]));
  }
  case StepOp::Multiply: return productOfFloats(step, args[0], args[1]);
  case StepOp::Divide:
    if (const std::optional<Term> inverse = inverseOfPower(args[1])) {
      RecipeStep as = step;
      as.op = StepOp::Multiply;
      return productOfFloats(as, args[0], *inverse);
    }
    break;
  case StepOp::Absolute:
    if (isNegation(args[0]) || (nodes[args[0]].kind == Kind::Apply && nodes[args[0]].op == StepOp::Absolute))
      return applyFloat(step, argsOf(args[0])[0]); // NOLINT(misc-no-recursion)
    break;
  default: break;
  }
  return applyNode(step, args, Sort::Float);
}

/// Returns 1 / number if the number is a power of two.
std::optional<Term> Terms::inverseOfPower(Term number) {
  if (!isValue(number) || !isFloat(number))
    return {};
  const numbers::Number value = valueOf(number).number;
  if (value.kind != numbers::Number::Kind::Finite || value.significand != numbers::Wide(1) << 127)
    return {};
  return this->number(Value::real(numbers::Number::scaled(value.isNegative, 1, -value.exponent)));
}

Term Terms::sumOfFloats(const RecipeStep &step, Term a, Term b) {
  const bool commutes = !nodes[a].isWide && !nodes[b].isWide && !isDouble(step.target);
  if (commutes && a == b) {
    RecipeStep as = step;
    as.op = StepOp::Multiply;
    return productOfFloats(as, a, this->number(Value::real(numbers::Number::scaled(false, 2, 0))));
  }
  if (commutes && a > b)
    std::swap(a, b);
  return applyNode(step, {a, b}, Sort::Float);
}

/// Sorts two factors and extracts their signs. Returns whether the product is negative.
static bool sortFactors(Terms &terms, Term &a, Term &b, bool (*isNegation)(const Terms &, Term)) {
  bool isNegative = false;
  for (Term *one : {&a, &b})
    if (isNegation(terms, *one)) {
      *one = terms.argsOf(*one)[0];
      isNegative = !isNegative;
    }
  if (a > b)
    std::swap(a, b);
  return isNegative;
}

static bool isNegationIn(const Terms &terms, Term number) {
  const Node &node = terms[number];
  return node.kind == Kind::Apply && node.op == StepOp::Negate;
}

Term Terms::productOfFloats(const RecipeStep &step, Term a, Term b) {
  if (nodes[a].isWide || nodes[b].isWide || isDouble(step.target))
    return applyNode(step, {a, b}, Sort::Float);
  const bool isNegative = sortFactors(*this, a, b, isNegationIn);
  const Term result = applyNode(step, {a, b}, Sort::Float);
  return isNegative ? negated(result) : result;
}

Term Terms::fusedSum(const RecipeStep &step, Term a, Term b, Term c) {
  if (nodes[a].isWide || nodes[b].isWide || nodes[c].isWide || isDouble(step.target))
    return applyNode(step, {a, b, c}, Sort::Float);
  if (sortFactors(*this, a, b, isNegationIn))
    a = negated(a);
  return applyNode(step, {a, b, c}, Sort::Float);
}

} // namespace ptxray::equal
