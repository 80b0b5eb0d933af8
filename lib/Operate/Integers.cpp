// Lowers integer steps. Integers are exact, and only the low bits that later steps need are kept.
#include "Operate/Lowering.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using isa::StepOp;

static constexpr unsigned allWidths[] = {16, 32, 64, 128};

Lane Lowering::integerLane(unsigned width, bool isSigned) {
  if (packed.count > 1) {
    if (width != packed.bits)
      hasFailed = true;
    if (packed.count == 4 && width == 8)
      return isSigned ? Lane::S8x4 : Lane::U8x4;
    if (packed.count != 2 || width != 16)
      hasFailed = true;
    return isSigned ? Lane::S16x2 : Lane::U16x2;
  }
  switch (width) {
  case 16: return isSigned ? Lane::S16 : Lane::U16;
  case 32: return isSigned ? Lane::S32 : Lane::U32;
  case 64: return isSigned ? Lane::S64 : Lane::U64;
  default: return isSigned ? Lane::S128 : Lane::U128;
  }
}

/// Returns a lane width sufficient for the range, or for the needed bits, that avoids conversions of arguments.
unsigned Lowering::widthFor(const LaneRange &range, unsigned bits, Args args) {
  if (packed.count > 1) {
    const bool fits = bits <= packed.bits || range.fits(packed.bits, true) || range.fits(packed.bits, false);
    return fits ? packed.bits : fail(unsigned(packed.bits));
  }
  unsigned least = 0;
  for (const Term &arg : args)
    if (!arg.isConstant && arg.kind == Term::Kind::Integer)
      least = least ? std::min<unsigned>(least, arg.width) : arg.width;
  for (const unsigned width : allWidths)
    if (width >= least && (bits <= width || range.fits(width, true) || range.fits(width, false)))
      return width;
  return fail(128U);
}

/// Returns the number in lanes of the given width.
NodeId Lowering::atWidth(const Term &term, unsigned width) {
  if (term.kind != Term::Kind::Integer)
    return fail(noNode);
  if (term.isConstant) {
    Bits value = lowBits(term.value.twosComplement(), width);
    for (unsigned i = 1; i < packed.count; ++i)
      value |= lowBits(term.value.twosComplement(), width) << width * i;
    return graph.constant(width * packed.count, value);
  }
  if (term.width == width)
    return term.node;
  if (packed.count > 1)
    return fail(noNode);
  if (width < term.width)
    return graph.add(Code::Convert, integerLane(width, false), term.node, noNode, noNode, 0,
                     integerLane(term.width, false));
  const bool isSigned = !term.range.isNatural();
  if (!term.range.fits(term.width, isSigned))
    return fail(noNode);
  return graph.add(Code::Convert, integerLane(width, false), term.node, noNode, noNode, 0,
                   integerLane(term.width, isSigned));
}

/// Returns the smallest lane width that represents both operands.
unsigned Lowering::commonWidth(const Term &a, const Term &b, bool &isSigned) {
  const auto isIn = [&](const Term &term, unsigned width) { return term.range.fits(width, isSigned); };
  const unsigned least = std::max<unsigned>(a.isConstant ? 0 : a.width, b.isConstant ? 0 : b.width);
  for (const unsigned width : {8U, 16U, 32U, 64U, 128U})
    if (width >= least && (packed.count > 1 ? width == packed.bits : width >= 16))
      for (const bool withSign : {false, true}) {
        isSigned = withSign;
        if (isIn(a, width) && isIn(b, width))
          return width;
      }
  return fail(128U);
}

static Exact least(std::initializer_list<Exact> numbers) { return std::min(numbers); }
static Exact most(std::initializer_list<Exact> numbers) { return std::max(numbers); }
static bool isSmall(const LaneRange &range) { // the product of two such numbers fits 128 bits
  const Exact limit = Exact(1) << 63;
  return range.isKnown && range.low >= -limit && range.high < limit;
}
static bool isHalf(const LaneRange &range) {
  const Exact limit = Exact(1) << 120;
  return range.isKnown && range.low >= -limit && range.high <= limit;
}

