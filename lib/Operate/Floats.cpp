// Lowers floating point steps. An operation is emitted as soon as the rounding of its result is known.
#include "Operate/Exactly.h"
#include "Operate/Lowering.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using isa::StepOp;
using numbers::Rounding;

static bool isHalf(const numbers::Format &format) { return &format == &numbers::f16 || &format == &numbers::bf16; }
/// Returns whether the processor computes in this format.
static bool isNative(const numbers::Format &format) {
  return isHalf(format) || &format == &numbers::f32 || &format == &numbers::f64;
}

Lane Lowering::floatLane(const numbers::Format &format) {
  const bool isPair = packed.count == 2;
  if (packed.count > 1 && (!isPair || format.width() != packed.bits))
    hasFailed = true;
  if (&format == &numbers::f16)
    return isPair ? Lane::F16x2 : Lane::F16;
  if (&format == &numbers::bf16)
    return isPair ? Lane::BF16x2 : Lane::BF16;
  if (&format == &numbers::f32)
    return isPair ? Lane::F32x2 : Lane::F32;
  if (&format != &numbers::f64)
    hasFailed = true;
  return Lane::F64;
}

/// Returns a format that represents both numbers. Constants fit any format.
const numbers::Format *Lowering::commonFormat(const Term &a, const Term &b) {
  if (a.isConstant || b.isConstant)
    return a.isConstant && b.isConstant ? storedFormat : a.isConstant ? b.format : a.format;
  if (!a.format || !b.format || a.format == b.format)
    return a.format == b.format ? a.format : nullptr;
  const auto isSmall = [](const Term &term) { return isHalf(*term.format) || term.format == &numbers::f32; };
  return isSmall(a) && isSmall(b) ? &numbers::f32 : nullptr;
}

/// Returns the node with the code of a number that the format represents.
NodeId Lowering::codeOf(const Term &term, const numbers::Format &format) {
  if (term.isConstant) {
    const numbers::Number number = term.value.asNumber();
    const uint64_t code = numbers::store(number, format, {});
    const bool isSame = numbers::compare(numbers::read(code, format), number) == 0;
    if (number.isNaN() ? term.value.hasBits : !isSame)
      return fail(noNode);
    Bits all = code;
    for (unsigned i = 1; i < packed.count; ++i)
      all |= Bits(code) << format.width() * i;
    return graph.constant(format.width() * packed.count, all);
  }
  if (!term.isFloat() || term.isPending())
    return fail(noNode);
  if (term.format == &format)
    return term.node;
  const std::optional<Term> same = exactly(term, format);
  return same ? same->node : fail(noNode);
}

/// Converts a number to a wider format.
std::optional<Term> Lowering::exactly(const Term &term, const numbers::Format &format) {
  if (term.format == &format)
    return term;
  const bool isWider =
      (isHalf(*term.format) && &format == &numbers::f32) || (term.format == &numbers::f32 && &format == &numbers::f64);
  if (!isWider || packed.count > 1)
    return {};
  return Term::real(graph.add(Code::Convert, floatLane(format), term.node, noNode, noNode, 0, floatLane(*term.format)),
                    format);
}

Term Lowering::settled(const Term &term) {
  if (!term.isPending())
    return term;
  return storedFormat ? done(term, *storedFormat, roundingOf(current)) : fail();
}

/// Emits the pending operation of a term, with its result in this format.
Term Lowering::done(const Term &term, const numbers::Format &format, Rounding how) {
  std::vector<NodeId> args;
  bool isPlain = how == Rounding::Nearest && isNative(format);
  if (term.pending == StepOp::Reciprocal)
    args.push_back(codeOf(Term::constant(Value::real(numbers::Number::scaled(false, 1, 0))), format));
  const Terms sources = sourcesOf(term);
  for (const Term &source : sources) {
    const bool isThere =
        source.isConstant || (source.isFloat() && (source.format == &format || exactly(source, format)));
    isPlain &= isThere;
    if (isPlain)
      args.push_back(codeOf(source, format));
  }
  if (!isPlain)
    return exact(term, format, how);
  args.resize(3, noNode);
  const Code code = sources.size() == 3                  ? Code::MultiplyAdd
                    : term.pending == StepOp::Add        ? Code::Add
                    : term.pending == StepOp::Subtract   ? Code::Subtract
                    : term.pending == StepOp::Multiply   ? Code::Multiply
                    : term.pending == StepOp::SquareRoot ? Code::SquareRoot
                                                         : Code::Divide;
  return Term::real(graph.add(code, floatLane(format), args[0], args[1], args[2]), format);
}

