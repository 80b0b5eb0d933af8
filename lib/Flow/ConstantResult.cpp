#include "Flow/ConstantResult.h"
#include "Isa/Words.h"
#include "llvm/ADT/bit.h"

namespace ptxray {

static uint64_t lowBits(unsigned count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

/// The number as 64 bits, its sign spread if it has one.
static uint64_t extended(uint64_t value, isa::TypeKind kind, unsigned bits) {
  value &= lowBits(bits);
  const bool isNegative = kind == isa::TypeKind::Signed && bits < 64 && (value >> (bits - 1) & 1);
  return isNegative ? value | ~lowBits(bits) : value;
}

static std::optional<uint64_t> ofOne(const Computation &c, uint64_t a) {
  switch (c.operation) {
  case isa::Operation::Mov: return a;
  case isa::Operation::Not: return ~a;
  case isa::Operation::Neg: return -a;
  case isa::Operation::Cvt: return extended(a, c.sourceKind, c.sourceBits);
  case isa::Operation::Popc: return llvm::popcount(a & lowBits(c.sourceBits));
  case isa::Operation::Abs: {
    const auto value = static_cast<int64_t>(extended(a, c.sourceKind, c.sourceBits));
    return value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  }
  default: return std::nullopt;
  }
}

/// Compares numbers that their type has extended.
static std::optional<uint64_t> ofExtended(const Computation &c, uint64_t a, uint64_t b) {
  const auto left = static_cast<int64_t>(a), right = static_cast<int64_t>(b);
  const bool isSigned = c.sourceKind == isa::TypeKind::Signed;
  const bool isLess = isSigned ? left < right : a < b;
  switch (c.operation) {
  case isa::Operation::Mul: return a * b;
  case isa::Operation::Min: return isLess ? a : b;
  case isa::Operation::Max: return isLess ? b : a;
  case isa::Operation::Div:
  case isa::Operation::Rem: {
    if (!b || (isSigned && right == -1 && left == INT64_MIN))
      return std::nullopt;
    const bool isQuotient = c.operation == isa::Operation::Div;
    if (isSigned)
      return static_cast<uint64_t>(isQuotient ? left / right : left % right);
    return isQuotient ? a / b : a % b;
  }
  default: return std::nullopt;
  }
}

static std::optional<uint64_t> ofTwo(const Computation &c, uint64_t a, uint64_t b) {
  const unsigned bits = c.resultBits;
  switch (c.operation) {
  case isa::Operation::Mov: return (a & lowBits(bits / 2)) | b << bits / 2; // {low, high}
  case isa::Operation::Add: return a + b;
  case isa::Operation::Sub: return a - b;
  case isa::Operation::And: return a & b;
  case isa::Operation::Or: return a | b;
  case isa::Operation::Xor: return a ^ b;
  case isa::Operation::Shl: return (b & lowBits(32)) >= bits ? 0 : a << (b & lowBits(32));
  case isa::Operation::Shr: {
    const uint64_t value = extended(a, c.resultKind, bits), by = std::min<uint64_t>(b & lowBits(32), 63);
    return c.resultKind == isa::TypeKind::Signed ? static_cast<uint64_t>(static_cast<int64_t>(value) >> by)
                                                 : ((b & lowBits(32)) >= bits ? 0 : value >> by);
  }
  default: return ofExtended(c, extended(a, c.sourceKind, c.sourceBits), extended(b, c.sourceKind, c.sourceBits));
  }
}

/// Returns so many bits from a position on; of a signed type the sign is spread.
static uint64_t bitField(const Computation &c, uint64_t a, uint64_t position, uint64_t length) {
  const unsigned bits = c.resultBits;
  position &= 0xFF;
  length &= 0xFF;
  const bool isSigned = c.resultKind == isa::TypeKind::Signed;
  const uint64_t value = extended(a, c.resultKind, bits);
  const bool isNegative = isSigned && length && value >> std::min<uint64_t>(position + length - 1, bits - 1) & 1;
  const uint64_t field = position < 64 ? value >> position & lowBits(static_cast<unsigned>(length)) : 0;
  const uint64_t there = position < bits ? std::min<uint64_t>(length, bits - position) : 0;
  const uint64_t kept = field & lowBits(static_cast<unsigned>(there));
  return isNegative ? kept | ~lowBits(static_cast<unsigned>(there)) : kept;
}

static std::optional<bool> compared(const Computation &c, uint64_t a, uint64_t b) {
  const unsigned unused = 64 - std::min<unsigned>(c.sourceBits, 64);
  const uint64_t highA = a << unused, highB = b << unused; // order does not change
  const isa::WordId word = c.comparison;
  const bool isSigned = c.sourceKind == isa::TypeKind::Signed && word != isa::words::lo && word != isa::words::ls &&
                        word != isa::words::hi && word != isa::words::hs;
  const bool isLess = isSigned ? static_cast<int64_t>(highA) < static_cast<int64_t>(highB) : highA < highB;
  const bool isEqual = highA == highB;
  if (word == isa::words::eq || word == isa::words::ne)
    return isEqual == (word == isa::words::eq);
  if (word == isa::words::lt || word == isa::words::lo)
    return isLess;
  if (word == isa::words::le || word == isa::words::ls)
    return isLess || isEqual;
  if (word == isa::words::gt || word == isa::words::hi)
    return !isLess && !isEqual;
  if (word == isa::words::ge || word == isa::words::hs)
    return !isLess;
  return std::nullopt;
}

static std::optional<uint64_t> ofPredicates(const Computation &c, llvm::ArrayRef<uint64_t> sources) {
  const bool areTwo = sources.size() == 2;
  switch (c.operation) {
  case isa::Operation::Not: return sources.size() == 1 ? std::optional<uint64_t>(!sources[0]) : std::nullopt;
  case isa::Operation::Mov: return sources.size() == 1 ? std::optional<uint64_t>(sources[0] != 0) : std::nullopt;
  case isa::Operation::And: return areTwo ? std::optional<uint64_t>(sources[0] && sources[1]) : std::nullopt;
  case isa::Operation::Or: return areTwo ? std::optional<uint64_t>(sources[0] || sources[1]) : std::nullopt;
  case isa::Operation::Xor: return areTwo ? std::optional<uint64_t>(!sources[0] != !sources[1]) : std::nullopt;
  default: return std::nullopt;
  }
}

/// Puts so many bits of a into b at a position.
static uint64_t bitFieldInserted(uint64_t a, uint64_t b, uint64_t position, uint64_t length, unsigned bits) {
  position &= 0xFF;
  length &= 0xFF;
  if (position >= bits || !length)
    return b;
  const uint64_t mask = lowBits(static_cast<unsigned>(length)) << position;
  return (b & ~mask) | (a << position & mask);
}

std::optional<uint64_t> constantResult(const Computation &c, llvm::ArrayRef<uint64_t> sources) {
  auto isInteger = [](isa::TypeKind kind) {
    return kind == isa::TypeKind::Bits || kind == isa::TypeKind::Unsigned || kind == isa::TypeKind::Signed;
  };
  if (c.isKnown && c.operation == isa::Operation::Selp && sources.size() == 3)
    return sources[2] ? sources[0] : sources[1];
  if (c.isKnown && c.operation == isa::Operation::Setp)
    return isInteger(c.sourceKind) && sources.size() == 2 ? compared(c, sources[0], sources[1]) : std::nullopt;
  if (c.isKnown && c.resultKind == isa::TypeKind::Predicate)
    return ofPredicates(c, sources);
  if (!c.isKnown || !isInteger(c.resultKind) || !isInteger(c.sourceKind) || c.resultBits > 64 || c.sourceBits > 64)
    return std::nullopt;
  std::optional<uint64_t> result;
  if (sources.size() == 1)
    result = ofOne(c, sources[0]);
  else if (sources.size() == 2)
    result = ofTwo(c, sources[0], sources[1]);
  else if (sources.size() == 3 && c.operation == isa::Operation::Mad)
    result = extended(sources[0], c.sourceKind, c.sourceBits) * extended(sources[1], c.sourceKind, c.sourceBits) +
             sources[2];
  else if (sources.size() == 3 && c.operation == isa::Operation::Bfe)
    result = bitField(c, sources[0], sources[1], sources[2]);
  else if (sources.size() == 4 && c.operation == isa::Operation::Bfi)
    result = bitFieldInserted(sources[0], sources[1], sources[2], sources[3], c.resultBits);
  if (result)
    *result &= lowBits(c.resultBits);
  return result;
}

} // namespace ptxray