static LaneRange sumOf(const LaneRange &a, const LaneRange &b) {
  return isHalf(a) && isHalf(b) ? LaneRange{a.low + b.low, a.high + b.high} : LaneRange::any();
}
static LaneRange opposite(const LaneRange &a) { return isHalf(a) ? LaneRange{-a.high, -a.low} : LaneRange::any(); }
static LaneRange productOf(const LaneRange &a, const LaneRange &b) {
  if (!isSmall(a) || !isSmall(b))
    return LaneRange::any();
  const std::initializer_list<Exact> corners = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {least(corners), most(corners)};
}
/// Returns the number with all bits set up to the highest bit of `greatest`.
static Exact onesUpTo(Exact greatest) {
  Exact ones = 0;
  while (ones < greatest)
    ones = ones << 1 | 1;
  return ones;
}
static LaneRange bitsOf(StepOp op, const LaneRange &a, const LaneRange &b) {
  if (op == StepOp::And && (a.isNatural() || b.isNatural()))
    return {0, a.isNatural() && b.isNatural() ? std::min(a.high, b.high) : a.isNatural() ? a.high : b.high};
  if (!isHalf(a) || !isHalf(b))
    return LaneRange::any();
  const Exact ones = onesUpTo(most({a.high, b.high, -1 - a.low, -1 - b.low}));
  return a.low >= 0 && b.low >= 0 ? LaneRange{0, ones} : LaneRange{-1 - ones, ones};
}

/// Lowers an operation whose low result bits depend only on low operand bits.
Term Lowering::ring(StepOp op, const Term &first, const Term &second, unsigned bits) {
  const bool isSwapped = first.isConstant && !second.isConstant && op != StepOp::Subtract;
  const Term &a = isSwapped ? second : first, &b = isSwapped ? first : second;
  const bool isSum = op == StepOp::Add || op == StepOp::Subtract;
  const LaneRange range = op == StepOp::Add        ? sumOf(a.range, b.range)
                          : op == StepOp::Subtract ? sumOf(a.range, opposite(b.range))
                                                   : bitsOf(op, a.range, b.range);
  if (op == StepOp::And && a.range.isNatural() && b.isConstant && b.range.isNatural() &&
      onesUpTo(b.range.high) == b.range.high && a.range.high <= b.range.high)
    return a;
  const auto isZero = [](const Term &term) {
    return term.range.isKnown && term.range.low == 0 && term.range.high == 0;
  };
  if (op != StepOp::And && isZero(b))
    return a;
  if (op != StepOp::And && op != StepOp::Subtract && isZero(a))
    return b;
  if (range.isKnown && range.low == range.high)
    return Term::constant(Value::integer(static_cast<Bits>(range.low < 0 ? -range.low : range.low), range.low < 0));
  const Term args[] = {a, b};
  const unsigned width = widthFor(range, bits, args);
  const Code code = op == StepOp::Add        ? Code::Add
                    : op == StepOp::Subtract ? Code::Subtract
                    : op == StepOp::And      ? Code::And
                    : op == StepOp::Or       ? Code::Or
                                             : Code::Xor;
  const Lane lane = integerLane(packed.count > 1 && !isSum ? packed.bits : width, false);
  if (packed.count > 1 && !isSum)
    return Term::integer(graph.add(code, Lane::U32, atWidth(a, width), atWidth(b, width)), width, range);
  return Term::integer(graph.add(code, lane, atWidth(a, width), atWidth(b, width)), width, range);
}

Term Lowering::product(const Term &a, const Term &b, unsigned bits) {
  const LaneRange range = productOf(a.range, b.range);
  const Term args[] = {a, b};
  const unsigned width = widthFor(range, bits, args);
  for (const bool isSigned : {false, true}) {
    const unsigned half = width / 2;
    const auto isNarrow = [&](const Term &term) {
      return term.range.fits(half, isSigned) && (term.isConstant || term.width <= half);
    };
    if (packed.count == 1 && half >= 16 && isNarrow(a) && isNarrow(b))
      return Term::integer(
          graph.add(Code::MultiplyWide, integerLane(width, isSigned), atWidth(a, half), atWidth(b, half)), width,
          range);
  }
  return Term::integer(graph.add(Code::Multiply, integerLane(width, false), atWidth(a, width), atWidth(b, width)),
                       width, range);
}