/// Returns the node for this work. Equal work shares one node.
NodeId Lowering::exactNode(const ExactWork &work, const std::array<NodeId, 3> &args) {
  const unsigned bits = std::max(work.format->width(), 16U);
  for (const ExactWork *known : exactWorks)
    if (known->isSame(work))
      return graph.call(computeExactly, known, bits, args);
  auto kept = std::make_shared<ExactWork>(work);
  exactWorks.push_back(kept.get());
  input.kept.push_back(std::move(kept));
  return graph.call(computeExactly, exactWorks.back(), bits, args);
}

/// Emits an operation that the processor lacks, computed number by number.
Term Lowering::exact(const Term &term, const numbers::Format &format, Rounding how) {
  if (packed.count > 1)
    return fail();
  ExactWork work;
  std::array<NodeId, 3> args = {noNode, noNode, noNode};
  const Terms sources = term.isPending() ? sourcesOf(term) : Terms{term};
  for (size_t i = 0; i < sources.size(); ++i) {
    const Term &source = sources[i];
    if (source.isPending() || source.isTruth())
      return fail();
    if (source.isConstant) {
      work.constants[i] = source.value;
      continue;
    }
    ElementType type{source.range.isNatural() ? ElementType::Kind::Unsigned : ElementType::Kind::Signed, source.width,
                     1, nullptr};
    if (source.isFloat())
      type = {ElementType::Kind::Float, static_cast<uint16_t>(source.format->width()), 1, source.format};
    else if (!source.range.fits(source.width, type.isSigned()))
      return fail();
    work.types[i] = type;
    args[i] = source.node;
  }
  work.op = term.isPending() ? term.pending : StepOp::Operand;
  work.count = sources.size();
  work.format = &format;
  work.rounding = how;
  return Term::real(exactNode(work, args), format);
}

Term Lowering::rounded(const Term &term, const numbers::Format &format, Rounding how) {
  if (term.isPending())
    return done(term, format, how);
  if (term.isConstant)
    return term;
  if (term.isTruth())
    return fail();
  if (!term.isFloat()) {
    bool isSigned = !term.range.isNatural();
    if (!term.range.fits(term.width, isSigned))
      return fail();
    const Lane from = integerLane(term.width, isSigned);
    if (how != Rounding::Nearest || packed.count > 1 || !isNative(format) ||
        !handlerOf(Code::Convert, floatLane(format), from))
      return exact(term, format, how);
    return Term::real(graph.add(Code::Convert, floatLane(format), term.node, noNode, noNode, 0, from), format);
  }
  if (term.format == &format)
    return term.isRaw ? unary(Code::Canonical, term) : term;
  if (const std::optional<Term> same = exactly(term, format))
    return *same;
  const bool isPlain = how == Rounding::Nearest && ((term.format == &numbers::f32 && isHalf(format)) ||
                                                    (term.format == &numbers::f64 && &format == &numbers::f32));
  if (!isPlain || packed.count > 1)
    return exact(term, format, how);
  return Term::real(graph.add(Code::Convert, floatLane(format), term.node, noNode, noNode, 0, floatLane(*term.format)),
                    format);
}

Term Lowering::unary(Code code, const Term &term) {
  const Term a = settled(term);
  if (!a.isFloat() || a.isConstant || !isNative(*a.format))
    return fail();
  return Term::real(graph.add(code, floatLane(*a.format), a.node), *a.format);
}

/// Flushes the result of an operation. `.sat` and `.relu` commute with flushing. The rounded value does not show
/// whether the result must be flushed, so flushing is part of the operation.
NodeId Lowering::flushedNode(NodeId node, const numbers::Format &format) {
  const Lane lane = floatLane(format);
  std::vector<Code> after;
  const auto isLimit = [&](const Node &one) {
    const bool limits = one.code == Code::Saturate || one.code == Code::Relu;
    return one.kind == Node::Kind::Operation && limits && one.type == lane;
  };
  for (; isLimit(graph.at(node)); node = graph.at(node).args[0])
    after.push_back(graph.at(node).code);
  const Node computed = graph.at(node);
  if (computed.kind == Node::Kind::Call && computed.handler == computeExactly) {
    ExactWork work = *static_cast<const ExactWork *>(computed.more);
    work.flushes = true;
    node = exactNode(work, computed.args);
  } else if (computed.kind == Node::Kind::Operation && (computed.code == Code::Select || computed.code == Code::Mux)) {
    return fail(noNode); // the number would have to be rounded
  } else {
    node = graph.add(Code::Flush, lane, node);
  }
  for (const Code code : llvm::reverse(after))
    node = graph.add(code, lane, node);
  return node;
}

