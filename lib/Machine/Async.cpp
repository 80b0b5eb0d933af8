#include "Machine/Async.h"
#include "Machine/Flight.h"
#include "Machine/Notify.h"
#include "Numbers/Number.h"
#include <cstring>

namespace ptxray::machine {

// ---- reductions

static uint64_t ofIntegers(Reduction::How how, uint64_t a, uint64_t b, bool isLess) {
  using enum Reduction::How;
  switch (how) {
  case Add: return a + b;
  case Min: return isLess ? a : b;
  case Max: return isLess ? b : a;
  case Inc: return a >= b ? 0 : a + 1;
  case Dec: return a == 0 || a > b ? b : a - 1;
  case And: return a & b;
  case Or: return a | b;
  case Xor: return a ^ b;
  default: return b;
  }
}

static numbers::Number flushed(const numbers::Number &number, const numbers::Format &format, bool flushes) {
  return flushes && number.kind == numbers::Number::Kind::Finite && number.exponent < format.leastExponent()
             ? numbers::Number::zero(number.isNegative)
             : number;
}

static uint64_t ofFloats(const Reduction &reduction, uint64_t a, uint64_t b) {
  const numbers::Format &format = *reduction.type.format;
  const numbers::Number x = flushed(numbers::read(a, format), format, reduction.flushes),
                        y = flushed(numbers::read(b, format), format, reduction.flushes);
  if (reduction.how == Reduction::How::Add) {
    const numbers::Number sum = numbers::sum(x, y);
    return numbers::store(flushed(sum, format, reduction.flushes), format, {});
  }
  return numbers::store(numbers::chosen(x, y,
                                        {.greatest = reduction.how == Reduction::How::Max,
                                         .passesNaN = reduction.passesNaN,
                                         .absolute = reduction.isAbsolute}),
                        format, {});
}

uint64_t reduced(const Reduction &reduction, uint64_t a, uint64_t b) {
  const ElementType &type = reduction.type;
  if (type.isFloat())
    return ofFloats(reduction, a, b);
  const unsigned unused = 64 - type.bits;
  const bool isLess = type.isSigned() ? static_cast<int64_t>(a << unused) < static_cast<int64_t>(b << unused) : a < b;
  return ofIntegers(reduction.how, a, b, isLess);
}

void reduce(const Reduction &reduction, uint8_t *to, const uint8_t *from, size_t bytes) {
  const size_t size = reduction.type.bits / 8;
  for (size_t at = 0; at + size <= bytes; at += size) {
    uint64_t a = 0, b = 0;
    std::memcpy(&a, to + at, size);
    std::memcpy(&b, from + at, size);
    a = reduced(reduction, a, b);
    std::memcpy(to + at, &a, size);
  }
}

// ---- operations

SharedPlace sharedAt(Warp &warp, const AddressOf &address, uint64_t at) {
  if (address.space == Space::Generic)
    at = at / windowBytes == sharedWindow / windowBytes ? at % windowBytes : ~uint64_t(0);
  const uint64_t rank = at >> sharedRankShift;
  if (rank >= warp.block->cluster.size())
    return {};
  return {warp.block->cluster[rank], at & sharedOffsetMask};
}

/// Returns a 32-bit number rounded to 10 fraction bits, to nearest even.
static uint32_t roundedToTf32(uint32_t bits) {
  constexpr uint32_t lost = 0x1fff, half = 0x1000, kept = 13, infinity = 0x7f800000, magnitude = 0x7fffffff,
                     nan = 0x7fffe000;
  if ((bits & magnitude) > infinity)
    return nan;
  return (bits + half - 1 + (bits >> kept & 1)) & ~lost;
}

static void convert(CopyConversion conversion, uint8_t *to, const uint8_t *from, size_t bytes) {
  if (conversion == CopyConversion::PackSixBits) {
    for (size_t at = 0; at + 3 <= bytes; at += 3, to += 3, from += 4) { // four 6-bit numbers
      const uint32_t packed = (from[0] & 63u) | (from[1] & 63u) << 6 | (from[2] & 63u) << 12 | (from[3] & 63u) << 18;
      std::memcpy(to, &packed, 3);
    }
    return;
  }
  for (size_t at = 0; at + sizeof(uint32_t) <= bytes; at += sizeof(uint32_t)) {
    uint32_t bits = 0;
    std::memcpy(&bits, from + at, sizeof bits);
    bits = roundedToTf32(bits);
    std::memcpy(to + at, &bits, sizeof bits);
  }
}

/// Reports the bytes that an operation moves.
static void reportMoves(const Operation &operation, const Op &op, Warp &warp) {
  observersOf(warp).notify(events::Moves, [&](Observer &one) {
    std::vector<MovedBytes> parts;
    for (const Transfer &part : operation.transfers)
      parts.push_back({.to = part.to,
                       .from = part.isFilling ? nullptr : part.from,
                       .bytes = part.bytes,
                       .isReduced = operation.reduction.how != Reduction::How::None});
    one.moves(warp, op, parts);
  });
}

std::string perform(const Operation &operation, const Op &op, Warp &warp) {
  constexpr uint32_t swizzledAtOnce = 16; // size in bytes of most transfers of a tensor
  const bool isReduced = operation.reduction.how != Reduction::How::None;
  if (warp.doer.stage == Stage::Begin) {
    for (const Transfer &one : operation.transfers)
      if (operation.isLoad && !isReduced)
        poison(one.to, one.bytes);
    return "";
  }
  reportMoves(operation, op, warp);
  for (const Transfer &one : operation.transfers)
    if (isReduced)
      reduce(operation.reduction, one.to, one.from, one.bytes);
    else if (operation.conversion != CopyConversion::None && !one.isFilling)
      convert(operation.conversion, one.to, one.from, one.bytes);
    else if (one.bytes == swizzledAtOnce)
      std::memmove(one.to, one.from, swizzledAtOnce);
    else
      std::memmove(one.to, one.from, one.bytes);
  for (const Completion &one : operation.completions)
    if (std::string problem = completeBytes(*one.block, one.offset, one.bytes); !problem.empty())
      return problem;
  return "";
}

/// Returns the bytes at an address with the given alignment, or null after a fault.
static uint8_t *reach(const AddressOf &address, uint64_t at, uint64_t count, bool isWrite, unsigned lane, const Op &op,
                      Warp &warp, uint64_t alignment) {
  const Lookup found = look(warp, address.space, at, count, lane, isWrite);
  if (found.bytes && !(at & (alignment - 1)))
    return found.bytes;
  report(warp, op, found.bytes ? AccessFault::Misaligned : found.fault, address, at, count, isWrite, lane);
  return nullptr;
}

/// Adds the transfers of a copy: all bytes, the bytes selected by the mask, or all except some at the ends.
static void addTransfers(Operation &operation, const BulkCopy &copy, uint8_t *to, const uint8_t *from, uint64_t size,
                         const char *registers, unsigned lane) {
  if (!copy.byteMask.bits) {
    operation.transfers.push_back({to, from, static_cast<uint32_t>(size)});
    return;
  }
  const uint64_t mask = numberIn(registers, copy.byteMask, lane);
  for (uint64_t at = 0; at < size; ++at)
    if (mask >> at % 16 & 1)
      operation.transfers.push_back({to + at, from + at, 1});
}

static void copyOfLane(const BulkCopy &copy, unsigned lane, const char *registers, const Op &op, Warp &warp) {
  static const std::vector<uint8_t> zeros(1 << 18);
  const uint64_t left = numberIn(registers, copy.left, lane), right = numberIn(registers, copy.right, lane);
  const uint64_t all = numberIn(registers, copy.size, lane);
  if (left + right > all)
    return;
  const uint64_t size = all - left - right;
  const uint64_t to = addressIn(registers, copy.to, lane) + left, from = addressIn(registers, copy.from, lane) + left;
  const uint64_t alignment = copy.isFilled ? 8 : left ? 1 : 16;
  const uint8_t *source = zeros.data();
  if (size && !copy.isFilled && !(source = reach(copy.from, from, size, false, lane, op, warp, alignment)))
    return;
  if (copy.isFilled && size > zeros.size())
    return report(warp, op, AccessFault::OutOfBounds, copy.to, to, size, true, lane);
  Operation operation;
  operation.reduction = copy.reduction;
  warp.doer.isStrong = copy.reduction.how != Reduction::How::None;
  operation.isLoad = copy.to.space == Space::Shared;
  const uint64_t present = (uint64_t(1) << warp.block->cluster.size()) - 1;
  const uint64_t blocks = numberIn(registers, copy.blocks, lane) & present;
  reportAmount(warp, op, Amount::BulkBytes, size);
  reportAmount(warp, op, copy.to.space, size * (copy.blocks.bits ? static_cast<unsigned>(llvm::popcount(blocks)) : 1));
  if (!copy.isFilled) {
    reportAmount(warp, op, copy.from.space, size);
    reportRange(warp, op, copy.from, from, size, false, lane);
  }
  if (!copy.blocks.bits) {
    uint8_t *target = reach(copy.to, to, size, true, lane, op, warp, alignment);
    if (!target)
      return;
    reportRange(warp, op, copy.to, to, size, true, lane);
    addTransfers(operation, copy, target, source, size, registers, lane);
  }
  for (uint64_t rest = blocks; rest; rest &= rest - 1) {
    const auto rank = static_cast<uint64_t>(__builtin_ctzll(rest));
    const uint64_t moved = (to & ~(uint64_t(255) << sharedRankShift)) | rank << sharedRankShift;
    uint8_t *target = reach(copy.to, moved, size, true, lane, op, warp, alignment);
    if (!target)
      return;
    addTransfers(operation, copy, target, source, size, registers, lane);
    const uint64_t object = addressIn(registers, copy.barrier.address, lane) & sharedOffsetMask;
    if (copy.barrier.isKnown)
      setCounted(warp, *warp.block->cluster[rank], object);
    reportRange(warp, op, copy.to, moved, size, true, lane);
    if (!copy.barrier.isKnown)
      continue;
    operation.completions.push_back({warp.block->cluster[rank], object, static_cast<uint32_t>(all)});
  }
  if (std::string problem = perform(operation, op, warp); !problem.empty())
    reportUndefined(warp, op, lane, std::move(problem));
}

void copyInBulk(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &copy = *static_cast<const BulkCopy *>(op.more);
  for (uint32_t left = mask; left && !warp.fault; left &= left - 1)
    copyOfLane(copy, static_cast<unsigned>(__builtin_ctz(left)), registers, op, warp);
}

} // namespace ptxray::machine