/// Shifts a number. For left shifts, low bits determine low bits. For right shifts, the number must be exact or have
/// enough bits above.
Term Lowering::shifted(bool isLeft, const Term &a, const Term &by, unsigned bits) {
  if (packed.count > 1 || !by.range.isNatural())
    return fail();
  const bool isKnown = by.isConstant && by.range.high < 128;
  const auto count = static_cast<unsigned>(isKnown ? by.range.high : 0);
  LaneRange range = LaneRange::any();
  if (isLeft && isKnown && count < 60 && isSmall(a.range))
    range = {a.range.low << count, a.range.high << count};
  if (!isLeft && a.range.isKnown)
    range = isKnown
                ? LaneRange{a.range.low >> count, a.range.high >> count}
                : LaneRange{std::min<Exact>(a.range.low, 0), std::max<Exact>(a.range.high, a.range.low < 0 ? -1 : 0)};
  const bool isSigned = !isLeft && !a.range.isNatural();
  if (!isLeft && !a.range.fits(a.isConstant ? 64 : a.width, isSigned) && (!isKnown || bits + count > a.width))
    return fail();
  const Term args[] = {a};
  const unsigned width = isLeft ? widthFor(range, bits, args) : a.isConstant ? 64 : a.width;
  const NodeId source = atWidth(a, width);
  if (isKnown && !isLeft && count >= width && isSigned)
    return Term::integer(graph.add(Code::ShiftRightBy, integerLane(width, true), source, noNode, noNode, width - 1),
                         width, range);
  if (by.isConstant && (!isKnown || count >= width))
    return isSigned ? fail() : Term::constant(Value());
  if (isKnown)
    return count == 0 ? Term::integer(source, width, a.range)
                      : Term::integer(graph.add(isLeft ? Code::ShiftLeftBy : Code::ShiftRightBy,
                                                integerLane(width, isSigned), source, noNode, noNode, count),
                                      width, range);
  Term clamped = by;
  if (by.width > width && !by.range.fits(width, false))
    clamped = extreme(false, by, Term::constant(Value::integer(width)), 1000);
  return Term::integer(graph.add(isLeft ? Code::ShiftLeft : Code::ShiftRight, integerLane(width, isSigned), source,
                                 atWidth(clamped, width)),
                       width, range);
}

Term Lowering::extreme(bool isGreatest, const Term &a, const Term &b, unsigned /*bits*/) {
  if (a.range.isKnown && b.range.isKnown) {
    if (isGreatest ? a.range.low >= b.range.high : a.range.high <= b.range.low)
      return a;
    if (isGreatest ? b.range.low >= a.range.high : b.range.high <= a.range.low)
      return b;
  }
  bool isSigned = false;
  const unsigned width = commonWidth(a, b, isSigned);
  const LaneRange range = isGreatest
                              ? LaneRange{std::max(a.range.low, b.range.low), std::max(a.range.high, b.range.high)}
                              : LaneRange{std::min(a.range.low, b.range.low), std::min(a.range.high, b.range.high)};
  return Term::integer(graph.add(isGreatest ? Code::Maximum : Code::Minimum, integerLane(width, isSigned),
                                 atWidth(a, width), atWidth(b, width)),
                       width, range);
}

Term Lowering::quotient(StepOp op, const Term &a, const Term &b) {
  bool isSigned = false;
  const unsigned width = commonWidth(a, b, isSigned);
  if (packed.count > 1 || width > 64)
    return fail();
  const Exact magnitude = std::max<Exact>(a.range.high, -a.range.low);
  LaneRange range = {a.range.low < 0 || b.range.low < 0 ? -magnitude : 0, magnitude};
  if (op == StepOp::Remainder) {
    const Exact limit = std::max<Exact>(std::max<Exact>(b.range.high, -b.range.low) - 1, 0);
    range = {std::max<Exact>(std::min<Exact>(a.range.low, 0), -limit),
             std::min(std::max<Exact>(a.range.high, 0), limit)};
    if (b.isConstant && b.range.high > 0 && (b.range.high & (b.range.high - 1)) == 0 && a.range.low >= 0)
      return ring(StepOp::And, a, Term::constant(Value::integer(static_cast<Bits>(b.range.high - 1))), width);
  }
  return Term::integer(graph.add(op == StepOp::Divide ? Code::Divide : Code::Remainder, integerLane(width, isSigned),
                                 atWidth(a, width), atWidth(b, width)),
                       width, range);
}