Term Lowering::flushed(const RecipeStep &step, const Term &term) {
  const ElementType &type = step.type.isFloat() ? step.type : step.target;
  if (!type.isFloat())
    return term;
  const Term a = term.isPending() ? done(term, *type.format, Rounding::Nearest) : term;
  if (!a.isFloat() || a.isConstant || (type.format == &numbers::bf16 || !isNative(*type.format)))
    return fail();
  const std::optional<Term> same = exactly(a, *type.format);
  if (!same)
    return fail();
  Term result = *same;
  result.node = flushedNode(same->node, *type.format);
  result.isRaw = false; // NaN becomes the canonical one
  return result;
}

Term Lowering::floatExtreme(bool isGreatest, const Term &first, const Term &second, const RecipeStep &step) {
  if (!step.target.isFloat() && second.isConstant && !second.isFloat())
    return first; // storing clamps to the same limits
  const Term a = settled(first), b = settled(second);
  const numbers::Format *format = commonFormat(a, b);
  if (!format)
    return fail();
  return Term::real(
      graph.add(isGreatest ? Code::Maximum : Code::Minimum, floatLane(*format), codeOf(a, *format), codeOf(b, *format)),
      *format);
}

/// Selects one of two numbers. A selection made by `.relu` or `.sat` becomes one operation.
std::optional<Term> Lowering::floatChoice(const Term &condition, const Term &a, const Term &b) {
  if (a.node == b.node && a.node != noNode)
    return a;
  const numbers::Format *format = commonFormat(a, b);
  if (!format)
    return {};
  const NodeId first = codeOf(a, *format), second = codeOf(b, *format);
  if (first == noNode || second == noNode)
    return {};
  const Node test = graph.at(condition.node);
  const auto isZero = [&](NodeId node) { return graph.isConstant(node) && graph.at(node).value == 0; };
  const bool isTest = test.kind == Node::Kind::Operation && isNative(*format);
  if (isTest && test.code == Code::LessEqual && test.args[0] == second && isZero(test.args[1]) && isZero(first) &&
      !b.isRaw)
    return Term::real(graph.add(Code::Relu, floatLane(*format), second), *format);
  if (isTest && test.code == Code::Less && isZero(test.args[0]) && isZero(second) && !a.isConstant) {
    const Node least = graph.at(first);
    const NodeId one = codeOf(Term::constant(Value::real(numbers::Number::scaled(false, 1, 0))), *format);
    if (least.kind == Node::Kind::Operation && least.code == Code::Minimum && least.args[0] == test.args[1] &&
        least.args[1] == one)
      return Term::real(graph.add(Code::Saturate, floatLane(*format), test.args[1]), *format);
  }
  const unsigned width = format->width();
  if (packed.count == 1 && width < 16)
    return {};
  const Lane words = width * packed.count == 64 ? Lane::U64 : Lane::U32;
  Term result =
      Term::real(packed.count > 1 ? graph.add(Code::Mux, words, condition.node, first, second)
                                  : graph.add(Code::Select, integerLane(width, false), condition.node, first, second),
                 *format, a.isRaw || b.isRaw);
  return result;
}

/// Returns the truth value of the number's sign bit.
Term Lowering::signOf(const RecipeStep & /*step*/, const Term &term) {
  const Term a = settled(term);
  if (!a.isFloat() || a.isConstant || !a.isRaw) // a computed NaN has lost its sign
    return fail();
  const unsigned width = a.format->width() * packed.count;
  return Term::truth(graph.add(Code::Less, integerLane(a.format->width(), true), a.node, graph.constant(width, 0)));
}

/// Returns whether the number is the NaN that a tensor copy stores outside its tensor, with either sign.
Term Lowering::outOfBounds(const Term &term) {
  const Term a = settled(term);
  if (!a.isFloat() || a.isConstant || !a.isRaw)
    return fail();
  const unsigned width = a.format->width(), all = width * packed.count;
  Bits magnitudes = 0, marks = 0;
  for (unsigned i = 0; i < packed.count; ++i) {
    magnitudes |= (a.format->signBit() - 1) << (width * i);
    marks |= Bits(outOfBoundsMark) << (width * i);
  }
  const Lane words = packed.count > 1 ? (all == 64 ? Lane::U64 : Lane::U32) : integerLane(width, false);
  const NodeId magnitude = graph.add(Code::And, words, a.node, graph.constant(all, magnitudes));
  return Term::truth(graph.add(Code::Equal, integerLane(width, false), magnitude, graph.constant(all, marks)));
}

