#include "Flow/Constants.h"

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
  default: return std::nullopt;
  }
}

static std::optional<uint64_t> ofTwo(const Computation &c, uint64_t a, uint64_t b) {
  const unsigned bits = c.resultBits;
  switch (c.operation) {
  case isa::Operation::Mov: return (a & lowBits(bits / 2)) | b << bits / 2; // {low, high}
  case isa::Operation::Add: return a + b;
  case isa::Operation::Sub: return a - b;
  case isa::Operation::Mul: return extended(a, c.sourceKind, c.sourceBits) * extended(b, c.sourceKind, c.sourceBits);
  case isa::Operation::And: return a & b;
  case isa::Operation::Or: return a | b;
  case isa::Operation::Xor: return a ^ b;
  case isa::Operation::Shl: return (b & lowBits(32)) >= bits ? 0 : a << (b & lowBits(32));
  case isa::Operation::Shr: {
    const uint64_t value = extended(a, c.resultKind, bits), by = std::min<uint64_t>(b & lowBits(32), 63);
    return c.resultKind == isa::TypeKind::Signed ? static_cast<uint64_t>(static_cast<int64_t>(value) >> by)
                                                 : ((b & lowBits(32)) >= bits ? 0 : value >> by);
  }
  default: return std::nullopt;
  }
}

/// Into b at a position so many bits of a.
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
  else if (sources.size() == 4 && c.operation == isa::Operation::Bfi)
    result = bitFieldInserted(sources[0], sources[1], sources[2], sources[3], c.resultBits);
  if (result)
    *result &= lowBits(c.resultBits);
  return result;
}

} // namespace ptxray