Term Lowering::field(const RecipeStep &step, Args args) {
  const unsigned width = step.type.bits;
  if (packed.count > 1 || (width != 32 && width != 64) || !args[1].range.isNatural() || !args[2].range.isNatural())
    return fail();
  LaneRange range = LaneRange::of(step.type);
  if (args[2].isConstant && args[2].range.high < width && args[2].range.high > 0) {
    const Exact one = Exact(1) << static_cast<unsigned>(args[2].range.high - step.type.isSigned());
    range = {step.type.isSigned() ? -one : 0, one - 1};
  }
  return Term::integer(graph.add(Code::Field, integerLane(width, step.type.isSigned()), atWidth(args[0], width),
                                 atWidth(args[1], width), atWidth(args[2], width)),
                       width, range);
}

/// Selects between the number and the previous value by a mask of the field.
Term Lowering::insert(const RecipeStep &step, Args args, unsigned /*bits*/) {
  const unsigned width = step.type.bits;
  if (packed.count > 1 || (width != 32 && width != 64) || !args[2].range.isNatural() || !args[3].range.isNatural())
    return fail();
  const Term one = Term::constant(Value::integer(1));
  const auto length = static_cast<unsigned>(std::min<Bits>(args[3].value.magnitude, width));
  const Term ones = args[3].isConstant ? Term::constant(Value::integer(lowBits(~Bits(0), length)))
                                       : ring(StepOp::Subtract, shifted(true, one, args[3], width), one, width);
  const auto at = static_cast<unsigned>(std::min<Bits>(args[2].value.magnitude, width));
  const Term mask = ones.isConstant && args[2].isConstant
                        ? Term::constant(Value::integer(lowBits(ones.value.magnitude << at, width)))
                        : shifted(true, ones, args[2], width);
  const Term moved = args[0].isConstant && args[2].isConstant
                         ? Term::constant(Value::integer(lowBits(args[0].value.twosComplement() << at, width)))
                         : shifted(true, args[0], args[2], width);
  return Term::integer(graph.add(Code::Mux, integerLane(width, false), atWidth(mask, width), atWidth(moved, width),
                                 atWidth(args[1], width)),
                       width, LaneRange::of({ElementType::Kind::Unsigned, step.type.bits, 1, nullptr}));
}

Term Lowering::ofBits(const RecipeStep &step, Args args) {
  const unsigned width = step.op == StepOp::Lookup || step.op == StepOp::Permuted ? 32 : step.type.bits;
  if (packed.count > 1 || (width != 32 && width != 64))
    return fail();
  const auto made = [&](Code code, LaneRange range) {
    return Term::integer(
        graph.add(code, integerLane(width, step.op == StepOp::TopBit && step.type.isSigned()), atWidth(args[0], width)),
        width, range);
  };
  const LaneRange word = {0, (Exact(1) << width) - 1};
  switch (step.op) {
  case StepOp::Ones: return made(Code::Ones, {0, width});
  case StepOp::LeadingZeros: return made(Code::LeadingZeros, {0, width});
  case StepOp::Reversed: return made(Code::Reversed, word);
  case StepOp::TopBit: return made(Code::TopBit, {-1, width - 1});
  case StepOp::Permuted:
    if (args[2].isConstant && (args[2].value.magnitude & 0x8888) == 0)
      return Term::integer(graph.add(Code::PermutedBy, Lane::U32, atWidth(args[0], 32), atWidth(args[1], 32), noNode,
                                     static_cast<int64_t>(args[2].value.magnitude & 0xffff)),
                           32, word);
    return Term::integer(
        graph.add(Code::Permuted, Lane::U32, atWidth(args[0], 32), atWidth(args[1], 32), atWidth(args[2], 32)), 32,
        word);
  case StepOp::Lookup:
    if (!args[0].isConstant)
      return fail();
    return Term::integer(graph.add(Code::Lookup, Lane::U32, atWidth(args[1], 32), atWidth(args[2], 32),
                                   atWidth(args[3], 32), static_cast<int64_t>(args[0].value.magnitude & 255)),
                         32, word);
  default: return fail();
  }
}

