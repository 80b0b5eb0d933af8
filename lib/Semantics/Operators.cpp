#include "Semantics/Operators.h"
#include "Numbers/Approximation.h"

namespace ptxray {

using isa::StepOp;
using numbers::Number;

/// Converts a two's complement number of unlimited length: its lowest 128 bits, and whether all higher bits are ones.
static Value fromBits(Bits bits, bool isNegative) {
  return isNegative ? Value::integer(Bits(0) - bits, true) : Value::integer(bits);
}

static Value bitwise(StepOp op, const Value &a, const Value &b) {
  const Bits left = a.twosComplement(), right = b.twosComplement();
  const Bits bits = op == StepOp::And ? left & right : op == StepOp::Or ? left | right : left ^ right;
  const bool sign = op == StepOp::And  ? a.isNegative && b.isNegative
                    : op == StepOp::Or ? a.isNegative || b.isNegative
                                       : a.isNegative != b.isNegative;
  if (a.kind == Value::Kind::Truth)
    return Value::truth(bits != 0);
  return fromBits(bits, sign);
}

static Value sumOf(const Value &a, const Value &b) {
  if (a.isNegative == b.isNegative)
    return Value::integer(a.magnitude + b.magnitude, a.isNegative);
  return a.magnitude >= b.magnitude ? Value::integer(a.magnitude - b.magnitude, a.isNegative)
                                    : Value::integer(b.magnitude - a.magnitude, b.isNegative);
}

static Value opposite(const Value &a) {
  return a.isFloat() ? Value::real(numbers::negative(a.number)) : Value::integer(a.magnitude, !a.isNegative);
}

static Value arithmetic(StepOp op, const Value &a, const Value &b) {
  if (a.isFloat() || b.isFloat()) {
    const Number left = a.asNumber(), right = b.asNumber();
    switch (op) {
    case StepOp::Add: return Value::real(numbers::sum(left, right));
    case StepOp::Subtract: return Value::real(numbers::sum(left, numbers::negative(right)));
    case StepOp::Multiply: return Value::real(numbers::product(left, right));
    default: return Value::real(numbers::quotient(left, right));
    }
  }
  const bool differ = a.isNegative != b.isNegative;
  switch (op) {
  case StepOp::Add: return sumOf(a, b);
  case StepOp::Subtract: return sumOf(a, opposite(b));
  case StepOp::Multiply: return Value::integer(a.magnitude * b.magnitude, differ);
  case StepOp::Divide: return b.magnitude ? Value::integer(a.magnitude / b.magnitude, differ) : Value();
  default: return b.magnitude ? Value::integer(a.magnitude % b.magnitude, a.isNegative) : Value();
  }
}

static Value shifted(bool isLeft, const Value &a, const Value &by) {
  if (by.magnitude >= 128)
    return isLeft || !a.isNegative ? Value() : Value::integer(1, true);
  const auto n = static_cast<unsigned>(by.magnitude);
  if (isLeft)
    return Value::integer(a.magnitude << n, a.isNegative);
  const Bits lost = a.isNegative ? lowBits(a.magnitude, n) : 0;
  return Value::integer((a.magnitude >> n) + (lost != 0), a.isNegative);
}

static std::partial_ordering order(const Value &a, const Value &b) {
  if (a.isFloat() || b.isFloat())
    return numbers::compare(a.asNumber(), b.asNumber());
  if (a.isNegative != b.isNegative)
    return a.isNegative ? std::partial_ordering::less : std::partial_ordering::greater;
  if (a.magnitude == b.magnitude)
    return std::partial_ordering::equivalent;
  return (a.magnitude < b.magnitude) != a.isNegative ? std::partial_ordering::less : std::partial_ordering::greater;
}

static Value compared(StepOp op, const Value &a, const Value &b) {
  const std::partial_ordering is = order(a, b);
  switch (op) {
  case StepOp::Less: return Value::truth(is < 0);
  case StepOp::LessEqual: return Value::truth(is <= 0);
  case StepOp::Greater: return Value::truth(is > 0);
  case StepOp::GreaterEqual: return Value::truth(is >= 0);
  case StepOp::Equal: return Value::truth(is == 0);
  default: return Value::truth(!(is == 0));
  }
}

static Value extreme(bool isGreatest, const Value &a, const Value &b) {
  if (a.isFloat() || b.isFloat())
    return Value::real(numbers::chosen(a.asNumber(), b.asNumber(), {.greatest = isGreatest}));
  return (order(a, b) < 0) != isGreatest ? a : b;
}

static Number read(const Number &number, const numbers::Format &format, numbers::Rounding rounding, bool flush) {
  const numbers::Storing how{.rounding = rounding, .flush = flush};
  Number result = numbers::read(numbers::store(number, format, how), format);
  result.isTiny = numbers::isTiny(number, format, how);
  return result;
}

static Value rounded(StepOp op, const Value &a, const ElementType &type) {
  using enum numbers::Rounding;
  const Number number = a.asNumber();
  switch (op) {
  case StepOp::NearestInteger: return Value::real(numbers::rounded(number, Nearest));
  case StepOp::Truncated: return Value::real(numbers::rounded(number, Zero));
  case StepOp::Floor: return Value::real(numbers::rounded(number, Down));
  case StepOp::Ceiling: return Value::real(numbers::rounded(number, Up));
  default: break;
  }
  if (!type.isFloat() || number.isNaN())
    return Value::real(number);
  const numbers::Rounding rounding = op == StepOp::RoundNearest      ? Nearest
                                     : op == StepOp::RoundAway       ? NearestAway
                                     : op == StepOp::RoundTowardZero ? Zero
                                     : op == StepOp::RoundDown       ? Down
                                                                     : Up;
  return Value::real(read(number, *type.format, rounding, false));
}

/// Flushes numbers that are subnormal in their own type or in the stored type. A NaN of f32 becomes the canonical one;
/// NaNs of f16, and of f64 converted to f32, keep their bits.
static Value flushed(const RecipeStep &step, const Value &a) {
  const ElementType &type = step.type.isFloat() ? step.type : step.target;
  if (!type.isFloat())
    return a;
  if (a.asNumber().isNaN() && (a.asNumber().isWide || type.bits < 32))
    return a;
  if (a.asNumber().isNaN())
    return Value::real(read(numbers::store(a.asNumber(), *type.format, {}), *type.format));
  return Value::real(read(a.asNumber(), *type.format, numbers::Rounding::Nearest, true));
}

static bool isSubnormal(const Value &a, const ElementType &type) {
  return type.isFloat() && a.number.kind == Number::Kind::Finite && a.number.exponent < type.format->leastExponent();
}

static Value signedAs(const Value &a, const Value &isNegative) {
  Value result = Value::real(a.number);
  result.number.isNegative = isNegative.isTrue();
  result.number.isCancelled = false;
  return result;
}

static unsigned count(Bits bits) {
  return static_cast<unsigned>(__builtin_popcountll(static_cast<uint64_t>(bits)) +
                               __builtin_popcountll(static_cast<uint64_t>(bits >> 64)));
}

static int topBit(Bits bits) {
  int top = -1;
  for (; bits; bits >>= 1)
    ++top;
  return top;
}

static Value reversed(Bits bits, unsigned width) {
  Bits result = 0;
  for (unsigned i = 0; i < width; ++i)
    if (bits >> i & 1)
      result |= Bits(1) << (width - 1 - i);
  return Value::integer(result);
}

/// Returns `length` bits starting at `at`. Bits beyond the number are copies of its sign; the highest bit of the field
/// extends the result.
static Value field(const Value &a, const ElementType &type, unsigned at, unsigned length) {
  if (!length)
    return Value();
  const Bits bits = lowBits(a.twosComplement(), type.bits);
  const bool isSigned = type.isSigned();
  const auto bit = [&](unsigned i) {
    return i < type.bits ? bits >> i & 1 : isSigned ? bits >> (type.bits - 1) & 1 : 0;
  };
  const unsigned top = std::min<unsigned>(at + length - 1, type.bits - 1);
  Bits result = 0;
  for (unsigned i = 0; i < length && i < 128; ++i)
    result |= bit(at + i) << i;
  const bool isNegative = isSigned && bit(top);
  if (!isNegative)
    return Value::integer(lowBits(result, length));
  return fromBits(length >= 128 ? result : result | ~Bits(0) << std::min(length, 127u), true);
}

static Value insert(const Value &a, const Value &into, unsigned width, unsigned at, unsigned length) {
  const Bits mask = at >= width ? 0 : lowBits(lowBits(~Bits(0), length) << at, width);
  return Value::integer((into.twosComplement() & ~mask) | (at < 128 ? a.twosComplement() << at & mask : 0));
}

static Value carryless(Bits a, Bits b) {
  Bits product = 0;
  for (unsigned i = 0; i < 64; ++i)
    if (b >> i & 1)
      product ^= a << i;
  return Value::integer(product);
}

/// Returns four bytes out of eight. Each is selected by four bits; the highest of these requests copies of the byte's
/// sign.
static Value permuted(Bits a, Bits b, Bits digits) {
  const Bits all = lowBits(b, 32) << 32 | lowBits(a, 32);
  Bits result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto digit = static_cast<unsigned>(digits >> 4 * i & 15);
    const Bits byte = all >> 8 * (digit & 7) & 255;
    result |= (digit & 8 ? (byte & 128 ? Bits(255) : Bits(0)) : byte) << 8 * i;
  }
  return Value::integer(result);
}

