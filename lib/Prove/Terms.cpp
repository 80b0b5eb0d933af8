#include "Prove/Terms.h"
#include "llvm/ADT/Hashing.h"
#include <algorithm>

namespace ptxray::prove {

__int128 signedOf(Number number, unsigned width) {
  if (width < mostBits && number >> (width - 1) & 1)
    number |= ~maskOf(width);
  return static_cast<__int128>(number);
}

static Number divided(const Node &node, Number a, Number b) {
  const bool isSigned = node.op == Op::DivideSigned || node.op == Op::RemainderSigned;
  const bool isRemainder = node.op == Op::RemainderUnsigned || node.op == Op::RemainderSigned;
  if (!isSigned)
    return isRemainder ? (b ? a % b : a) : b ? a / b : maskOf(node.width);
  const __int128 x = signedOf(a, node.width), y = signedOf(b, node.width);
  const bool isNegative = x < 0;
  const Number left = isNegative ? Number(0) - Number(x) : Number(x), right = y < 0 ? Number(0) - Number(y) : Number(y);
  if (isRemainder) {
    const Number rest = right ? left % right : left;
    return isNegative ? Number(0) - rest : rest;
  }
  if (!right)
    return isNegative ? 1 : ~Number(0);
  const Number quotient = left / right;
  return isNegative != (y < 0) ? Number(0) - quotient : quotient;
}

static Number shifted(const Node &node, Number a, Number by) {
  const unsigned width = node.width;
  if (node.op == Op::ShiftLeft)
    return by >= width ? 0 : a << static_cast<unsigned>(by);
  if (node.op == Op::ShiftRight)
    return by >= width ? 0 : a >> static_cast<unsigned>(by);
  const unsigned count = static_cast<unsigned>(std::min<Number>(by, width - 1));
  return static_cast<Number>(signedOf(a, width) >> std::min(count, 127u));
}

Number applied(const Node &node, llvm::ArrayRef<Number> args, llvm::ArrayRef<unsigned> widths) {
  const auto result = [&]() -> Number {
    switch (node.op) {
    case Op::Sum: {
      Number sum = node.number;
      for (size_t i = 0; i < args.size(); ++i)
        sum += args[i] * node.factors[i];
      return sum;
    }
    case Op::Product: return args[0] * args[1];
    case Op::DivideUnsigned:
    case Op::RemainderUnsigned:
    case Op::DivideSigned:
    case Op::RemainderSigned: return divided(node, args[0], args[1]);
    case Op::And: return args[0] & args[1];
    case Op::Or: return args[0] | args[1];
    case Op::Xor: return args[0] ^ args[1];
    case Op::ShiftLeft:
    case Op::ShiftRight:
    case Op::ShiftRightSigned: return shifted(node, args[0], args[1]);
    case Op::Choice: return args[0] ? args[1] : args[2];
    case Op::Equal: return args[0] == args[1];
    case Op::Less: return args[0] < args[1];
    case Op::LessSigned: return signedOf(args[0], widths[0]) < signedOf(args[1], widths[1]);
    case Op::Extract: return args[0] >> static_cast<unsigned>(node.number);
    case Op::ZeroExtend: return args[0];
    case Op::SignExtend: return static_cast<Number>(signedOf(args[0], widths[0]));
    default: return node.number;
    }
  }();
  return result & maskOf(node.width);
}

Terms::Terms() { nodes.reserve(4096); }

Term Terms::intern(Node node) {
  llvm::hash_code hash =
      llvm::hash_combine(static_cast<unsigned>(node.op), node.width, static_cast<uint64_t>(node.number),
                         static_cast<uint64_t>(node.number >> 64));
  for (const Term arg : node.args)
    hash = llvm::hash_combine(hash, static_cast<uint32_t>(arg));
  for (const Number factor : node.factors)
    hash = llvm::hash_combine(hash, static_cast<uint64_t>(factor));
  auto &same = known[static_cast<size_t>(hash) >> 1];
  for (const Term term : same)
    if ((*this)[term] == node)
      return term;
  Number low = 0, high = maskOf(node.width);
  bound(node, low, high);
  if (low == high && node.op != Op::Constant)
    return constant(node.width, low);
  lows.push_back(low);
  highs.push_back(high);
  lowZeros.push_back(static_cast<uint8_t>(zerosOf(node)));
  nodes.push_back(std::move(node));
  same.push_back(Term(nodes.size() - 1));
  return Term(nodes.size() - 1);
}

Term Terms::constant(unsigned width, Number number) {
  Node node;
  node.width = static_cast<uint16_t>(width);
  node.number = number & maskOf(width);
  return intern(std::move(node));
}

Term Terms::variable(Variable variable) {
  Node node;
  node.op = Op::Variable;
  node.width = variable.width;
  node.number = variables.size();
  variables.push_back(std::move(variable));
  return intern(std::move(node));
}

Term Terms::opaque(unsigned width, uint64_t function, llvm::ArrayRef<Term> args) {
  Node node;
  node.op = Op::Opaque;
  node.width = static_cast<uint16_t>(width);
  node.number = function;
  node.args.assign(args.begin(), args.end());
  return intern(std::move(node));
}

/// Computes the bounds of a sum whose parts do not wrap around.
void Terms::boundSum(const Node &node, Number &low, Number &high) const {
  if (node.width > 100)
    return;
  __int128 least = signedOf(node.number, node.width), most = least;
  const __int128 limit = static_cast<__int128>(1) << 120;
  for (size_t i = 0; i < node.args.size(); ++i) {
    const __int128 factor = signedOf(node.factors[i], node.width);
    const __int128 a = static_cast<__int128>(this->low(node.args[i])),
                   b = static_cast<__int128>(this->high(node.args[i]));
    const __int128 size = factor < 0 ? -factor : factor;
    if (size && b > limit / size)
      return;
    least += factor < 0 ? factor * b : factor * a;
    most += factor < 0 ? factor * a : factor * b;
    if (least < -limit || most > limit)
      return;
  }
  // Keep the bounds only if both are in the same interval modulo the width.
  const __int128 span = static_cast<__int128>(1) << node.width;
  const auto floor = [&](__int128 x) { return x >= 0 ? x / span : -((-x + span - 1) / span); };
  if (floor(least) != floor(most))
    return;
  low = static_cast<Number>(least - floor(least) * span);
  high = static_cast<Number>(most - floor(least) * span);
}

static Number onesUpTo(Number number) {
  Number ones = 0;
  while (ones < number)
    ones = ones << 1 | 1;
  return ones;
}

void Terms::bound(const Node &node, Number &low, Number &high) const {
  const auto least = [&](unsigned i) { return this->low(node.args[i]); };
  const auto most = [&](unsigned i) { return this->high(node.args[i]); };
  switch (node.op) {
  case Op::Constant: low = high = node.number; return;
  case Op::Variable:
    low = variables[static_cast<size_t>(node.number)].low;
    high = variables[static_cast<size_t>(node.number)].high;
    return;
  case Op::Sum: return boundSum(node, low, high);
  case Op::Product:
    if (most(0) >> 64 == 0 && most(1) >> 64 == 0 && most(0) * most(1) <= high) {
      low = least(0) * least(1);
      high = most(0) * most(1);
    }
    return;
  case Op::DivideUnsigned:
    if (least(1)) {
      low = least(0) / most(1);
      high = most(0) / least(1);
    }
    return;
  case Op::RemainderUnsigned: high = least(1) ? std::min(most(0), most(1) - 1) : most(0); return;
  case Op::And: high = std::min(most(0), most(1)); return;
  case Op::Or:
    low = std::max(least(0), least(1));
    high = onesUpTo(most(0) | most(1));
    return;
  case Op::Xor: high = onesUpTo(most(0) | most(1)); return;
  case Op::ShiftRight:
    high = shifted(node, most(0), least(1));
    low = shifted(node, least(0), most(1));
    return;
  case Op::ShiftLeft:
    if (isConstant(node.args[1]) && most(0) <= maskOf(node.width) >> static_cast<unsigned>(least(1) & 127)) {
      low = shifted(node, least(0), least(1));
      high = shifted(node, most(0), least(1));
    }
    return;
  default: return boundRest(node, low, high);
  }
}

/// Computes the bounds of choices, comparisons, extractions and extensions.
void Terms::boundRest(const Node &node, Number &low, Number &high) const {
  const auto least = [&](unsigned i) { return this->low(node.args[i]); };
  const auto most = [&](unsigned i) { return this->high(node.args[i]); };
  switch (node.op) {
  case Op::Choice:
    low = std::min(least(1), least(2));
    high = std::max(most(1), most(2));
    return;
  case Op::Equal:
    if (most(0) < least(1) || most(1) < least(0))
      high = 0;
    return;
  case Op::Less:
    if (most(0) < least(1))
      low = 1;
    if (least(0) >= most(1))
      high = 0;
    return;
  case Op::Extract:
    if (most(0) >> static_cast<unsigned>(node.number) <= high) {
      low = least(0) >> static_cast<unsigned>(node.number);
      high = most(0) >> static_cast<unsigned>(node.number);
    }
    return;
  case Op::ZeroExtend:
  case Op::SignExtend:
    if (node.op == Op::SignExtend && !isNonNegative(node.args[0]))
      return;
    low = least(0);
    high = most(0);
    return;
  default: return;
  }
}

static unsigned zerosOfNumber(Number number, unsigned width) {
  unsigned count = 0;
  while (count < width && !(number >> count & 1))
    ++count;
  return count;
}

unsigned Terms::zerosOf(const Node &node) const {
  const auto of = [&](unsigned i) { return zeros(node.args[i]); };
  const unsigned width = node.width;
  switch (node.op) {
  case Op::Constant: return zerosOfNumber(node.number, width);
  case Op::Sum: {
    unsigned least = zerosOfNumber(node.number, width);
    for (size_t i = 0; i < node.args.size(); ++i)
      least = std::min(least, of(static_cast<unsigned>(i)) + zerosOfNumber(node.factors[i], width));
    return least;
  }
  case Op::Product: return std::min(width, of(0) + of(1));
  case Op::And: return std::max(of(0), of(1));
  case Op::Or:
  case Op::Xor: return std::min(of(0), of(1));
  case Op::ShiftLeft: return of(0);
  case Op::Choice: return std::min(of(1), of(2));
  case Op::Extract: return std::min(width, of(0) > node.number ? of(0) - static_cast<unsigned>(node.number) : 0);
  case Op::ZeroExtend:
  case Op::SignExtend: return of(0);
  default: return 0;
  }
}

void Terms::eachBelow(llvm::ArrayRef<Term> roots, llvm::function_ref<void(Term)> see) const {
  llvm::DenseMap<Term, bool> seen; // true once it was visited
  llvm::SmallVector<Term, 32> stack(roots.begin(), roots.end());
  while (!stack.empty()) {
    const Term term = stack.back();
    bool &isDone = seen[term];
    if (isDone) {
      stack.pop_back();
      continue;
    }
    const size_t size = stack.size();
    for (const Term arg : (*this)[term].args)
      if (const auto found = seen.find(arg); found == seen.end() || !found->second)
        stack.push_back(arg);
    if (stack.size() != size)
      continue;
    seen[term] = true;
    stack.pop_back();
    see(term);
  }
}

Term Terms::rebuilt(const Node &like, llvm::ArrayRef<Term> args) {
  switch (like.op) {
  case Op::Sum: {
    std::map<Term, Number> parts;
    Number number = like.number;
    for (size_t i = 0; i < args.size(); ++i)
      addTo(parts, number, args[i], like.factors[i]);
    return sumOf(like.width, number, std::move(parts));
  }
  case Op::Product: return multiply(args[0], args[1]);
  case Op::DivideUnsigned: return divide(args[0], args[1], false, false);
  case Op::RemainderUnsigned: return divide(args[0], args[1], false, true);
  case Op::DivideSigned: return divide(args[0], args[1], true, false);
  case Op::RemainderSigned: return divide(args[0], args[1], true, true);
  case Op::And: return bitAnd(args[0], args[1]);
  case Op::Or: return bitOr(args[0], args[1]);
  case Op::Xor: return bitXor(args[0], args[1]);
  case Op::ShiftLeft:
  case Op::ShiftRight:
  case Op::ShiftRightSigned: return shift(like.op, args[0], args[1]);
  case Op::Choice: return choice(args[0], args[1], args[2]);
  case Op::Equal: return equal(args[0], args[1]);
  case Op::Less: return less(args[0], args[1], false);
  case Op::LessSigned: return less(args[0], args[1], true);
  case Op::Extract: return extract(args[0], static_cast<unsigned>(like.number), like.width);
  case Op::ZeroExtend: return extend(args[0], like.width, false);
  case Op::SignExtend: return extend(args[0], like.width, true);
  case Op::Opaque: return opaque(like.width, static_cast<uint64_t>(like.number), args);
  default: return intern(like);
  }
}

Term Terms::replaced(Term root, llvm::DenseMap<Term, Term> &done) {
  llvm::SmallVector<Term, 32> stack = {root};
  while (!stack.empty()) {
    const Term term = stack.back();
    if (done.count(term)) {
      stack.pop_back();
      continue;
    }
    const Node node = (*this)[term];
    const size_t size = stack.size();
    for (const Term arg : node.args)
      if (!done.count(arg))
        stack.push_back(arg);
    if (stack.size() != size)
      continue;
    stack.pop_back();
    llvm::SmallVector<Term, 4> args;
    for (const Term arg : node.args)
      args.push_back(done[arg]);
    const bool isSame = llvm::ArrayRef<Term>(args) == llvm::ArrayRef<Term>(node.args);
    const Term result = isSame ? term : rebuilt(node, args);
    done[term] = result;
  }
  return done[root];
}

Number Terms::evaluate(Term root, const llvm::DenseMap<Term, Number> &values) const {
  llvm::DenseMap<Term, Number> results = values;
  eachBelow(root, [&](Term term) {
    if (results.count(term))
      return;
    const Node &node = (*this)[term];
    llvm::SmallVector<Number, 4> args;
    llvm::SmallVector<unsigned, 4> widths;
    for (const Term arg : node.args) {
      args.push_back(results.lookup(arg));
      widths.push_back(width(arg));
    }
    const bool isLeaf = node.op == Op::Variable || node.op == Op::Opaque;
    results[term] = isLeaf ? low(term) : applied(node, args, widths);
  });
  return results.lookup(root);
}

} // namespace ptxray::prove
