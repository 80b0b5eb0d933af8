// Lowers comparisons, selections by truth values, and steps in which lanes read each other.
#include "Operate/Lowering.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using isa::StepOp;

/// Returns a truth value that is true in all lanes.
Term Lowering::ones() {
  return Term::truth(graph.constant(packed.count > 1 ? packed.bits * packed.count : 1, ~Bits(0)));
}

/// Returns the type of lanes that hold truth values. For packed lanes they have the same width.
static Lane wordLane(const ElementType &packed) {
  return packed.count == 1 ? Lane::Mask : packed.bits * packed.count == 64 ? Lane::U64 : Lane::U32;
}

NodeId Lowering::maskOf(const Term &term) {
  if (!term.isTruth())
    return fail(noNode);
  return term.isConstant ? graph.constant(packed.count > 1 ? packed.bits * packed.count : 1,
                                          term.value.isTrue() ? ~Bits(0) : Bits(0))
                         : term.node;
}

Term Lowering::negated(const Term &a) {
  if (a.isConstant)
    return Term::constant(Value::truth(!a.value.isTrue()));
  return Term::truth(graph.add(Code::Xor, wordLane(packed), maskOf(a), ones().node));
}

Term Lowering::truths(StepOp op, const Term &a, const Term &b) {
  for (const auto &[one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (one->isConstant && op != StepOp::Xor) // true & x, false | x
      return one->value.isTrue() == (op == StepOp::And) ? *other : *one;
  if (op != StepOp::And && op != StepOp::Or && op != StepOp::Xor)
    return fail();
  const Code code = op == StepOp::And ? Code::And : op == StepOp::Or ? Code::Or : Code::Xor;
  return Term::truth(graph.add(code, wordLane(packed), maskOf(a), maskOf(b)));
}

Term Lowering::compared(StepOp written, const Term &left, const Term &right) {
  const bool isSwapped = written == StepOp::Greater || written == StepOp::GreaterEqual;
  const Term &first = isSwapped ? right : left, &second = isSwapped ? left : right;
  const StepOp op = written == StepOp::Greater        ? StepOp::Less
                    : written == StepOp::GreaterEqual ? StepOp::LessEqual
                                                      : written;
  const Code code = op == StepOp::Less        ? Code::Less
                    : op == StepOp::LessEqual ? Code::LessEqual
                    : op == StepOp::Equal     ? Code::Equal
                                              : Code::Unequal;
  if (first.isTruth() || second.isTruth())
    return fail();
  if (first.isFloat() || second.isFloat()) {
    const Term a = settled(first), b = settled(second);
    const numbers::Format *format = commonFormat(a, b);
    if (!format)
      return fail();
    if (a.node == b.node && !a.isConstant && (op == StepOp::Equal || op == StepOp::Unequal)) {
      const Term isNaN = Term::truth(graph.add(Code::IsNan, floatLane(*format), codeOf(a, *format)));
      return op == StepOp::Unequal ? isNaN : negated(isNaN);
    }
    return Term::truth(graph.add(code, floatLane(*format), codeOf(a, *format), codeOf(b, *format)));
  }
  const LaneRange &a = first.range, &b = second.range;
  if (first.node == second.node && first.node != noNode && a.isNatural() == b.isNatural())
    return Term::constant(Value::truth(op == StepOp::Equal || op == StepOp::LessEqual));
  if (a.isKnown && b.isKnown) {
    if (op == StepOp::Less && (a.high < b.low || a.low >= b.high))
      return Term::constant(Value::truth(a.high < b.low));
    if (op == StepOp::LessEqual && (a.high <= b.low || a.low > b.high))
      return Term::constant(Value::truth(a.high <= b.low));
    if ((op == StepOp::Equal || op == StepOp::Unequal) && (a.high < b.low || b.high < a.low))
      return Term::constant(Value::truth(op == StepOp::Unequal));
  }
  bool isSigned = false;
  const unsigned width = commonWidth(first, second, isSigned);
  return Term::truth(graph.add(code, integerLane(width, isSigned), atWidth(first, width), atWidth(second, width)));
}

/// Converts a truth value to 1 or 0.
Term Lowering::numberOfTruth(const Term &a) {
  if (packed.count > 1)
    return fail();
  if (a.isConstant)
    return Term::constant(Value::integer(a.value.isTrue()));
  return Term::integer(graph.add(Code::FromMask, Lane::U32, maskOf(a), noNode, noNode, 1), 32, {0, 1});
}

/// Converts a truth value to all bits set or clear, or to 1.0.
Term Lowering::truthValue(const RecipeStep &step, const Term &a) {
  const ElementType &type = step.target;
  if (a.isConstant || !a.isTruth())
    return fail();
  const Bits bits = type.isFloat() ? Bits(type.format->one()) : lowBits(~Bits(0), type.bits);
  if (packed.count > 1) {
    Bits all = 0;
    for (unsigned i = 0; i < packed.count; ++i)
      all |= bits << packed.bits * i;
    const NodeId node = graph.add(Code::And, wordLane(packed), a.node, graph.constant(packed.bits * packed.count, all));
    return type.isFloat() ? Term::real(node, *type.format)
                          : Term::integer(node, packed.bits, {0, (Exact(1) << packed.bits) - 1});
  }
  const unsigned width = std::max<unsigned>(type.bits, 16);
  const NodeId node =
      graph.add(Code::FromMask, integerLane(width, false), a.node, noNode, noNode, static_cast<int64_t>(bits));
  return type.isFloat()
             ? Term::real(node, *type.format)
             : Term::integer(node, width, LaneRange::of({ElementType::Kind::Unsigned, type.bits, 1, nullptr}));
}

Term Lowering::choice(const RecipeStep &step, Args args, unsigned bits) {
  const Term &condition = args[0], &a = args[1], &b = args[2];
  if (condition.isConstant)
    return condition.value.isTrue() ? a : b;
  if (!condition.isTruth())
    return fail();
  if (a.isTruth() && b.isTruth()) {
    if (a.isConstant && b.isConstant)
      return a.value.isTrue() == b.value.isTrue() ? a : a.value.isTrue() ? condition : negated(condition);
    return Term::truth(graph.add(Code::Mux, wordLane(packed), condition.node, maskOf(a), maskOf(b)));
  }
  if (a.isFloat() || b.isFloat()) {
    const std::optional<Term> result = floatChoice(condition, settled(a), settled(b));
    return result ? *result : fail();
  }
  (void)step;
  const LaneRange range = a.range.isKnown && b.range.isKnown
                              ? LaneRange{std::min(a.range.low, b.range.low), std::max(a.range.high, b.range.high)}
                              : LaneRange::any();
  const Term arms[] = {a, b};
  unsigned width = widthFor(range, bits, arms);
  if (a.isConstant && b.isConstant && packed.count == 1) {
    width = std::max(width, 32U);
    if (b.range.isKnown && b.range.high == 0 && b.range.low == 0 && width <= 64)
      return Term::integer(graph.add(Code::FromMask, integerLane(width, false), condition.node, noNode, noNode,
                                     static_cast<int64_t>(a.value.twosComplement())),
                           width, range);
  }
  if (packed.count > 1)
    return Term::integer(graph.add(Code::Mux, wordLane(packed), condition.node, atWidth(a, width), atWidth(b, width)),
                         width, range);
  return Term::integer(
      graph.add(Code::Select, integerLane(width, false), condition.node, atWidth(a, width), atWidth(b, width)), width,
      range);
}

/// Lowers the steps whose behaviour depends on letters and digits of words.
std::optional<Lowering::Terms> Lowering::ofWords(const RecipeStep &step) {
  const auto word = [&](unsigned i) { return recipe.steps[step.args[i]].word; };
  const auto names = [&](isa::WordId one, unsigned part) {
    return llvm::StringRef(isa::word(one).text()).drop_front(2).contains(static_cast<char>('0' + part));
  };
  if (step.op != StepOp::Masked && step.op != StepOp::Merged && step.op != StepOp::Picked)
    return {};
  if (packed.count > 1)
    return Terms{fail()};
  Terms result;
  const Terms &first = terms[step.args[0]];
  if (step.op == StepOp::Masked) {
    for (unsigned i = 0; i < step.elements; ++i)
      result.push_back(names(word(1), i) ? first[first.size() == 1 ? 0 : i] : Term::constant(Value()));
    return result;
  }
  const Term &second = terms[step.args[1]][0];
  if (step.op == StepOp::Merged) {
    if (!word(2))
      return Terms{first[0]};
    const unsigned width = isa::word(word(2)).text()[1] == 'h' ? 16 : 8;
    NodeId node = atWidth(second, 32);
    for (unsigned i = 0; i < 32 / width; ++i)
      if (names(word(2), i)) {
        const Bits mask = lowBits(~Bits(0), width) << width * i;
        NodeId part = atWidth(first[first.size() == 1 ? 0 : i], 32);
        if (i)
          part = graph.add(Code::ShiftLeftBy, Lane::U32, part, noNode, noNode, width * i);
        node = graph.add(Code::Mux, Lane::U32, graph.constant(32, mask), part, node);
      }
    return Terms{Term::integer(node, 32, {0, (Exact(1) << 32) - 1})};
  }
  const std::optional<ElementType> type = elementType(word(3));
  ElementType part = step.type;
  part.kind = type->kind;
  const llvm::StringRef text = isa::word(word(2)).text();
  for (unsigned i = 0; i < step.elements; ++i) {
    const unsigned digit = i + 2 < text.size() ? text[text.size() - 1 - i] - '0' : ~0U;
    const unsigned at = part.bits * digit;
    if (at >= 64)
      return Terms{fail()};
    result.push_back(piece(at < 32 ? first[0] : second, part, at % 32));
  }
  return result;
}

/// Returns the participating lanes: the same in all lanes, or given by a register.
Term Lowering::everyone() {
  const NodeId active = graph.add(Code::Spread, Lane::U32, noNode);
  const LaneRange range = {0, (Exact(1) << 32) - 1};
  if (recipe.among < 0)
    return Term::integer(active, 32, range);
  const RecipeOperand &operand = recipe.operands[recipe.among];
  const RecipeOperand::Register &reg = operand.registers[0];
  if (reg.isConstant && lowBits(reg.constant, 32) == allLanes)
    return Term::integer(active, 32, range);
  const NodeId members = reg.isConstant            ? graph.constant(32, reg.constant)
                         : placeOf(reg).bits == 32 ? graph.leaf(placeOf(reg))
                                                   : fail(noNode);
  return Term::integer(graph.add(Code::And, Lane::U32, members, active), 32, range);
}
/// Returns the participating lanes as an argument of a handler, or none for all active lanes.
NodeId Lowering::group() {
  if (recipe.among < 0)
    return noNode;
  const RecipeOperand::Register &reg = recipe.operands[recipe.among].registers[0];
  if (reg.isConstant)
    return lowBits(reg.constant, 32) == allLanes ? noNode : graph.constant(32, reg.constant);
  return placeOf(reg).bits == 32 ? graph.leaf(placeOf(reg)) : fail(noNode);
}

std::optional<Term> Lowering::ofLanes(const RecipeStep &step) {
  const LaneRange word = {0, (Exact(1) << 32) - 1};
  const auto first = [&]() -> const Term & { return terms[step.args[0]][0]; };
  if (step.op != StepOp::Lane && step.op != StepOp::Active && step.op != StepOp::Everyone &&
      step.op != StepOp::Leader && step.op != StepOp::Carry && step.op != StepOp::At && step.op != StepOp::Lanes &&
      step.op != StepOp::Alike && step.op != StepOp::Fold)
    return {};
  if (packed.count > 1)
    return fail();
  switch (step.op) {
  case StepOp::Lane: return Term::integer(graph.add(Code::LaneNumber, Lane::U32, noNode), 32, {0, warpSize - 1});
  case StepOp::Active: return Term::integer(graph.add(Code::Spread, Lane::U32, noNode), 32, word);
  case StepOp::Everyone: return everyone();
  case StepOp::Leader:
    return Term::integer(graph.add(Code::LowestBit, Lane::U32, everyone().node), 32, {0, warpSize - 1});
  case StepOp::Carry: return numberOfTruth(Term::truth(graph.leaf(input.carry)));
  case StepOp::Lanes: {
    const NodeId lanes = graph.add(Code::Spread, Lane::U32, maskOf(first()));
    return group() == noNode ? Term::integer(lanes, 32, word)
                             : Term::integer(graph.add(Code::And, Lane::U32, lanes, everyone().node), 32, word);
  }
  case StepOp::At: {
    const Term &value = first(), &from = terms[step.args[1]][0];
    if (step.elements != 1 || value.isTruth() || value.isConstant || value.isPending())
      return fail();
    Term result = value;
    const unsigned width = value.isFloat() ? value.format->width() : value.width;
    if (!from.range.fits(32, true) && !from.range.fits(32, false))
      return fail();
    result.node = graph.add(Code::At, integerLane(width, false), value.node, atWidth(from, 32), group());
    return result;
  }
  case StepOp::Alike:
    if (first().kind != Term::Kind::Integer || first().isConstant || first().width < 32)
      return fail();
    return Term::integer(graph.add(Code::Alike, integerLane(first().width, false), first().node, noNode, group()), 32,
                         word);
  default: {
    const Term &value = first();
    if (value.kind != Term::Kind::Integer || value.isConstant || value.width != 32)
      return fail();
    const Code code = step.joins == StepOp::Add       ? Code::Add
                      : step.joins == StepOp::Minimum ? Code::Minimum
                      : step.joins == StepOp::Maximum ? Code::Maximum
                      : step.joins == StepOp::And     ? Code::And
                      : step.joins == StepOp::Or      ? Code::Or
                      : step.joins == StepOp::Xor     ? Code::Xor
                                                      : fail(Code::Add);
    const bool isSigned = !value.range.isNatural();
    return Term::integer(graph.fold(code, isSigned ? Lane::S32 : Lane::U32, value.node, group()), 32,
                         code == Code::Add ? LaneRange::any()
                         : isSigned        ? LaneRange{-(Exact(1) << 31), (Exact(1) << 31) - 1}
                                           : word);
  }
  }
}

} // namespace ptxray::machine
