// The constructors of terms. Each returns a term that equals the operation for all numbers.
#include "Prove/Terms.h"
#include <algorithm>
#include <optional>

namespace ptxray::prove {

void Terms::addTo(std::map<Term, Number> &parts, Number &number, Term term, Number factor) const {
  const Node &node = (*this)[term];
  const Number mask = maskOf(node.width);
  if (node.op == Op::Constant) {
    number = (number + node.number * factor) & mask;
    return;
  }
  const auto addPart = [&](Term part, Number times) {
    Number &now = parts[part];
    now = (now + times) & mask;
    if (!now)
      parts.erase(part);
  };
  if (node.op != Op::Sum || node.width == 1)
    return addPart(term, factor & mask);
  number = (number + node.number * factor) & mask;
  for (size_t i = 0; i < node.args.size(); ++i)
    addPart(node.args[i], node.factors[i] * factor & mask);
}

Term Terms::sumOf(unsigned width, Number number, std::map<Term, Number> parts) {
  if (parts.empty())
    return constant(width, number);
  if (parts.size() == 1 && parts.begin()->second == 1 && !(number & maskOf(width)))
    return parts.begin()->first;
  Node node;
  node.op = Op::Sum;
  node.width = static_cast<uint16_t>(width);
  node.number = number & maskOf(width);
  for (const auto &[term, factor] : parts) {
    node.args.push_back(term);
    node.factors.push_back(factor);
  }
  return intern(std::move(node));
}

Term Terms::add(Term a, Term b) {
  if (width(a) == 1)
    return bitXor(a, b);
  std::map<Term, Number> parts;
  Number number = 0;
  addTo(parts, number, a, 1);
  addTo(parts, number, b, 1);
  return sumOf(width(a), number, std::move(parts));
}

Term Terms::subtract(Term a, Term b) { return add(a, negate(b)); }

Term Terms::negate(Term a) {
  if (width(a) == 1)
    return a;
  std::map<Term, Number> parts;
  Number number = 0;
  addTo(parts, number, a, maskOf(width(a)));
  return sumOf(width(a), number, std::move(parts));
}

Term Terms::multiply(Term a, Term b) {
  if (width(a) == 1)
    return bitAnd(a, b);
  if (isConstant(a))
    std::swap(a, b);
  const unsigned bits = width(a);
  if (isConstant(b)) {
    std::map<Term, Number> parts;
    Number number = 0;
    addTo(parts, number, a, (*this)[b].number);
    return sumOf(bits, number, std::move(parts));
  }
  if ((*this)[a].op != Op::Sum)
    std::swap(a, b);
  if (const Node node = (*this)[a]; node.op == Op::Sum && node.args.size() <= 4) {
    Term sum = multiply(b, constant(bits, node.number));
    for (size_t i = 0; i < node.args.size(); ++i)
      sum = add(sum, multiply(multiply(node.args[i], b), constant(bits, node.factors[i])));
    return sum;
  }
  Node node;
  node.op = Op::Product;
  node.width = static_cast<uint16_t>(bits);
  node.args = {std::min(a, b), std::max(a, b)};
  return intern(std::move(node));
}

namespace {

struct Interval {
  __int128 low, high;
};

/// Returns the bounds of a sum as an integer with signed factors, or nothing if they are too large.
std::optional<Interval> exactly(const Terms &terms, const Node &node) {
  if (node.op != Op::Sum || node.width > 64)
    return {};
  Interval result{signedOf(node.number, node.width), signedOf(node.number, node.width)};
  for (size_t i = 0; i < node.args.size(); ++i) {
    const __int128 factor = signedOf(node.factors[i], node.width);
    const auto low = static_cast<__int128>(terms.low(node.args[i])),
               high = static_cast<__int128>(terms.high(node.args[i]));
    if (factor && high > (static_cast<__int128>(1) << 100) / (factor < 0 ? -factor : factor))
      return {};
    result.low += factor < 0 ? factor * high : factor * low;
    result.high += factor < 0 ? factor * low : factor * high;
  }
  return result;
}

/// Returns whether the sum does not wrap around, as an unsigned or a signed number.
bool isExact(const Terms &terms, const Node &node, bool isSigned) {
  const auto bounds = exactly(terms, node);
  const __int128 limit = static_cast<__int128>(1) << (node.width - isSigned);
  return bounds && bounds->low >= (isSigned ? -limit : 0) && bounds->high < limit;
}

} // namespace

/// Splits a sum that does not wrap around into a multiple of `by` and a remainder below it. Returns nothing if that is
/// not possible.
static std::optional<std::pair<Term, Term>> split(Terms &terms, Term a, Number by) {
  const Node node = terms[a];
  if (node.op != Op::Sum || !by || !isExact(terms, node, false))
    return {};
  Term quotient = terms.constant(node.width, node.number / by), rest = terms.constant(node.width, node.number % by);
  if (signedOf(node.number, node.width) < 0)
    return {};
  for (size_t i = 0; i < node.args.size(); ++i) {
    const __int128 factor = signedOf(node.factors[i], node.width), divisor = static_cast<__int128>(by);
    const bool isMultiple = factor % divisor == 0;
    Term &to = isMultiple ? quotient : rest;
    const auto times = static_cast<Number>(isMultiple ? factor / divisor : factor);
    to = terms.add(to, terms.multiply(node.args[i], terms.constant(node.width, times)));
  }
  const Node left = terms[rest];
  if (terms.high(rest) >= by || (left.op == Op::Sum && !isExact(terms, left, false)))
    return {};
  return std::pair(quotient, rest);
}

Term Terms::divide(Term a, Term b, bool isSigned, bool isRemainder) {
  const unsigned bits = width(a);
  if (isSigned && isNonNegative(a) && isNonNegative(b))
    return divide(a, b, false, isRemainder);
  if (isConstant(b) && !isSigned) {
    const Number by = (*this)[b].number;
    if (by && !(by & (by - 1))) {
      unsigned shift = 0;
      while (by >> shift != 1)
        ++shift;
      return isRemainder ? bitAnd(a, constant(bits, by - 1)) : this->shift(Op::ShiftRight, a, constant(bits, shift));
    }
    if (const auto parts = split(*this, a, by))
      return isRemainder ? parts->second : parts->first;
  }
  if (!isSigned && high(a) < low(b))
    return isRemainder ? a : constant(bits, 0);
  Node node;
  node.op = isSigned ? (isRemainder ? Op::RemainderSigned : Op::DivideSigned)
                     : (isRemainder ? Op::RemainderUnsigned : Op::DivideUnsigned);
  node.width = static_cast<uint16_t>(bits);
  node.args = {a, b};
  if (isConstant(a) && isConstant(b))
    return constant(bits, applied(node, {(*this)[a].number, (*this)[b].number}, {bits, bits}));
  return intern(std::move(node));
}

/// Simplifies an operation with a constant. A mask of consecutive bits extracts a field.
Term Terms::bitwiseOfConstant(Op op, Term a, Number mask) {
  const unsigned bits = width(a);
  const auto node = [&] {
    Node made;
    made.op = op;
    made.width = static_cast<uint16_t>(bits);
    made.args = {a, constant(bits, mask)};
    return intern(std::move(made));
  };
  if (op == Op::Xor)
    return mask == 0 ? a : mask == maskOf(bits) && bits > 1 ? subtract(constant(bits, mask), a) : node();
  if (op == Op::Or)
    return mask == 0 ? a : mask == maskOf(bits) ? constant(bits, mask) : node();
  if (!mask)
    return constant(bits, 0);
  if (mask == maskOf(bits))
    return a;
  unsigned first = 0, count = 0;
  while (!(mask >> first & 1))
    ++first;
  while (first + count < bits && mask >> (first + count) & 1)
    ++count;
  if (mask >> first != maskOf(count))
    return node();
  if (first + count == bits) // all except the lowest bits
    return subtract(a, extend(extract(a, 0, first), bits, false));
  return multiply(extend(extract(a, first, count), bits, false), constant(bits, Number(1) << first));
}

static bool isOpposite(const Terms &terms, Term a, Term b) {
  const auto isNotOf = [&](Term x, Term y) {
    const Node &node = terms[x];
    return node.op == Op::Xor && node.width == 1 && node.args[0] == y && terms.isConstant(node.args[1], 1);
  };
  return isNotOf(a, b) || isNotOf(b, a);
}

/// Calls `see` with each operand of nested operations of that kind.
static void eachOf(const Terms &terms, Op op, Term root, llvm::SmallVectorImpl<Term> &found) {
  llvm::SmallVector<Term, 8> stack = {root};
  while (!stack.empty() && found.size() < 24) {
    const Term term = stack.pop_back_val();
    if (terms[term].op == op) {
      stack.push_back(terms[term].args[1]);
      stack.push_back(terms[term].args[0]);
    } else {
      found.push_back(term);
    }
  }
  found.append(stack.begin(), stack.end());
}

Term Terms::bitAnd(Term a, Term b) {
  if (isConstant(a))
    std::swap(a, b);
  if (isConstant(a) && isConstant(b))
    return constant(width(a), (*this)[a].number & (*this)[b].number);
  if (isConstant(b))
    return bitwiseOfConstant(Op::And, a, (*this)[b].number);
  if (a == b)
    return a;
  if (width(a) == 1) {
    llvm::SmallVector<Term, 16> left;
    eachOf(*this, Op::And, a, left);
    llvm::SmallVector<Term, 16> right;
    eachOf(*this, Op::And, b, right);
    bool isContained = true;
    for (const Term one : right) {
      isContained &= llvm::is_contained(left, one);
      for (const Term other : left)
        if (isOpposite(*this, one, other))
          return truth(false);
    }
    if (isContained)
      return a;
  }
  Node node;
  node.op = Op::And;
  node.width = static_cast<uint16_t>(width(a));
  node.args = {std::min(a, b), std::max(a, b)};
  return intern(std::move(node));
}

/// Simplifies `g & c | g & !c` to `g`, and `g & c | !g` to `c | !g`.
static std::optional<Term> joined(Terms &terms, Term a, Term b) {
  llvm::SmallVector<Term, 8> left, right;
  eachOf(terms, Op::And, a, left);
  eachOf(terms, Op::And, b, right);
  llvm::SmallVector<Term, 8> common, onlyLeft, onlyRight;
  for (const Term one : left)
    (llvm::is_contained(right, one) ? common : onlyLeft).push_back(one);
  for (const Term one : right)
    if (!llvm::is_contained(left, one))
      onlyRight.push_back(one);
  const auto all = [&](llvm::ArrayRef<Term> list) {
    Term result = terms.truth(true);
    for (const Term one : list)
      result = terms.bitAnd(result, one);
    return result;
  };
  if (onlyLeft.empty() || onlyRight.empty())
    return all(common);
  if (onlyLeft.size() == 1 && onlyRight.size() == 1 && isOpposite(terms, onlyLeft[0], onlyRight[0]))
    return all(common);
  return {};
}

Term Terms::bitOr(Term a, Term b) {
  if (isConstant(a))
    std::swap(a, b);
  if (isConstant(a) && isConstant(b))
    return constant(width(a), (*this)[a].number | (*this)[b].number);
  if (a == b)
    return a;
  if (width(a) > 1 &&
      (high(b) < Number(1) << std::min(zeros(a), 127u) || high(a) < Number(1) << std::min(zeros(b), 127u)))
    return add(a, b);
  if (isConstant(b))
    return bitwiseOfConstant(Op::Or, a, (*this)[b].number);
  if (width(a) == 1) {
    if (isOpposite(*this, a, b))
      return truth(true);
    const Node x = (*this)[a], y = (*this)[b];
    if (x.op == y.op && (x.op == Op::Less || x.op == Op::LessSigned) && x.args[0] == y.args[1] &&
        x.args[1] == y.args[0])
      return no(equal(x.args[0], x.args[1]));
    if (const auto one = joined(*this, a, b))
      return *one;
  }
  Node node;
  node.op = Op::Or;
  node.width = static_cast<uint16_t>(width(a));
  node.args = {std::min(a, b), std::max(a, b)};
  return intern(std::move(node));
}

Term Terms::bitXor(Term a, Term b) {
  if (isConstant(a))
    std::swap(a, b);
  if (isConstant(a) && isConstant(b))
    return constant(width(a), (*this)[a].number ^ (*this)[b].number);
  if (a == b)
    return constant(width(a), 0);
  const Node node = (*this)[a];
  if (isConstant(b) && node.op == Op::Xor && isConstant(node.args[1]))
    return bitXor(node.args[0], constant(node.width, (*this)[node.args[1]].number ^ (*this)[b].number));
  if (width(a) > 1 &&
      (high(b) < Number(1) << std::min(zeros(a), 127u) || high(a) < Number(1) << std::min(zeros(b), 127u)))
    return add(a, b);
  if (isConstant(b))
    return bitwiseOfConstant(Op::Xor, a, (*this)[b].number);
  Node made;
  made.op = Op::Xor;
  made.width = static_cast<uint16_t>(width(a));
  made.args = {std::min(a, b), std::max(a, b)};
  return intern(std::move(made));
}

Term Terms::shift(Op op, Term a, Term by) {
  const unsigned bits = width(a);
  if (isConstant(by)) {
    const Number count = (*this)[by].number;
    if (op == Op::ShiftLeft)
      return count >= bits ? constant(bits, 0) : multiply(a, constant(bits, Number(1) << static_cast<unsigned>(count)));
    const bool isSigned = op == Op::ShiftRightSigned;
    const auto shift = static_cast<unsigned>(std::min<Number>(count, isSigned ? bits - 1 : bits));
    if (shift == 0)
      return a;
    return shift == bits ? constant(bits, 0) : extend(extract(a, shift, bits - shift), bits, isSigned);
  }
  if (op == Op::ShiftRightSigned && isNonNegative(a))
    op = Op::ShiftRight;
  Node node;
  node.op = op;
  node.width = static_cast<uint16_t>(bits);
  node.args = {a, by};
  return isConstant(a, 0) ? a : intern(std::move(node));
}

Term Terms::choice(Term condition, Term a, Term b) {
  if (isConstant(condition))
    return isConstant(condition, 0) ? b : a;
  if (a == b)
    return a;
  if (width(a) == 1) {
    if (isConstant(a))
      return isConstant(a, 1) ? either(condition, b) : both(no(condition), b);
    if (isConstant(b))
      return isConstant(b, 1) ? either(no(condition), a) : both(condition, a);
  }
  const Node &test = (*this)[condition];
  if (test.op == Op::Xor && isConstant(test.args[1], 1))
    return choice(test.args[0], b, a);
  Node node;
  node.op = Op::Choice;
  node.width = static_cast<uint16_t>(width(a));
  node.args = {condition, a, b};
  return intern(std::move(node));
}

Term Terms::equal(Term a, Term b) {
  if (a == b)
    return truth(true);
  if (isConstant(a))
    std::swap(a, b);
  if (isConstant(a))
    return truth((*this)[a].number == (*this)[b].number);
  if (width(a) == 1)
    return isConstant(b) ? (isConstant(b, 1) ? a : no(a)) : no(bitXor(a, b));
  const Node x = (*this)[a], y = (*this)[b];
  const bool isExtended = x.op == Op::ZeroExtend || x.op == Op::SignExtend;
  if (isExtended && y.op == x.op && width(x.args[0]) == width(y.args[0]))
    return equal(x.args[0], y.args[0]);
  if (x.op == Op::ZeroExtend && isConstant(b))
    return y.number > maskOf(width(x.args[0])) ? truth(false) : equal(x.args[0], constant(width(x.args[0]), y.number));
  if (x.op == Op::Sum || y.op == Op::Sum) {
    const Term difference = subtract(a, b);
    if (isConstant(difference))
      return truth(isConstant(difference, 0));
    if (const Node node = (*this)[difference]; node.op == Op::Sum) {
      a = subtract(difference, constant(node.width, node.number));
      b = negate(constant(node.width, node.number));
    }
  }
  Node node;
  node.op = Op::Equal;
  node.args = {std::min(a, b), std::max(a, b)};
  return intern(std::move(node));
}

/// Compares two sums that do not wrap around by their difference. Returns None if that is not possible.
Term Terms::comparedSums(Term a, Term b) {
  const auto isKnown = [&](Term term) {
    const Node &node = (*this)[term];
    return node.width <= 60 && (node.op != Op::Sum || isExact(*this, node, false));
  };
  if (!isKnown(a) || !isKnown(b))
    return Term::None;
  const Term difference = subtract(extend(b, 64, false), extend(a, 64, false));
  const Node &node = (*this)[difference];
  if (node.op == Op::Constant)
    return truth(signedOf(node.number, 64) > 0);
  const auto bounds = exactly(*this, node);
  if (!bounds || bounds->low < -(static_cast<__int128>(1) << 62) || bounds->high > static_cast<__int128>(1) << 62)
    return Term::None;
  return bounds->low > 0 ? truth(true) : bounds->high <= 0 ? truth(false) : Term::None;
}

Term Terms::less(Term a, Term b, bool isSigned) {
  if (a == b)
    return truth(false);
  const unsigned bits = width(a);
  if (isSigned && isNonNegative(a) && isNonNegative(b))
    return less(a, b, false);
  if (isSigned && isNonNegative(a) && low(b) > maskOf(bits) >> 1)
    return truth(false);
  if (isSigned && isNonNegative(b) && low(a) > maskOf(bits) >> 1)
    return truth(true);
  if (bits == 1)
    return isSigned ? both(a, no(b)) : both(no(a), b);
  const Node x = (*this)[a], y = (*this)[b];
  if (x.op == y.op && (x.op == Op::ZeroExtend || (x.op == Op::SignExtend && isSigned)) &&
      width(x.args[0]) == width(y.args[0]))
    return less(x.args[0], y.args[0], x.op == Op::SignExtend);
  if (!isSigned) {
    if (isConstant(b, 1))
      return equal(a, constant(bits, 0));
    if (isConstant(a, 0))
      return no(equal(b, a));
    if (const Term known = comparedSums(a, b); known != Term::None)
      return known;
  }
  Node node;
  node.op = isSigned ? Op::LessSigned : Op::Less;
  node.args = {a, b};
  if (isConstant(a) && isConstant(b))
    return truth(applied(node, {x.number, y.number}, {bits, bits}) != 0);
  return intern(std::move(node));
}

Term Terms::extract(Term a, unsigned low, unsigned bits) {
  const Node node = (*this)[a];
  if (bits == node.width)
    return a;
  if (node.op == Op::Constant)
    return constant(bits, node.number >> low);
  if (node.op == Op::Extract)
    return extract(node.args[0], low + static_cast<unsigned>(node.number), bits);
  if (node.op == Op::ZeroExtend || node.op == Op::SignExtend) {
    const unsigned inner = width(node.args[0]);
    if (low + bits <= inner)
      return extract(node.args[0], low, bits);
    if (node.op == Op::ZeroExtend)
      return low >= inner ? constant(bits, 0) : extend(extract(node.args[0], low, inner - low), bits, false);
    if (low < inner)
      return extend(extract(node.args[0], low, inner - low), bits, true);
  }
  if (low > 0 && low + bits == node.width)
    if (const auto parts = split(*this, a, Number(1) << low))
      return extract(parts->first, 0, bits);
  const bool isBitwise = node.op == Op::And || node.op == Op::Or || node.op == Op::Xor;
  const bool passes =
      isBitwise || node.op == Op::Choice || (low == 0 && (node.op == Op::Sum || node.op == Op::Product));
  if (passes && bits > 1) {
    llvm::SmallVector<Term, 4> args;
    for (size_t i = 0; i < node.args.size(); ++i)
      args.push_back(node.op == Op::Choice && i == 0 ? node.args[i] : extract(node.args[i], low, bits));
    Node cut = node;
    cut.width = static_cast<uint16_t>(bits);
    cut.number = node.number & maskOf(bits);
    for (Number &factor : cut.factors)
      factor &= maskOf(bits);
    return rebuilt(cut, args);
  }
  Node made;
  made.op = Op::Extract;
  made.width = static_cast<uint16_t>(bits);
  made.number = low;
  made.args = {a};
  return intern(std::move(made));
}

/// Returns an extension of a term. The extension of a sum or product that does not wrap around is the sum or product of
/// extensions.
Term Terms::extended(Term a, unsigned bits, bool isSigned) {
  const Node node = (*this)[a];
  if (node.op == Op::Sum && isExact(*this, node, isSigned)) {
    Term sum = constant(bits, static_cast<Number>(signedOf(node.number, node.width)));
    for (size_t i = 0; i < node.args.size(); ++i)
      sum = add(sum, multiply(extend(node.args[i], bits, false),
                              constant(bits, static_cast<Number>(signedOf(node.factors[i], node.width)))));
    return sum;
  }
  const bool isSmall = node.op == Op::Product && high(node.args[0]) >> 60 == 0 && high(node.args[1]) >> 60 == 0;
  if (isSmall && high(node.args[0]) * high(node.args[1]) <= maskOf(node.width - isSigned))
    return multiply(extend(node.args[0], bits, false), extend(node.args[1], bits, false));
  return Term::None;
}

Term Terms::extend(Term a, unsigned bits, bool isSigned) {
  const Node node = (*this)[a];
  if (bits == node.width)
    return a;
  if (node.op == Op::Constant)
    return constant(bits, isSigned ? static_cast<Number>(signedOf(node.number, node.width)) : node.number);
  if (const Term sum = extended(a, bits, isSigned); sum != Term::None)
    return sum;
  if (isSigned && isNonNegative(a))
    return extend(a, bits, false);
  if (node.op == Op::ZeroExtend || (node.op == Op::SignExtend && isSigned))
    return extend(node.args[0], bits, node.op == Op::SignExtend);
  if (!isSigned && node.op == Op::Extract && node.number == 0 && high(node.args[0]) <= maskOf(node.width))
    return resized(node.args[0], bits, false);
  Node made;
  made.op = isSigned ? Op::SignExtend : Op::ZeroExtend;
  made.width = static_cast<uint16_t>(bits);
  made.args = {a};
  return intern(std::move(made));
}

} // namespace ptxray::prove