static Value lookup(Bits table, Bits a, Bits b, Bits c) {
  Bits result = 0;
  for (unsigned i = 0; i < 32; ++i)
    result |= (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
  return Value::integer(result);
}

/// Returns the index of the n-th set bit, counted from bit `from` upwards or downwards. For n = 0, returns `from` if
/// that bit is set.
static Value nthOne(Bits mask, unsigned from, int32_t n) {
  const int step = n < 0 ? -1 : 1;
  int64_t left = n == 0 ? 1 : std::abs(int64_t(n));
  for (int64_t at = from; at >= 0 && at < 32; at += step) {
    if (mask >> at & 1 && --left == 0)
      return Value::integer(Bits(at));
    if (n == 0)
      break;
  }
  return Value::integer(1, true);
}

static Value carried(const RecipeStep &step, llvm::ArrayRef<Value> args) {
  const unsigned width = step.target.bits;
  const Bits a = lowBits(args[0].twosComplement(), width), b = lowBits(args[1].twosComplement(), width);
  const Bits in = args.size() > 2 ? args[2].magnitude : 0;
  return Value::integer((a + b + in) >> width & 1);
}

static Value truthValue(const Value &a, const ElementType &type) {
  if (type.isFloat())
    return Value::integer(a.magnitude);
  return a.isTrue() ? Value::integer(lowBits(~Bits(0), type.bits)) : Value();
}

/// Returns the width of a part: `.b2`, `.h10`. A word without letters selects 32 bits.
static unsigned partWidth(isa::WordId word, unsigned whole) {
  const isa::Text text = isa::word(word).text();
  return text.starts_with(".b") && text.size() > 2 && text.size() <= 6 ? 8 : text.starts_with(".h") ? 16 : whole;
}

static Value saturated(const Value &a, isa::WordId typeWord, isa::WordId part) {
  const std::optional<ElementType> type = elementType(typeWord);
  const unsigned bits = part ? partWidth(part, type->bits) : isa::word(typeWord).number;
  const Bits half = Bits(1) << (bits - 1);
  const Value low = type->isSigned() ? Value::integer(half, true) : Value();
  const Value high = Value::integer(type->isSigned() ? half - 1 : lowBits(~Bits(0), bits));
  return order(a, low) < 0 ? low : order(a, high) > 0 ? high : a;
}

static Value ofTarget(StepOp op, const ElementType &type) {
  if (op == StepOp::LargestFinite)
    return type.isFloat() ? Value::real(numbers::read(type.format->greatest(), *type.format)) : Value();
  const Bits half = Bits(1) << (type.bits - 1);
  if (op == StepOp::Least)
    return type.isSigned() ? Value::integer(half, true) : Value();
  return Value::integer(type.isSigned() ? half - 1 : lowBits(~Bits(0), type.bits));
}

static Value ofFloats(const RecipeStep &step, llvm::ArrayRef<Value> args) {
  switch (step.op) {
  case StepOp::Nan: return Value::real(Number::invalid());
  case StepOp::SquareRoot: return Value::real(numbers::squareRoot(args[0].number));
  case StepOp::Reciprocal: return Value::real(numbers::quotient(Number::scaled(false, 1, 0), args[0].number));
  case StepOp::IsNan: return Value::truth(args[0].isFloat() && args[0].number.isNaN());
  case StepOp::IsInfinite: return Value::truth(args[0].number.kind == Number::Kind::Infinite);
  case StepOp::IsSubnormal: return Value::truth(isSubnormal(args[0], step.type));
  case StepOp::IsOutOfBounds:
    return Value::truth(args[0].hasBits && lowBits(args[0].bits, step.type.bits - 1) == outOfBoundsMark);
  case StepOp::IsNegative:
    return Value::truth(args[0].hasBits ? (args[0].bits >> (step.type.bits - 1) & 1) != 0 : args[0].number.isNegative);
  case StepOp::WithSign: {
    if (!args[0].hasBits)
      return signedAs(args[0], args[1]);
    Value result =
        readElement(lowBits(args[0].bits, step.type.bits - 1) | args[1].magnitude << (step.type.bits - 1), step.type);
    return result;
  }
  case StepOp::Flushed: return flushed(step, args[0]);
  default: return rounded(step.op, args[0], step.target);
  }
}

static Value ofBits(const RecipeStep &step, llvm::ArrayRef<Value> args) {
  const auto bits = [&](unsigned i) { return args[i].twosComplement(); };
  const auto small = [&](unsigned i) { return static_cast<unsigned>(std::min<Bits>(args[i].magnitude, 1 << 16)); };
  const unsigned width = step.type.bits;
  switch (step.op) {
  case StepOp::High: return shifted(false, args[0], Value::integer(step.target.bits));
  case StepOp::CarryOf: return carried(step, args);
  case StepOp::Width: return Value::integer(width);
  case StepOp::Ones: return Value::integer(count(lowBits(bits(0), width)));
  case StepOp::LeadingZeros: return Value::integer(width - 1 - topBit(lowBits(bits(0), width)));
  case StepOp::Reversed: return reversed(lowBits(bits(0), width), width);
  case StepOp::TopBit: {
    const int top = topBit(args[0].isNegative ? lowBits(~bits(0), width) : args[0].magnitude);
    return top < 0 ? Value::integer(1, true) : Value::integer(top);
  }
  case StepOp::Field: return field(args[0], step.type, small(1), small(2));
  case StepOp::Insert: return insert(args[0], args[1], width, small(2), small(3));
  case StepOp::Carryless: return carryless(lowBits(bits(0), 64), lowBits(bits(1), 64));
  case StepOp::Permuted: return permuted(bits(0), bits(1), bits(2));
  case StepOp::NthOne: return nthOne(bits(0), static_cast<unsigned>(bits(1)), static_cast<int32_t>(bits(2)));
  default: return lookup(bits(0), bits(1), bits(2), bits(3));
  }
}

Value computed(const RecipeStep &step, llvm::ArrayRef<Value> args) {
  const StepOp op = step.op;
  switch (op) {
  case StepOp::Negate: return opposite(args[0]);
  case StepOp::Invert: return sumOf(opposite(args[0]), Value::integer(1, true));
  case StepOp::Not: return Value::truth(!args[0].isTrue());
  case StepOp::Multiply:
  case StepOp::Divide:
  case StepOp::Remainder:
  case StepOp::Add:
  case StepOp::Subtract:
    if (args.size() == 3) // c is added to a product that is not rounded
      return Value::real(numbers::fused(args[0].asNumber(), args[1].asNumber(), args[2].asNumber()));
    return arithmetic(op, args[0], args[1]);
  case StepOp::ShiftLeft:
  case StepOp::ShiftRight: return shifted(op == StepOp::ShiftLeft, args[0], args[1]);
  case StepOp::And:
  case StepOp::Or:
  case StepOp::Xor: return bitwise(op, args[0], args[1]);
  case StepOp::Choice: return args[0].isTrue() ? args[1] : args[2];
  case StepOp::Minimum:
  case StepOp::Maximum: return extreme(op == StepOp::Maximum, args[0], args[1]);
  case StepOp::Absolute:
    return args[0].isFloat() ? Value::real(numbers::absolute(args[0].number)) : Value::integer(args[0].magnitude);
  case StepOp::Least:
  case StepOp::Greatest:
  case StepOp::LargestFinite: return ofTarget(op, step.target);
  case StepOp::Truth: return truthValue(args[0], step.target);
  case StepOp::Undefined: {
    Value value = args.empty() ? Value() : args[0];
    value.isUndefined = true;
    return value;
  }
  case StepOp::Saturated: return saturated(args[0], step.word, step.part);
  default: break;
  }
  if (op >= StepOp::Less && op <= StepOp::Unequal)
    return compared(op, args[0], args[1]);
  if (op >= StepOp::High && op <= StepOp::NthOne)
    return ofBits(step, args);
  return ofFloats(step, args);
}

static std::optional<Bits> ofSingles(StepOp op, llvm::ArrayRef<Bits> codes, bool flushes, bool isFull) {
  const auto a = static_cast<uint32_t>(codes[0]);
  switch (op) {
  case StepOp::Divide: return numbers::quotientApprox(a, static_cast<uint32_t>(codes[1]), flushes, isFull);
  case StepOp::SquareRoot: return numbers::rootApprox(a, flushes);
  case StepOp::Reciprocal: return numbers::reciprocalApprox(a, flushes);
  case StepOp::ReciprocalRoot: return numbers::inverseRootApprox(a, flushes);
  case StepOp::Sine: return numbers::sineApprox(a, flushes);
  case StepOp::Cosine: return numbers::cosineApprox(a, flushes);
  case StepOp::Logarithm2: return numbers::logarithmApprox(a, flushes);
  case StepOp::Power2: return numbers::exponentialApprox(a, flushes);
  case StepOp::HyperbolicTangent: return numbers::tangentApprox(a);
  default: return {};
  }
}

static std::optional<Bits> ofDoubles(StepOp op, uint64_t code, bool flushes) {
  if (op == StepOp::Reciprocal && flushes)
    return numbers::reciprocalApprox64(code);
  if (op == StepOp::ReciprocalRoot)
    return flushes ? numbers::inverseRootApprox64(code) : numbers::inverseRoot64(code);
  return {};
}

std::optional<Bits> approximated(const RecipeStep &step, llvm::ArrayRef<Bits> codes, bool flushes, bool isFull) {
  const numbers::Format *format = step.type.format;
  if (format == &numbers::f32)
    return ofSingles(step.op, codes, flushes, isFull);
  const auto code = static_cast<uint64_t>(codes[0]);
  if (format == &numbers::f64)
    return ofDoubles(step.op, code, flushes);
  if (format && step.op == StepOp::Power2)
    return numbers::exponentialApprox(code, *format);
  if (format && step.op == StepOp::HyperbolicTangent)
    return numbers::tangentApprox(code, *format);
  return {};
}

} // namespace ptxray
