// The real functions that terms stand for: roundings are dropped, and laws of functions hold.
#include "Equal/Terms.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

namespace ptxray::equal {

using isa::StepOp;
using Kind = Node::Kind;
using Sort = Node::Sort;

static constexpr double notKnown = std::numeric_limits<double>::quiet_NaN();

static Real realOfNumber(const numbers::Number &number) {
  switch (number.kind) {
  case numbers::Number::Kind::Zero: return rational(false, 0, 0);
  case numbers::Number::Kind::Finite:
    return rational(number.isNegative, number.significand >> 64, number.exponent - 63);
  case numbers::Number::Kind::Infinite: return infinite(number.isNegative);
  default: {
    Real result = symbol({1, 2}, notKnown);
    result.kind = Real::Kind::Undefined;
    return result;
  }
  }
}

/// Returns a key of an operation and its arguments. Equal functions have equal keys.
Key Terms::keyOf(Term term, Key seed) const {
  const Node &node = nodes[term];
  Key key = mixed(mixed(seed, static_cast<uint64_t>(node.kind) << 32 | static_cast<uint64_t>(node.op)),
                  uint64_t(node.bits) << 32 | node.type << 16 | node.target);
  if (node.kind != Kind::Salted)
    key = mixed(mixed(key, node.first), node.second);
  for (const Term one : argsOf(term))
    key = mixed(key, reals[one].key());
  return key;
}

/// Returns the number that bits represent in the launch; NaN if the bits do not come from buffers.
double Terms::numberFor(Term bits, const ElementType &type) const {
  const std::optional<Bits> known = contentsOf(bits);
  if (!known)
    return notKnown;
  const Value value = readElement(*known, type);
  const numbers::Number number = value.asNumber();
  if (number.kind == numbers::Number::Kind::Zero)
    return 0;
  if (number.kind != numbers::Number::Kind::Finite)
    return number.isNaN() ? notKnown : number.isNegative ? -INFINITY : INFINITY;
  const double size =
      std::ldexp(static_cast<double>(static_cast<uint64_t>(number.significand >> 64)), number.exponent - 63);
  return number.isNegative ? -size : size;
}

Real Terms::realOf(Term term) {
  const Node &node = nodes[term];
  bool isUndefined = false;
  for (const Term one : argsOf(term))
    isUndefined |= reals[one].kind == Real::Kind::Undefined;
  Real result;
  switch (node.kind) {
  case Kind::Value: {
    const Value &value = valueOf(term);
    result = value.isFloat() ? realOfNumber(value.number) : rational(value.isNegative, value.magnitude, 0);
    break;
  }
  case Kind::Read: result = realOfRead(term); break;
  case Kind::Store:
    result = reals[argsOf(term)[0]];
    if (types[node.type].isFloat())
      return result;
    result = symbol(keyOf(term, {3, 4}), notKnown);
    break;
  case Kind::Apply: result = realOfApply(term); break;
  case Kind::Approximate: result = realOfApproximation(term); break;
  case Kind::Product: result = realOfProduct(term); break;
  case Kind::Salted: result = reals[argsOf(term)[0]]; break;
  default: result = symbol(keyOf(term, {5, 6}), notKnown);
  }
  if (isUndefined)
    result.kind = Real::Kind::Undefined;
  return result;
}

Real Terms::realOfRead(Term term) {
  const ElementType type = types[nodes[term].type];
  const Term bits = argsOf(term)[0];
  const Node &node = nodes[bits];
  if (!type.isFloat())
    return symbol(mixed(keyOf(term, {7, 8}), type.isSigned()), numberFor(bits, type));
  const bool isResult = node.kind == Kind::Store || node.kind == Kind::Approximate || node.kind == Kind::Product;
  if (isResult && types[node.type].format == type.format)
    return reals[bits];
  if (node.kind == Kind::Salted)
    return reals[bits];
  return symbol(keyOf(term, {9, 10}), numberFor(bits, type));
}

Real Terms::realOfApproximation(Term term) {
  const ElementType type = types[nodes[term].type];
  llvm::SmallVector<Real, 2> args;
  for (const Term one : llvm::SmallVector<Term, 2>(argsOf(term)))
    args.push_back(reals[read(one, type, false)]);
  return realOfFunction(nodes[term].op, args);
}

Real Terms::realOfProduct(Term term) {
  const llvm::SmallVector<Term, 65> args(argsOf(term));
  const ElementType type = types[nodes[term].type], a = types[nodes[term].target], b = types[nodes[term].second];
  Real result = reals[read(args[0], type, false)];
  // Factors can be swapped only if they have the same type.
  for (size_t i = 1; i < args.size(); i += 2) {
    const Term first = read(args[i], a, false), second = read(args[i + 1], b, false);
    result = sum(result, product(reals[first], reals[second]));
  }
  return result;
}

/// Returns |a|. The result is the same symbol for `a` and `-a`.
Real Terms::absolute(const Real &a) {
  if (a.isConstant)
    return a.number < 0 ? negative(a) : a;
  return symbol(mixed(product(a, a).key(), 21), std::abs(a.number));
}

/// Returns the greatest of values, as a symbol for the set of them.
Real Terms::greatestOf(llvm::ArrayRef<Real> given) {
  std::vector<Real> all;
  for (const Real &one : given) {
    if (one.kind == Real::Kind::MinusInfinity)
      continue;
    if (const auto found = greatest.find(one.key()); found != greatest.end())
      all.insert(all.end(), found->second.begin(), found->second.end());
    else
      all.push_back(one);
  }
  if (all.empty())
    return infinite(true);
  llvm::sort(all, [](const Real &a, const Real &b) { return a.key() < b.key(); });
  all.erase(std::unique(all.begin(), all.end(), [](const Real &a, const Real &b) { return a.key() == b.key(); }),
            all.end());
  if (all.size() == 1)
    return all.front();
  if (all.size() == 2 && negative(all[0]).equals(all[1]))
    return absolute(all[0]);
  Key key{22, all.size()};
  double number = -INFINITY;
  bool isUndefined = false;
  for (const Real &one : all) {
    key = mixed(key, one.key());
    number = std::isnan(one.number) || std::isnan(number) ? notKnown : std::max(number, one.number);
    isUndefined |= one.kind == Real::Kind::Undefined || one.kind == Real::Kind::PlusInfinity;
  }
  Real result = symbol(key, number);
  if (isUndefined)
    result.kind = Real::Kind::Undefined;
  greatest.try_emplace(result.key(), std::move(all));
  return result;
}

Real Terms::realOfFunction(StepOp op, llvm::ArrayRef<Real> args) {
  const Real &a = args[0];
  const Real one = rational(false, 1, 0);
  const auto keyed = [&](uint64_t what, double number) {
    Real result = symbol(mixed(a.key(), what), number);
    if (a.kind != Real::Kind::Finite)
      result.kind = Real::Kind::Undefined;
    return result;
  };
  // The root of a square is the absolute value, so it is the symbol that `absolute` creates for the square.
  const auto root = [&] {
    return a.isZero() ? a : a.isConstant && a.equals(one) ? a : symbol(mixed(a.key(), 21), std::sqrt(a.number));
  };
  switch (op) {
  case StepOp::Divide: return quotient(a, args[1]);
  case StepOp::Reciprocal: return quotient(one, a);
  case StepOp::SquareRoot: return a.kind == Real::Kind::Finite ? root() : keyed(23, notKnown);
  case StepOp::ReciprocalRoot: return a.kind == Real::Kind::Finite ? quotient(one, root()) : keyed(24, notKnown);
  case StepOp::Power2: {
    if (const auto found = logarithms.find(a.key()); found != logarithms.end())
      return found->second;
    const Real result = powerOf2(a);
    if (a.kind == Real::Kind::Finite)
      powers.try_emplace(result.key(), a);
    return result;
  }
  case StepOp::Logarithm2: {
    if (const auto found = powers.find(a.key()); found != powers.end())
      return found->second;
    const Real result = keyed(25, std::log2(a.number));
    if (a.kind == Real::Kind::Finite)
      logarithms.try_emplace(result.key(), a);
    return result;
  }
  case StepOp::Sine: return keyed(26, std::sin(a.number));
  case StepOp::Cosine: return keyed(27, std::cos(a.number));
  case StepOp::HyperbolicTangent: return keyed(28, std::tanh(a.number));
  default: return keyed(64 + static_cast<uint64_t>(op), notKnown);
  }
}

/// If an expression selects one of two values by the sign of their difference, returns whether it selects the greater
/// one.
static std::optional<bool> takesGreater(const Real &less, const Real &greater, const Real &a, const Real &b) {
  if (a.equals(greater) && b.equals(less))
    return true;
  if (a.equals(less) && b.equals(greater))
    return false;
  return {};
}

Real Terms::realOfChoice(Term term) {
  const Term condition = argsOf(term)[0];
  const Real &a = reals[argsOf(term)[1]], &b = reals[argsOf(term)[2]];
  if (a.equals(b))
    return a;
  const Node &compared = nodes[condition];
  if (compared.kind == Kind::Apply && compared.op == StepOp::Equal && // a number is equal to itself
      reals[argsOf(condition)[0]].equals(reals[argsOf(condition)[1]]))
    return a;
  if (compared.kind == Kind::Apply && compared.op == StepOp::IsNan)
    return b;
  if (compared.kind == Kind::Apply && (compared.op == StepOp::Less || compared.op == StepOp::LessEqual) &&
      nodes[term].sort != Sort::Bits) {
    const Real &less = reals[argsOf(condition)[0]], &greater = reals[argsOf(condition)[1]];
    if (const std::optional<bool> isGreater = takesGreater(less, greater, a, b))
      return *isGreater ? greatestOf({a, b}) : negative(greatestOf({negative(a), negative(b)}));
    // x < 0 ? -x : x
    if (less.isZero() || greater.isZero()) {
      const Real &other = less.isZero() ? greater : less;
      const bool isNegativeFirst = greater.isZero();
      if ((isNegativeFirst ? b : a).equals(other) && (isNegativeFirst ? a : b).equals(negative(other)))
        return absolute(other);
    }
  }
  return symbol(mixed(mixed(mixed(Key{29, 0}, reals[condition].key()), a.key()), b.key()), notKnown);
}

Real Terms::realOfApply(Term term) {
  const Node node = nodes[term];
  llvm::SmallVector<Real, 4> args;
  for (const Term one : argsOf(term))
    args.push_back(reals[one]);
  const bool isArithmetic = node.sort == Sort::Float || node.sort == Sort::Integer;
  if (isArithmetic)
    switch (node.op) {
    case StepOp::Add: return args.size() == 3 ? sum(product(args[0], args[1]), args[2]) : sum(args[0], args[1]);
    case StepOp::Subtract: return sum(args[0], negative(args[1]));
    case StepOp::Multiply: return product(args[0], args[1]);
    case StepOp::Negate: return negative(args[0]);
    default: break;
    }
  if (node.op == StepOp::Choice)
    return realOfChoice(term);
  // Comparisons of a and b depend on the sign of their difference.
  if (node.op == StepOp::Less || node.op == StepOp::LessEqual) {
    Real difference = sum(args[0], negative(args[1]));
    Real result = symbol(mixed(difference.key(), 31), notKnown); // for reals, < and <= differ only at a single point
    if (node.op == StepOp::LessEqual)
      result = symbol(mixed(difference.key(), 32), notKnown);
    return result;
  }
  if (node.op == StepOp::Equal) {
    const Key one = sum(args[0], negative(args[1])).key(), other = sum(args[1], negative(args[0])).key();
    return symbol(mixed(std::min(one, other), 33), notKnown);
  }
  if (node.sort != Sort::Float)
    return symbol(keyOf(term, {11, 12}), notKnown);
  switch (node.op) {
  case StepOp::Maximum: return greatestOf(args);
  case StepOp::Minimum: {
    for (Real &one : args)
      one = negative(one);
    return negative(greatestOf(args));
  }
  case StepOp::Absolute: return absolute(args[0]);
  case StepOp::Flushed:
  case StepOp::RoundNearest:
  case StepOp::RoundAway:
  case StepOp::RoundTowardZero:
  case StepOp::RoundDown:
  case StepOp::RoundUp: return args[0];
  case StepOp::Divide:
  case StepOp::SquareRoot:
  case StepOp::Reciprocal:
  case StepOp::ReciprocalRoot:
  case StepOp::Sine:
  case StepOp::Cosine:
  case StepOp::Logarithm2:
  case StepOp::Power2:
  case StepOp::HyperbolicTangent: return realOfFunction(node.op, args);
  default: return symbol(keyOf(term, {13, 14}), notKnown);
  }
}

} // namespace ptxray::equal