/// Clamps a number to the limits of a type, or of a part of it.
Term Lowering::saturated(const RecipeStep &step, const Term &a, unsigned bits) {
  const std::optional<ElementType> type = elementType(step.word);
  const isa::Text part = step.part ? isa::word(step.part).text() : isa::Text();
  if (!type)
    return fail();
  ElementType limits = *type;
  limits.count = 1;
  limits.bits = !step.part                                                      ? isa::word(step.word).number
                : part.starts_with(".b") && part.size() > 2 && part.size() <= 6 ? 8
                : part.starts_with(".h")                                        ? 16
                                                                                : type->bits;
  const LaneRange range = LaneRange::of(limits);
  const auto limit = [](Exact number) {
    return Term::constant(Value::integer(static_cast<Bits>(number < 0 ? -number : number), number < 0));
  };
  return extreme(true, extreme(false, a, limit(range.high), bits), limit(range.low), bits);
}

Term Lowering::integers(const RecipeStep &step, Args args, unsigned bits) {
  for (const Term &arg : args)
    if (arg.kind != Term::Kind::Integer && step.op != StepOp::CarryOf)
      return fail();
  switch (step.op) {
  case StepOp::Add:
  case StepOp::Subtract:
  case StepOp::And:
  case StepOp::Or:
  case StepOp::Xor: return ring(step.op, args[0], args[1], bits);
  case StepOp::Negate: return ring(StepOp::Subtract, Term::constant(Value()), args[0], bits);
  case StepOp::Invert: {
    const Term ones = Term::constant(Value::integer(1, true));
    Term result = ring(StepOp::Xor, args[0], ones, bits);
    result.range = sumOf(opposite(args[0].range), ones.range);
    return result;
  }
  case StepOp::Multiply: return product(args[0], args[1], bits);
  case StepOp::Divide:
  case StepOp::Remainder: return quotient(step.op, args[0], args[1]);
  case StepOp::ShiftLeft:
  case StepOp::ShiftRight: return shifted(step.op == StepOp::ShiftLeft, args[0], args[1], bits);
  case StepOp::High: return shifted(false, args[0], Term::constant(Value::integer(step.target.bits)), bits);
  case StepOp::Minimum:
  case StepOp::Maximum: return extreme(step.op == StepOp::Maximum, args[0], args[1], bits);
  case StepOp::Absolute: {
    if (args[0].range.isNatural())
      return args[0];
    if (!args[0].range.fits(args[0].width, true))
      return fail();
    const Exact magnitude = std::max(args[0].range.high, -args[0].range.low);
    return Term::integer(graph.add(Code::Absolute, integerLane(args[0].width, true), args[0].node), args[0].width,
                         {0, magnitude});
  }
  case StepOp::CarryOf: {
    const unsigned width = step.target.bits;
    const bool isPlus = args.size() > 2;
    if (isPlus && !args[2].isConstant && graph.at(args[2].node).code != Code::FromMask)
      return fail();
    NodeId in = noNode;
    if (isPlus)
      in = args[2].isConstant ? graph.constant(1, args[2].value.magnitude & 1) : graph.at(args[2].node).args[0];
    return Term::truth(
        graph.add(Code::CarryOf, integerLane(width, false), atWidth(args[0], width), atWidth(args[1], width), in));
  }
  case StepOp::Field: return field(step, args);
  case StepOp::Insert: return insert(step, args, bits);
  case StepOp::Saturated: return saturated(step, args[0], bits);
  default: return ofBits(step, args);
  }
}

} // namespace ptxray::machine