Term Lowering::withSign(const RecipeStep & /*step*/, const Term &term, const Term &isNegative) {
  const Term a = settled(term);
  if (!a.isFloat() || a.isConstant || isNegative.isConstant)
    return fail();
  const unsigned width = a.format->width(), all = width * packed.count;
  Bits signs = 0;
  for (unsigned i = 0; i < packed.count; ++i)
    signs |= Bits(1) << (width * (i + 1) - 1);
  const Lane words = packed.count > 1 ? (all == 64 ? Lane::U64 : Lane::U32) : integerLane(width, false);
  const NodeId mask = graph.constant(all, signs);
  const NodeId sign = packed.count > 1 ? isNegative.node
                                       : graph.add(Code::FromMask, words, maskOf(isNegative), noNode, noNode,
                                                   static_cast<int64_t>(signs));
  Term result = a;
  result.node = graph.add(Code::Mux, words, mask, sign, a.node);
  return result;
}

Term Lowering::subnormal(const Term &term) {
  const numbers::Format *format = term.format;
  if (!format)
    return fail();
  const Value least = Value::real(numbers::read(uint64_t(1) << format->fractionBits, *format));
  return truths(StepOp::And, compared(StepOp::Less, unary(Code::Absolute, term), Term::constant(least)),
                compared(StepOp::Unequal, term, Term::constant(Value())));
}

std::optional<Term> Lowering::floats(const RecipeStep &step, Args args) {
  using enum Rounding;
  const auto wait = [&] {
    Term term;
    term.kind = Term::Kind::Float;
    term.pending = step.op;
    Terms sources;
    for (const Term &arg : args)
      sources.push_back(settled(arg));
    term.firstSource = static_cast<uint16_t>(waiting.size());
    term.sources = static_cast<uint16_t>(sources.size());
    waiting.insert(waiting.end(), sources.begin(), sources.end());
    return term;
  };
  const auto round = [&](Rounding how) {
    return step.target.isFloat() ? rounded(args[0], *step.target.format, how) : args[0];
  };
  const auto whole = [&](Code code) { return args[0].isFloat() ? unary(code, args[0]) : args[0]; };
  switch (step.op) {
  case StepOp::RoundNearest: return round(Nearest);
  case StepOp::RoundAway: return round(NearestAway);
  case StepOp::RoundTowardZero: return round(Zero);
  case StepOp::RoundDown: return round(Down);
  case StepOp::RoundUp: return round(Up);
  case StepOp::NearestInteger: return whole(Code::NearestInteger);
  case StepOp::Truncated: return whole(Code::Truncated);
  case StepOp::Floor: return whole(Code::Floor);
  case StepOp::Ceiling: return whole(Code::Ceiling);
  case StepOp::SquareRoot:
  case StepOp::Reciprocal: return wait();
  case StepOp::Flushed: return flushed(step, args[0]);
  case StepOp::IsNan: return args[0].isFloat() ? unaryTruth(args[0]) : Term::constant(Value::truth(false));
  default: break;
  }
  if (llvm::none_of(args, [](const Term &arg) { return arg.isFloat(); }))
    return {};
  switch (step.op) {
  case StepOp::Add:
  case StepOp::Subtract:
  case StepOp::Multiply:
  case StepOp::Divide: return wait();
  case StepOp::Minimum:
  case StepOp::Maximum: return floatExtreme(step.op == StepOp::Maximum, args[0], args[1], step);
  case StepOp::Absolute: return unary(Code::Absolute, args[0]);
  case StepOp::Negate: return unary(Code::Negate, args[0]);
  case StepOp::IsNegative: return signOf(step, args[0]);
  case StepOp::WithSign: return withSign(step, args[0], args[1]);
  case StepOp::IsOutOfBounds: return outOfBounds(args[0]);
  case StepOp::IsInfinite:
    return compared(StepOp::Equal, unary(Code::Absolute, args[0]),
                    Term::constant(Value::real(numbers::Number::infinity(false))));
  case StepOp::IsSubnormal: return subnormal(args[0]);
  default: return fail();
  }
}

Term Lowering::unaryTruth(const Term &term) {
  const Term a = settled(term);
  if (a.isConstant || !isNative(*a.format))
    return fail();
  return Term::truth(graph.add(Code::IsNan, floatLane(*a.format), a.node));
}

} // namespace ptxray::machine
