#include "Operate/Exactly.h"
#include "Numbers/Approximation.h"
#include "Semantics/Operators.h"
#include <cstring>

namespace ptxray::machine {

using isa::StepOp;

static unsigned bytesOf(const ElementType &type) { return type.bits <= 16 ? 2 : type.bits / 8; }

static numbers::Number joinedBy(StepOp op, const std::array<numbers::Number, 3> &n, size_t count) {
  switch (op) {
  case StepOp::Add: return count == 3 ? numbers::fused(n[0], n[1], n[2]) : numbers::sum(n[0], n[1]);
  case StepOp::Subtract: return numbers::sum(n[0], numbers::negative(n[1]));
  case StepOp::Multiply: return numbers::product(n[0], n[1]);
  case StepOp::Divide: return numbers::quotient(n[0], n[1]);
  case StepOp::SquareRoot: return numbers::squareRoot(n[0]);
  case StepOp::Reciprocal: return numbers::quotient(numbers::Number::scaled(false, 1, 0), n[0]);
  default: return n[0];
  }
}

bool ExactWork::isSame(const ExactWork &other) const {
  for (size_t i = 0; i < constants.size(); ++i)
    if (constants[i] || other.constants[i])
      return false;
  return op == other.op && count == other.count && types == other.types && format == other.format &&
         integer == other.integer && rounding == other.rounding && flushes == other.flushes;
}

void computeExactly(char *registers, const Op &op, uint32_t mask, Warp & /*warp*/) {
  const auto &work = *static_cast<const ExactWork *>(op.more);
  const Slot slots[] = {op.a, op.b, op.c};
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    std::array<numbers::Number, 3> args;
    for (size_t i = 0; i < work.count; ++i) {
      Bits bits = 0;
      if (!work.constants[i])
        std::memcpy(&bits, registers + slots[i] + size_t(lane) * bytesOf(work.types[i]), bytesOf(work.types[i]));
      args[i] = work.constants[i] ? work.constants[i]->asNumber() : readElement(bits, work.types[i]).asNumber();
    }
    const numbers::Number number = joinedBy(work.op, args, work.count);
    const numbers::Storing how{.rounding = work.rounding, .flush = work.flushes};
    const Bits bits =
        work.format ? Bits(numbers::store(number, *work.format, how)) : storeElement(Value::real(number), work.integer);
    const unsigned width = work.format ? work.format->width() : work.integer.bits;
    const unsigned bytes = width <= 16 ? 2 : width / 8;
    std::memcpy(registers + op.d + size_t(lane) * bytes, &bits, bytes);
  }
}

void approximate(char *registers, const Op &op, uint32_t mask, Warp & /*warp*/) {
  const auto &work = *static_cast<const ApproximateWork *>(op.more);
  const unsigned bytes = work.step.type.bits / 8;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    std::array<Bits, 2> codes = {};
    std::memcpy(codes.data(), registers + op.a + size_t(lane) * bytes, bytes);
    if (op.b != noSlot)
      std::memcpy(&codes[1], registers + op.b + size_t(lane) * bytes, bytes);
    const Bits bits = approximated(work.step, codes, work.flushes, work.isFull).value_or(0);
    std::memcpy(registers + op.d + size_t(lane) * bytes, &bits, bytes);
  }
}

template <uint32_t (*Function)(uint32_t, bool)>
static void approximateEach(char *registers, const Op &op, uint32_t mask, Warp & /*warp*/) {
  uint32_t *const d = lanesOf<uint32_t>(registers, op.d);
  const uint32_t *const a = lanesOf<uint32_t>(registers, op.a);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (mask >> lane & 1)
      d[lane] = Function(a[lane], op.number != 0);
}
template <bool IsFull> static void divideEach(char *registers, const Op &op, uint32_t mask, Warp & /*warp*/) {
  uint32_t *const d = lanesOf<uint32_t>(registers, op.d);
  const uint32_t *const a = lanesOf<uint32_t>(registers, op.a), *const b = lanesOf<uint32_t>(registers, op.b);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (mask >> lane & 1)
      d[lane] = numbers::quotientApprox(a[lane], b[lane], op.number != 0, IsFull);
}

Handler approximationOf(StepOp step, bool isFull) {
  switch (step) {
  case StepOp::Divide: return isFull ? divideEach<true> : divideEach<false>;
  case StepOp::SquareRoot: return approximateEach<numbers::rootApprox>;
  case StepOp::Reciprocal: return approximateEach<numbers::reciprocalApprox>;
  case StepOp::ReciprocalRoot: return approximateEach<numbers::inverseRootApprox>;
  case StepOp::Sine: return approximateEach<numbers::sineApprox>;
  case StepOp::Cosine: return approximateEach<numbers::cosineApprox>;
  case StepOp::Logarithm2: return approximateEach<numbers::logarithmApprox>;
  case StepOp::Power2: return approximateEach<numbers::exponentialApprox>;
  default: return nullptr;
  }
}

} // namespace ptxray::machine
