#include "EqualSolver.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>

namespace ptxray {

using equal::Node;
using isa::StepOp;
using prove::Op;

namespace {

/// The formula of a term. Integers are signed numbers of its width.
using Formula = std::optional<prove::Term>;

/// Writes terms as formulas over bits. Each term follows its arguments, so nothing is recursive.
class Formulas {
public:
  Formulas(const equal::Terms &terms, prove::Terms &to) : terms(terms), to(to) {}
  /// Returns the formula of a term of bits; none if it is any number.
  Formula of(equal::Term term);

private:
  static constexpr unsigned most = 128;
  prove::Term any(unsigned width);
  Formula made(equal::Term term);
  Formula madeBits(equal::Term term);
  Formula madeNumber(equal::Term term);
  Formula applied(const Node &node, llvm::ArrayRef<prove::Term> args);
  Formula arithmetic(const Node &node, prove::Term a, prove::Term b);
  Formula shifted(const Node &node, prove::Term a, prove::Term by);
  Formula compared(StepOp op, prove::Term a, prove::Term b);
  Formula countOnes(const Node &node, prove::Term a);
  prove::Term byteIn(equal::Term term, uint64_t byte) {
    const auto at = static_cast<unsigned>(8 * byte);
    const prove::Term whole = this->at(term);
    return to.extract(to.resized(whole, std::max(to.width(whole), at + 8), false), at, 8);
  }
  prove::Term at(equal::Term term) const { return done.lookup(term); }
  prove::Term wide(prove::Term a, unsigned width) { return to.resized(a, width, /*isSigned=*/true); }
  bool isNumber(equal::Term term) const {
    return terms[term].sort == Node::Sort::Integer || terms[term].sort == Node::Sort::Float;
  }

