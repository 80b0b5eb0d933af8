#include "Flow/Numbers.h"
#include "Isa/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace ptxray {

// ---- single numbers
static uint64_t lowBits(unsigned count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

/// Returns the number as 64 bits, sign-extended if it is signed.
static uint64_t extended(uint64_t value, isa::TypeKind kind, unsigned bits) {
  value &= lowBits(bits);
  const bool isNegative = kind == isa::TypeKind::Signed && bits < 64 && (value >> (bits - 1) & 1);
  return isNegative ? value | ~lowBits(bits) : value;
}

static bool isOfIntegers(isa::TypeKind kind) {
  return kind == isa::TypeKind::Bits || kind == isa::TypeKind::Unsigned || kind == isa::TypeKind::Signed;
}

static std::optional<uint64_t> quotientOf(const Computation &c, uint64_t a, uint64_t b) {
  const auto left = static_cast<int64_t>(a), right = static_cast<int64_t>(b);
  const bool isSigned = c.sourceKind == isa::TypeKind::Signed, isQuotient = c.operation == isa::Operation::Div;
  if (!b || (isSigned && right == -1 && left == INT64_MIN))
    return std::nullopt;
  if (isSigned)
    return static_cast<uint64_t>(isQuotient ? left / right : left % right);
  return isQuotient ? a / b : a % b;
}

/// Returns `length` bits from a position, sign-extended for a signed type.
static uint64_t bitField(const Computation &c, uint64_t a, unsigned position, unsigned length) {
  const unsigned bits = c.resultBits, there = position < bits ? std::min(length, bits - position) : 0;
  const uint64_t value = extended(a, c.resultKind, bits), kept = there ? value >> position & lowBits(there) : 0;
  const bool isNegative =
      c.resultKind == isa::TypeKind::Signed && length && value >> std::min(position + length - 1, bits - 1) & 1;
  return isNegative ? kept | ~lowBits(there) : kept;
}

/// Inserts the low `length` bits of `a` into `b` at a position.
static uint64_t bitFieldInserted(uint64_t a, uint64_t b, unsigned position, unsigned length, unsigned bits) {
  const uint64_t mask = position < bits ? lowBits(length) << position : 0;
  return (b & ~mask) | (mask ? a << position & mask : 0);
}

static std::optional<uint64_t> compared(const Computation &c, uint64_t a, uint64_t b) {
  const isa::WordId word = c.comparison;
  const auto isOneOf = [word](isa::WordId one, isa::WordId other) { return word == one || word == other; };
  const bool isOfUnsigned = isOneOf(isa::words::lo, isa::words::ls) || isOneOf(isa::words::hi, isa::words::hs);
  const unsigned unused = 64 - std::min<unsigned>(c.sourceBits, 64);
  // Flip the sign bit, so that signed numbers compare like unsigned ones.
  const uint64_t sign = uint64_t(c.sourceKind == isa::TypeKind::Signed && !isOfUnsigned) << 63;
  const uint64_t left = a << unused ^ sign, right = b << unused ^ sign;
  if (isOneOf(isa::words::eq, isa::words::ne))
    return (left == right) == (word == isa::words::eq);
  if (isOneOf(isa::words::lt, isa::words::lo))
    return left < right;
  if (isOneOf(isa::words::le, isa::words::ls))
    return left <= right;
  if (isOneOf(isa::words::gt, isa::words::hi))
    return left > right;
  return isOneOf(isa::words::ge, isa::words::hs) ? std::optional<uint64_t>(left >= right) : std::nullopt;
}

static bool takes(isa::Operation operation, size_t sources) {
  switch (operation) {
  case isa::Operation::Mov: return sources == 1 || sources == 2; // {low, high}
  case isa::Operation::Not:
  case isa::Operation::Neg:
  case isa::Operation::Cvt:
  case isa::Operation::Popc:
  case isa::Operation::Abs: return sources == 1;
  case isa::Operation::Selp:
  case isa::Operation::Mad:
  case isa::Operation::Bfe: return sources == 3;
  case isa::Operation::Bfi: return sources == 4;
  default: return sources == 2;
  }
}

/// Returns the result before truncation. Predicates are the numbers 0 and 1.
static std::optional<uint64_t> uncut(const Computation &c, llvm::ArrayRef<uint64_t> sources) {
  const auto source = [&](size_t i) { return i < sources.size() ? sources[i] : 0; };
  const uint64_t a = source(0), b = source(1), d = source(2);
  const unsigned bits = c.resultBits, half = bits / 2;
  const auto read = [&](uint64_t one) { return extended(one, c.sourceKind, c.sourceBits); };
  const auto isLess = [&] {
    const bool isSigned = c.sourceKind == isa::TypeKind::Signed;
    return isSigned ? static_cast<int64_t>(read(a)) < static_cast<int64_t>(read(b)) : read(a) < read(b);
  };
  const uint64_t by = b & lowBits(32);
  const bool isFar = by >= bits;
  switch (c.operation) {
  case isa::Operation::Mov: return sources.size() == 1 ? a : (a & lowBits(half)) | b << half;
  case isa::Operation::Not: return ~a;
  case isa::Operation::Neg: return -a;
  case isa::Operation::Cvt: return read(a);
  case isa::Operation::Popc: return llvm::popcount(a & lowBits(c.sourceBits));
  case isa::Operation::Abs: return static_cast<int64_t>(read(a)) < 0 ? -read(a) : read(a);
  case isa::Operation::Add: return a + b;
  case isa::Operation::Sub: return a - b;
  case isa::Operation::And: return a & b;
  case isa::Operation::Or: return a | b;
  case isa::Operation::Xor: return a ^ b;
  case isa::Operation::Mul: return read(a) * read(b);
  case isa::Operation::Mad: return read(a) * read(b) + d;
  case isa::Operation::Min: return isLess() ? read(a) : read(b);
  case isa::Operation::Max: return isLess() ? read(b) : read(a);
  case isa::Operation::Div:
  case isa::Operation::Rem: return quotientOf(c, read(a), read(b));
  case isa::Operation::Shl: return isFar ? 0 : a << by;
  case isa::Operation::Shr:
    if (c.resultKind == isa::TypeKind::Signed)
      return static_cast<uint64_t>(static_cast<int64_t>(extended(a, c.resultKind, bits)) >> std::min<uint64_t>(by, 63));
    return isFar ? 0 : (a & lowBits(bits)) >> by;
  case isa::Operation::Bfe: return bitField(c, a, b & 0xFF, d & 0xFF);
  case isa::Operation::Bfi: return bitFieldInserted(a, b, d & 0xFF, source(3) & 0xFF, bits);
  default: return std::nullopt;
  }
}

std::optional<uint64_t> constantResult(const Computation &c, llvm::ArrayRef<uint64_t> sources) {
  if (!c.isKnown || !takes(c.operation, sources.size()))
    return std::nullopt;
  if (c.operation == isa::Operation::Selp)
    return sources[2] ? sources[0] : sources[1];
  if (c.operation == isa::Operation::Setp)
    return isOfIntegers(c.sourceKind) ? compared(c, sources[0], sources[1]) : std::nullopt;
  std::optional<uint64_t> result;
  if (c.resultKind == isa::TypeKind::Predicate) {
    llvm::SmallVector<uint64_t, 4> truths;
    llvm::transform(sources, std::back_inserter(truths), [](uint64_t one) { return one != 0; });
    result = uncut(c, truths);
  } else if (isOfIntegers(c.resultKind) && isOfIntegers(c.sourceKind) && c.resultBits <= 64 && c.sourceBits <= 64) {
    result = uncut(c, sources);
  }
  if (result)
    *result &= lowBits(c.resultBits);
  return result;
}

// ---- numbers in steps
static uint64_t powerIn(uint64_t number) { return number & (~number + 1); }

Numbers withoutBounds(const Numbers &numbers) {
  const uint64_t most = uint64_t(1) << 32, step = numbers.step ? std::min(powerIn(numbers.step), most) : most;
  Numbers result = Numbers::apart(step, static_cast<int64_t>(static_cast<uint64_t>(numbers.low) % step));
  result.base = numbers.base;
  return result;
}

static Numbers checked(const Numbers &numbers) {
  constexpr int64_t most = Numbers::mostKnown;
  const bool isFar = numbers.low < -most || numbers.high > most || numbers.step > static_cast<uint64_t>(most);
  return isFar || !numbers.isBounded ? withoutBounds(numbers) : numbers;
}

/// Returns the largest power of two of which all numbers are multiples.
static uint64_t alignmentOf(const Numbers &numbers) {
  const uint64_t bits = static_cast<uint64_t>(numbers.low) | numbers.step;
  return bits ? powerIn(bits) : uint64_t(1) << 62;
}

Numbers eitherOf(const Numbers &a, const Numbers &b) {
  if (a == b)
    return a;
  if (a.base != b.base)
    return {};
  const uint64_t above = static_cast<uint64_t>(a.low) - static_cast<uint64_t>(b.low);
  const uint64_t apart = a.low > b.low ? above : -above;
  const uint64_t step = std::gcd(std::gcd(a.step, b.step), apart);
  Numbers result = {true, std::min(a.low, b.low), std::max(a.high, b.high), step, a.base};
  return a.isBounded && b.isBounded ? checked(result) : withoutBounds(result);
}

Numbers readAs(const Numbers &numbers, isa::TypeKind kind, unsigned bits) {
  if (numbers.base != LocalId::None || bits >= 64)
    return bits >= 64 && kind == isa::TypeKind::Unsigned && numbers.low < 0 ? withoutBounds(numbers) : numbers;
  const int64_t span = int64_t(1) << bits;
  const int64_t least = kind == isa::TypeKind::Signed ? -(span / 2) : 0, most = least + span - 1;
  if (numbers.isBounded && numbers.low >= least && numbers.high <= most)
    return numbers;
  // All numbers may be in the same interval, but outside of the type's range.
  const auto spanOf = [&](int64_t number) { return static_cast<int64_t>((__int128(number) - least) >> bits); };
  if (numbers.isBounded && spanOf(numbers.low) == spanOf(numbers.high)) {
    const int64_t away = spanOf(numbers.low) * span;
    return {true, numbers.low - away, numbers.high - away, numbers.step, LocalId::None};
  }
  const auto step = static_cast<int64_t>(std::min(powerIn(numbers.step ? numbers.step : 1), uint64_t(1) << bits));
  const auto first = least + static_cast<int64_t>(((__int128(numbers.low) - least) % step + step) % step);
  return Numbers::between(first, most - (most - first) % step, static_cast<uint64_t>(step));
}

// ---- sums and products
static Numbers sum(const Numbers &a, const Numbers &b) {
  if (a.base != LocalId::None && b.base != LocalId::None)
    return {};
  const LocalId base = a.base != LocalId::None ? a.base : b.base;
  const Numbers result = {true, a.low + b.low, a.high + b.high, std::gcd(a.step, b.step), base};
  return a.isBounded && b.isBounded ? checked(result) : withoutBounds(result);
}

static Numbers negative(const Numbers &a) { return {a.isBounded, -a.high, -a.low, a.step, LocalId::None}; }

static Numbers difference(const Numbers &a, const Numbers &b) {
  if (b.base == LocalId::None)
    return sum(a, negative(b));
  if (a.base != b.base)
    return {};
  Numbers without = a;
  without.base = LocalId::None;
  return sum(without, negative(b));
}

static Numbers product(const Numbers &a, const Numbers &b) {
  if (a.base != LocalId::None || b.base != LocalId::None)
    return {};
  if (!a.isBounded || !b.isBounded) {
    const uint64_t both = std::min(llvm::Log2_64(alignmentOf(a)) + llvm::Log2_64(alignmentOf(b)), 32u);
    const Numbers &known = a.isNumber() ? a : b, &other = a.isNumber() ? b : a;
    if (!known.isNumber() || !known.low)
      return known.isNumber() ? known : Numbers::apart(uint64_t(1) << both);
    const uint64_t step = std::min(powerIn(other.step * static_cast<uint64_t>(known.low)), uint64_t(1) << 32);
    return Numbers::apart(step, static_cast<int64_t>(static_cast<uint64_t>(other.low) *
                                                     static_cast<uint64_t>(known.low) % std::max<uint64_t>(step, 1)));
  }
  int64_t ends[4];
  const int64_t left[] = {a.low, a.high}, right[] = {b.low, b.high};
  for (unsigned i = 0; i < 4; ++i)
    if (__builtin_mul_overflow(left[i / 2], right[i % 2], &ends[i]))
      return Numbers::apart(
          uint64_t(1) << std::min(llvm::Log2_64(alignmentOf(a)) + llvm::Log2_64(alignmentOf(b)), 32u));
  const auto steps = [](uint64_t step, int64_t other) {
    return step * static_cast<uint64_t>(other < 0 ? -other : other); // beyond this, only the bounds are known
  };
  uint64_t step = std::gcd(steps(a.step, b.low), steps(b.step, a.low));
  step = std::gcd(step, a.step * b.step);
  const auto [least, most] = std::minmax_element(ends, ends + 4);
  return checked({true, *least, *most, *least == *most ? 0 : std::max<uint64_t>(step, 1), LocalId::None});
}

/// Divides by a positive number.
static Numbers quotient(const Numbers &a, int64_t by) {
  if (!a.isBounded)
    return {};
  const bool isEven = a.step % static_cast<uint64_t>(by) == 0 && a.low % by == 0;
  return Numbers::between(a.low / by, a.high / by, isEven ? a.step / static_cast<uint64_t>(by) : 1);
}

static Numbers remainder(const Numbers &a, int64_t by) {
  if (a.isBounded && a.low >= 0 && a.high < by)
    return a;
  if (!a.isBounded || a.low < 0)
    return Numbers::between(1 - by, by - 1);
  const auto step = static_cast<int64_t>(std::gcd(a.step, static_cast<uint64_t>(by)));
  const int64_t first = a.low % step;
  return Numbers::between(first, by - step + first, static_cast<uint64_t>(step));
}

// ---- bits
/// Returns the largest number with the bit length of `number`.
static int64_t onesTo(int64_t number) {
  return static_cast<int64_t>(llvm::bit_ceil(static_cast<uint64_t>(number) + 1) - 1);
}

static Numbers masked(const Numbers &a, int64_t mask) {
  const uint64_t step = std::max(powerIn(static_cast<uint64_t>(mask)), std::min(alignmentOf(a), uint64_t(1) << 32));
  if (!mask)
    return Numbers::of(0);
  if (!a.isBounded || a.low < 0)
    return mask < 0 ? Numbers::apart(std::min(step, uint64_t(1) << 32))
                    : Numbers::between(0, mask - mask % static_cast<int64_t>(step), step);
  const int64_t room = onesTo(a.high), kept = mask & room;
  if (kept == room)
    return a;
  const auto low = static_cast<int64_t>(powerIn(static_cast<uint64_t>(kept)));
  if (!kept)
    return Numbers::of(0);
  if (kept == (room & -low)) // rounds down
    return Numbers::between(a.low & -low, a.high & -low, std::max(static_cast<uint64_t>(low), step));
  const int64_t most = std::min(kept, a.high);
  return Numbers::between(0, most - most % static_cast<int64_t>(step), step);
}

bool areApart(const Numbers &a, const Numbers &b) {
  const auto isBelow = [](const Numbers &low, const Numbers &high) {
    return low.isBounded && low.low >= 0 && static_cast<uint64_t>(low.high) < alignmentOf(high);
  };
  return isBelow(a, b) || isBelow(b, a);
}

static Numbers joined(const Numbers &a, const Numbers &b, bool isOr) {
  if (areApart(a, b))
    return sum(a, b);
  const uint64_t step = std::min({alignmentOf(a), alignmentOf(b), uint64_t(1) << 32});
  if (!a.isBounded || !b.isBounded || a.low < 0 || b.low < 0)
    return Numbers::apart(step);
  const int64_t most = onesTo(std::max(a.high, b.high));
  return Numbers::between(isOr ? std::max(a.low, b.low) : 0, most - most % static_cast<int64_t>(step), step);
}

static Numbers shiftedLeft(const Numbers &a, const Numbers &by, unsigned bits) {
  if (!by.isBounded || by.low < 0 || by.high > 62)
    return {};
  if (by.isOne())
    return static_cast<uint64_t>(by.low) >= bits ? Numbers::of(0) : product(a, Numbers::of(int64_t(1) << by.low));
  const unsigned zeros = std::min<unsigned>(llvm::Log2_64(alignmentOf(a)) + static_cast<unsigned>(by.low), 32);
  return Numbers::apart(uint64_t(1) << zeros);
}

static Numbers shiftedRight(const Numbers &a, const Numbers &by) {
  if (!by.isOne() || by.low < 0 || by.low > 61 || !a.isBounded)
    return {};
  const int64_t unit = int64_t(1) << by.low;
  const bool isEven = a.step % static_cast<uint64_t>(unit) == 0 && a.low % unit == 0;
  return Numbers::between(a.low >> by.low, a.high >> by.low, isEven ? a.step >> by.low : 1);
}

// ---- comparisons
/// Returns the result of a comparison: 0 or 1 if the bounds determine it, otherwise both.
static Numbers comparison(const Computation &c, const Numbers &a, const Numbers &b) {
  const Numbers either = Numbers::between(0, 1);
  if (!a.isBounded || !b.isBounded || a.base != b.base)
    return either;
  const auto ends = [&](int64_t left, int64_t right) {
    const std::optional<uint64_t> outcome =
        constantResult(c, {static_cast<uint64_t>(left), static_cast<uint64_t>(right)});
    return outcome ? static_cast<int>(*outcome) : -1;
  };
  const bool areApart = a.high < b.low || b.high < a.low;
  const int first = ends(a.low, b.high), last = ends(a.high, b.low);
  const bool areOne = a.isOne() && b.isOne();
  const bool isOrder = ends(0, 1) != ends(1, 0);
  return first == last && first >= 0 && (areOne || areApart || isOrder) ? Numbers::of(first) : either;
}

static std::optional<Numbers> ofNumbersAlone(const Computation &c, llvm::ArrayRef<Numbers> sources) {
  if (!llvm::all_of(sources, [](const Numbers &source) { return source.isNumber(); }))
    return std::nullopt;
  llvm::SmallVector<uint64_t, 4> numbers;
  for (const Numbers &source : sources)
    numbers.push_back(static_cast<uint64_t>(source.low));
  const std::optional<uint64_t> result = constantResult(c, numbers);
  if (!result)
    return std::nullopt;
  return Numbers::of(static_cast<int64_t>(*result));
}

static Numbers numbersOfOne(const Computation &c, const Numbers &a) {
  switch (c.operation) {
  case isa::Operation::Mov:
  case isa::Operation::ToGeneric:
  case isa::Operation::FromGeneric: return a;
  case isa::Operation::Cvt: return readAs(a, c.sourceKind, c.sourceBits);
  case isa::Operation::Neg: return difference(Numbers::of(0), a);
  case isa::Operation::Not: return difference(Numbers::of(-1), a);
  case isa::Operation::Popc: return Numbers::between(0, c.sourceBits);
  default: return {};
  }
}

static Numbers numbersOfRead(const Computation &c, const Numbers &a, const Numbers &b) {
  const Numbers left = readAs(a, c.sourceKind, c.sourceBits), right = readAs(b, c.sourceKind, c.sourceBits);
  switch (c.operation) {
  case isa::Operation::Mul: return product(left, right);
  case isa::Operation::Setp: return comparison(c, left, right);
  case isa::Operation::And:
    return right.isNumber() ? masked(left, right.low) : left.isNumber() ? masked(right, left.low) : Numbers();
  case isa::Operation::Or:
  case isa::Operation::Xor: return joined(left, right, c.operation == isa::Operation::Or);
  case isa::Operation::Div: return right.isNumber() && right.low > 0 ? quotient(left, right.low) : Numbers();
  case isa::Operation::Rem: return right.isNumber() && right.low > 0 ? remainder(left, right.low) : Numbers();
  case isa::Operation::Min:
  case isa::Operation::Max: {
    if (!left.isBounded || !right.isBounded)
      return {};
    const bool isMin = c.operation == isa::Operation::Min;
    Numbers result = eitherOf(left, right);
    result.low = isMin ? std::min(left.low, right.low) : std::max(left.low, right.low);
    result.high = isMin ? std::min(left.high, right.high) : std::max(left.high, right.high);
    return result.isOne() ? Numbers::of(result.low) : result;
  }
  default: return {};
  }
}

static Numbers numbersOfTwo(const Computation &c, const Numbers &a, const Numbers &b) {
  switch (c.operation) {
  case isa::Operation::Add: return sum(a, b);
  case isa::Operation::Sub: return difference(a, b);
  case isa::Operation::Shl: return shiftedLeft(a, b, c.resultBits);
  case isa::Operation::Shr:
    return shiftedRight(readAs(a, c.resultKind, c.resultBits), readAs(b, isa::TypeKind::Unsigned, 32));
  case isa::Operation::Mul:
    if (c.resultBits == c.sourceBits)
      return product(a, b);
    break;
  default: break;
  }
  const bool hasBase = a.base != LocalId::None || b.base != LocalId::None;
  return hasBase ? Numbers() : numbersOfRead(c, a, b);
}

static Numbers numbersOfThree(const Computation &c, const Numbers &a, const Numbers &b, const Numbers &d) {
  if (c.operation == isa::Operation::Selp)
    return d.isNumber() ? (d.low ? a : b) : eitherOf(a, b);
  if (c.operation == isa::Operation::Mad) {
    Computation factor = c;
    factor.operation = isa::Operation::Mul;
    return sum(numbersOfTwo(factor, a, b), d);
  }
  if (c.operation != isa::Operation::Bfe || !d.isNumber())
    return {};
  const auto bits = static_cast<unsigned>(d.low & 0xFF);
  if (bits > 60)
    return {};
  const int64_t span = int64_t(1) << bits;
  return c.resultKind == isa::TypeKind::Signed ? Numbers::between(-(span / 2), span - 1)
                                               : Numbers::between(0, span - 1);
}

Numbers numbersOf(const Computation &c, llvm::ArrayRef<Numbers> sources) {
  const bool isPredicate = c.resultKind == isa::TypeKind::Predicate || c.operation == isa::Operation::Setp;
  if (!c.isKnown || c.resultBits > 64 || c.sourceBits > 64 || (!isOfIntegers(c.resultKind) && !isPredicate))
    return {};
  if (const std::optional<Numbers> known = ofNumbersAlone(c, sources))
    return *known;
  if (!isOfIntegers(c.sourceKind))
    return isPredicate ? Numbers::between(0, 1) : Numbers();
  switch (sources.size()) {
  case 1: return numbersOfOne(c, checked(sources[0]));
  case 2: return numbersOfTwo(c, checked(sources[0]), checked(sources[1]));
  case 3: return numbersOfThree(c, checked(sources[0]), checked(sources[1]), checked(sources[2]));
  default: return {};
  }
}

} // namespace ptxray