  const equal::Terms &terms;
  prove::Terms &to;
  llvm::DenseMap<equal::Term, prove::Term> done;
  llvm::DenseMap<equal::Term, bool> isAny;
  unsigned variables = 0;
};

} // namespace

prove::Term Formulas::any(unsigned width) {
  prove::Variable variable;
  variable.name = "v" + std::to_string(variables++);
  variable.width = static_cast<uint16_t>(width);
  variable.high = prove::maskOf(width);
  return to.variable(std::move(variable));
}

Formula Formulas::of(equal::Term root) {
  std::vector<equal::Term> waiting = {root};
  while (!waiting.empty()) {
    const equal::Term term = waiting.back();
    const size_t before = waiting.size();
    const bool isFloat = terms[term].sort == Node::Sort::Float;
    if (!isFloat)
      for (const equal::Term arg : terms.argsOf(term))
        if (!done.contains(arg))
          waiting.push_back(arg);
    if (waiting.size() != before)
      continue;
    waiting.pop_back();
    if (done.contains(term))
      continue;
    const Formula formula = isFloat ? std::nullopt : made(term);
    isAny[term] = !formula;
    done[term] = formula ? *formula : any(isNumber(term) ? most : terms[term].bits);
  }
  return isAny[root] ? std::nullopt : Formula(at(root));
}

Formula Formulas::made(equal::Term term) { return isNumber(term) ? madeNumber(term) : madeBits(term); }

Formula Formulas::madeBits(equal::Term term) {
  const Node &node = terms[term];
  const llvm::ArrayRef<equal::Term> args = terms.argsOf(term);
  const unsigned width = node.bits;
  switch (node.kind) {
  case Node::Kind::Leaf: return any(8);
  case Node::Kind::Constant: return to.constant(width, terms.constantOf(term));
  case Node::Kind::Slice: return to.extract(at(args[0]), static_cast<unsigned>(node.first), width);
  case Node::Kind::Join: {
    prove::Term all = to.constant(width, 0);
    for (size_t i = 0; i < args.size(); ++i)
      all = to.bitOr(all, to.shift(Op::ShiftLeft, to.extend(byteIn(args[i], node.first >> 4 * i & 15), width, false),
                                   to.constant(width, 8 * i)));
    return all;
  }
  case Node::Kind::Store:
    if (terms.typeOf(node.type).isFloat() || terms[args[0]].sort != Node::Sort::Integer)
      return {};
    return wide(at(args[0]), width);
  case Node::Kind::Placed: {
    const auto shift = static_cast<int>(static_cast<int64_t>(node.second));
    if (shift <= -8 || shift >= static_cast<int>(width))
      return to.constant(width, 0);
    const prove::Term byte = to.extend(byteIn(args[0], node.first), std::max(width, 8u), false);
    const prove::Term by = to.constant(to.width(byte), static_cast<unsigned>(std::abs(shift)));
    return to.resized(to.shift(shift < 0 ? Op::ShiftRight : Op::ShiftLeft, byte, by), width, false);
  }
  case Node::Kind::Bitwise: {
    prove::Term all = to.constant(width, 0);
    for (const equal::Term arg : args)
      all = to.bitXor(all, at(arg));
    return all;
  }
  case Node::Kind::Apply: break;
  default: return {};
  }
  if (node.op == StepOp::Choice)
    return to.choice(at(args[0]), at(args[1]), at(args[2]));
  if (node.op == StepOp::Not)
    return to.bitNot(at(args[0]));
  const bool areBits = llvm::none_of(args, [&](equal::Term one) { return isNumber(one); });
  if (areBits && (node.op == StepOp::And || node.op == StepOp::Or || node.op == StepOp::Xor)) {
    prove::Term all = at(args[0]);
    for (const equal::Term arg : args.drop_front())
      all = node.op == StepOp::And  ? to.bitAnd(all, at(arg))
            : node.op == StepOp::Or ? to.bitOr(all, at(arg))
                                    : to.bitXor(all, at(arg));
    return all;
  }
  const bool areIntegers = llvm::all_of(args, [&](equal::Term one) { return terms[one].sort == Node::Sort::Integer; });
  if (areIntegers && args.size() == 2 && node.op >= StepOp::Less && node.op <= StepOp::Unequal)
    return compared(node.op, at(args[0]), at(args[1]));
  return {};
}

Formula Formulas::compared(StepOp op, prove::Term a, prove::Term b) {
  const unsigned width = std::max(to.width(a), to.width(b));
  a = wide(a, width);
  b = wide(b, width);
  switch (op) {
  case StepOp::Less: return to.less(a, b, true);
  case StepOp::LessEqual: return to.lessEqual(a, b, true);
  case StepOp::Equal: return to.equal(a, b);
  default: return {};
  }
}

Formula Formulas::madeNumber(equal::Term term) {
  const Node &node = terms[term];
  const llvm::ArrayRef<equal::Term> args = terms.argsOf(term);
  if (node.kind == Node::Kind::Value) {
    const Value &value = terms.valueOf(term);
    unsigned width = 2;
    while (width < most && value.magnitude >> (width - 1))
      ++width;
    return width < most ? Formula(to.constant(width, value.twosComplement() & prove::maskOf(width))) : std::nullopt;
  }
  if (node.kind == Node::Kind::Read) {
    const ElementType &type = terms.typeOf(node.type);
    if (type.isFloat() || type.bits >= most)
      return {};
    const prove::Term bits = to.resized(at(args[0]), type.bits, false);
    return type.isSigned() ? bits : to.extend(bits, type.bits + 1u, false);
  }
  if (node.kind != Node::Kind::Apply)
    return {};
  llvm::SmallVector<prove::Term, 4> formulas;
  for (const equal::Term arg : args) {
    if (terms[arg].sort == Node::Sort::Float)
      return {};
    formulas.push_back(at(arg));
  }
  return applied(node, formulas);
}

Formula Formulas::applied(const Node &node, llvm::ArrayRef<prove::Term> args) {
  const auto widened = [&](prove::Term a, unsigned more) -> Formula {
    return to.width(a) + more <= most ? Formula(wide(a, to.width(a) + more)) : std::nullopt;
  };
  switch (node.op) {
  case StepOp::Negate:
  case StepOp::Invert:
  case StepOp::Absolute: {
    const Formula a = widened(args[0], 1);
    if (!a)
      return {};
    if (node.op == StepOp::Invert)
      return to.bitNot(*a);
    const prove::Term opposite = to.negate(*a);
    return node.op == StepOp::Negate ? opposite
                                     : to.choice(to.less(*a, to.constant(to.width(*a), 0), true), opposite, *a);
  }
  case StepOp::Choice: {
    const unsigned width = std::max(to.width(args[1]), to.width(args[2]));
    return to.choice(args[0], wide(args[1], width), wide(args[2], width));
  }
  case StepOp::Minimum:
  case StepOp::Maximum: {
    prove::Term result = args[0];
    for (const prove::Term arg : args.drop_front()) {
      const unsigned width = std::max(to.width(result), to.width(arg));
      const prove::Term a = wide(result, width), b = wide(arg, width), isLess = to.less(a, b, true);
      result = node.op == StepOp::Minimum ? to.choice(isLess, a, b) : to.choice(isLess, b, a);
    }
    return result;
  }
  case StepOp::Truth: {
    const ElementType &type = terms.typeOf(node.target);
    const unsigned width = type.bits + 1u;
    if (width > most || to.width(args[0]) != 1)
      return {};
    return to.choice(args[0], to.constant(width, type.isFloat() ? 1 : prove::maskOf(type.bits)), to.constant(width, 0));
  }
  case StepOp::Ones: return countOnes(node, args[0]);
  case StepOp::High: {
    const unsigned by = terms.typeOf(node.target).bits, width = to.width(args[0]);
    return to.shift(Op::ShiftRightSigned, args[0], to.constant(width, std::min(by, width - 1)));
  }
  default: break;
  }
  return args.size() == 2 ? arithmetic(node, args[0], args[1]) : std::nullopt;
}

Formula Formulas::arithmetic(const Node &node, prove::Term a, prove::Term b) {
  const unsigned larger = std::max(to.width(a), to.width(b));
  const auto both = [&](unsigned width, auto make) -> Formula {
    return width <= most ? Formula(make(wide(a, width), wide(b, width))) : std::nullopt;
  };
  switch (node.op) {
  case StepOp::Add: return both(larger + 1, [&](auto x, auto y) { return to.add(x, y); });
  case StepOp::Subtract: return both(larger + 1, [&](auto x, auto y) { return to.subtract(x, y); });
  case StepOp::Multiply: return both(to.width(a) + to.width(b), [&](auto x, auto y) { return to.multiply(x, y); });
  case StepOp::And: return both(larger, [&](auto x, auto y) { return to.bitAnd(x, y); });
  case StepOp::Or: return both(larger, [&](auto x, auto y) { return to.bitOr(x, y); });
  case StepOp::Xor: return both(larger, [&](auto x, auto y) { return to.bitXor(x, y); });
  case StepOp::Divide:
  case StepOp::Remainder:
    return both(larger + 1, [&](auto x, auto y) {
      const prove::Term zero = to.constant(larger + 1, 0);
      return to.choice(to.equal(y, zero), zero, to.divide(x, y, true, node.op == StepOp::Remainder));
    });
  case StepOp::ShiftLeft:
  case StepOp::ShiftRight: return shifted(node, a, b);
  default: return {};
  }
}

Formula Formulas::shifted(const Node &node, prove::Term a, prove::Term by) {
  if (!to.isNonNegative(by))
    return {};
  if (node.op == StepOp::ShiftRight) {
    const unsigned width = std::max(to.width(a), to.width(by));
    return to.shift(Op::ShiftRightSigned, wide(a, width), wide(by, width));
  }
  if (!to.isConstant(by))
    return {};
  const prove::Number amount = to[by].number;
  const unsigned width = to.width(a);
  if (amount + width > most)
    return {};
  const auto all = static_cast<unsigned>(width + amount);
  return to.shift(Op::ShiftLeft, wide(a, all), to.constant(all, amount));
}

Formula Formulas::countOnes(const Node &node, prove::Term a) {
  constexpr unsigned width = 9;
  const unsigned bits = terms.typeOf(static_cast<uint16_t>(node.type - 1)).bits;
  a = wide(a, std::max(bits, to.width(a)));
  prove::Term sum = to.constant(width, 0);
  for (unsigned i = 0; i < bits; ++i)
    sum = to.add(sum, to.extend(to.extract(a, i, 1), width, false));
  return sum;
}

bool EqualSolver::areSame(const equal::Terms &terms, const equal::Ref &a, const equal::Ref &b, unsigned bytes) {
  constexpr unsigned seconds = 10;
  if (hasFailed || !solver.isThere())
    return false;
  prove::Terms formulas;
  Formulas writer(terms, formulas);
  const Formula x = writer.of(a.term), y = writer.of(b.term);
  hasFailed = true;
  if (!x || !y || formulas.width(*x) < 8 * (a.byte + bytes) || formulas.width(*y) < 8 * (b.byte + bytes))
    return false;
  const prove::Term isOther = formulas.bitNot(
      formulas.equal(formulas.extract(*x, 8 * a.byte, 8 * bytes), formulas.extract(*y, 8 * b.byte, 8 * bytes)));
  const auto [found, isNew] = known.try_emplace(smtOf(formulas, {isOther}, {}), false);
  if (isNew)
    found->second = solver.ask(formulas, {isOther}, {}, seconds).answer == prove::Answer::Impossible;
  hasFailed = !found->second;
  return found->second;
}

} // namespace ptxray
