#include "Machine/BarrierObject.h"
#include "Machine/Notify.h"
#include <cstring>

namespace ptxray::machine {

namespace {

// Bit positions of the fields: pending arrivals (at 0), expected arrivals, bytes, a mark, the phase.
constexpr unsigned expectedAt = 20, bytesAt = 40, markAt = 61, phaseAt = 63;
constexpr uint64_t countMask = mostArrivals, bytesMask = (1 << 21) - 1, mark = 2;

constexpr const char *noObject = "a barrier object that was not initialised, or was overwritten";

} // namespace

uint64_t BarrierObject::bits() const {
  return (pending & countMask) | (expected & countMask) << expectedAt |
         (static_cast<uint64_t>(static_cast<int64_t>(bytes)) & bytesMask) << bytesAt | mark << markAt |
         uint64_t(isOdd) << phaseAt;
}

std::optional<BarrierObject> readBarrier(uint64_t bits) {
  if ((bits >> markAt & 3) != mark)
    return std::nullopt;
  BarrierObject one;
  one.pending = bits & countMask;
  one.expected = bits >> expectedAt & countMask;
  one.bytes = static_cast<int32_t>(static_cast<uint32_t>(bits >> bytesAt & bytesMask) << 11) >> 11;
  one.isOdd = bits >> phaseAt;
  return one;
}

bool BarrierObject::advance() {
  if (pending || bytes)
    return false;
  pending = expected;
  isOdd = !isOdd;
  return true;
}

void refuse(Warp &warp, const Op &op, unsigned lane, std::string why) {
  if (Fault *fault = raise(warp, op.instruction, lane))
    fault->refusal = std::move(why);
}

void reportUndefined(Warp &warp, const Op &op, unsigned lane, std::string why) {
  Fault *fault = raise(warp, op.instruction, lane);
  if (!fault)
    return;
  if (why == noObject)
    fault->race.rule = DiagId::UninitialisedBarrier;
  fault->refusal = std::move(why);
  fault->kind = Fault::Kind::Undefined;
}

uint64_t numberIn(const char *registers, Place place, unsigned lane) {
  uint64_t value = 0;
  if (place.bits == 16)
    std::memcpy(&value, registers + place.slot + size_t(lane) * 2, 2);
  else if (place.bits)
    value = addressIn(registers, {place, 0}, lane);
  return value;
}

// ---- changes

static std::string changeBytes(BarrierObject &object, int64_t bytes) {
  const int64_t sum = object.bytes + bytes;
  if (sum > mostPendingBytes || sum < -mostPendingBytes)
    return "a barrier object that waits for more than " + std::to_string(mostPendingBytes) + " bytes";
  object.bytes = static_cast<int32_t>(sum);
  return "";
}

static std::string arriveAt(BarrierObject &object, uint32_t count, bool drops) {
  if (count > object.pending)
    return "more arrivals at a barrier object than it has pending";
  object.pending -= count;
  if (drops)
    object.expected -= std::min(count, object.expected);
  return "";
}

/// Modifies the object at `bytes`. `change` returns the problem, or an empty string.
template <class Change> static std::string change(BlockState &block, uint8_t *bytes, Change how) {
  uint64_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  std::optional<BarrierObject> object = readBarrier(bits);
  if (!object)
    return noObject;
  const int32_t before = object->bytes;
  std::string problem = how(*object);
  if (object->bytes != before)
    noteBytes(block, bytes, object->bytes - before);
  if (object->advance()) {
    ++block.events;
    endPhase(block, bytes);
  }
  bits = object->bits();
  std::memcpy(bytes, &bits, sizeof bits);
  return problem;
}

static std::string changeAt(BlockState &block, uint64_t offset, auto how) {
  if (offset % 8 || offset + 8 > block.shared.size())
    return "a barrier object outside of shared memory";
  return change(block, block.shared.data() + offset, how);
}

std::string completeBytes(BlockState &block, uint64_t offset, uint32_t bytes) {
  return changeAt(block, offset, [bytes](BarrierObject &object) { return changeBytes(object, -int64_t(bytes)); });
}
std::string arriveAt(BlockState &block, uint64_t offset, uint32_t count) {
  return changeAt(block, offset, [count](BarrierObject &object) { return arriveAt(object, count, false); });
}

void addArrival(uint8_t *object) {
  uint64_t bits;
  std::memcpy(&bits, object, sizeof bits);
  if (std::optional<BarrierObject> one = readBarrier(bits)) {
    ++one->pending;
    bits = one->bits();
    std::memcpy(object, &bits, sizeof bits);
  }
}

// ---- what lanes do

void setNumber(char *registers, Place result, unsigned lane, uint64_t value) {
  if (result.bits == 1) {
    uint32_t lanes;
    std::memcpy(&lanes, registers + result.slot, 4);
    lanes = (lanes & ~(1u << lane)) | uint32_t(value & 1) << lane;
    std::memcpy(registers + result.slot, &lanes, 4);
  } else if (result.bits)
    std::memcpy(registers + result.slot + size_t(lane) * (result.bits / 8), &value, result.bits / 8);
}

static void waitInVain(Warp &warp, const Op &op, unsigned lane, const uint8_t *object) {
  const bool isFirst = !warp.waitsInVain;
  VainWait wait{op.instruction, (warp.waitsInVain ? warp.waitsInVain->lanes : 0) | 1u << lane};
  for (BlockState *block : warp.block->cluster)
    if (object >= block->shared.data() && object < block->shared.data() + block->shared.size()) {
      wait.block = block;
      wait.offset = static_cast<uint64_t>(object - block->shared.data());
    }
  warp.waitsInVain = wait;
  observersOf(warp).notify(events::Blocks, [&](Observer &one) { one.asksInVain(warp, op, isFirst); });
}

static std::string await(const BarrierUse &use, const uint8_t *bytes, char *registers, uint32_t mask, unsigned lane,
                         Warp &warp, const Op &op) {
  uint64_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  const std::optional<BarrierObject> object = readBarrier(bits);
  if (!object)
    return noObject;
  const uint64_t phase = addressIn(registers, {use.phase, 0}, lane);
  const bool isComplete = object->isOdd != bool(use.isParity ? phase & 1 : phase >> phaseAt);
  setNumber(registers, use.result, lane, isComplete);
  if (isComplete) {
    const uint32_t lanes = warp.alive & ~mask ? 1u << lane : warp.alive;
    observersOf(warp).notify(events::Blocks | events::Order,
                             [&](Observer &one) { one.seesPhase(warp, lanes, bytes, use.isRelaxed); });
  } else
    waitInVain(warp, op, lane, bytes);
  return "";
}

/// Applies the use to the object at `bytes` in the shared memory of the block. Returns the problem, or an empty string.
static std::string useAt(const BarrierUse &use, BlockState &block, uint8_t *bytes, char *registers, unsigned lane) {
  using enum BarrierUse::What;
  const uint32_t amount =
      use.amount.bits ? static_cast<uint32_t>(addressIn(registers, {use.amount, 0}, lane)) : use.number;
  switch (use.what) {
  case Init: {
    if (!amount || amount > mostArrivals)
      return "a barrier object for " + std::to_string(amount) + " arrivals";
    const uint64_t bits = BarrierObject{amount, amount, 0, false}.bits();
    std::memcpy(bytes, &bits, sizeof bits);
    return "";
  }
  case Invalidate: {
    uint64_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    std::memset(bytes, 0, sizeof bits);
    return readBarrier(bits) ? "" : noObject;
  }
  case Expect: return change(block, bytes, [&](BarrierObject &object) { return changeBytes(object, amount); });
  case Complete:
    return change(block, bytes, [&](BarrierObject &object) { return changeBytes(object, -int64_t(amount)); });
  default:
    return change(block, bytes, [&](BarrierObject &object) {
      setNumber(registers, use.result, lane, object.bits());
      return arriveAt(object, amount, use.drops);
    });
  }
}

/// Reports the order that an arrival or a wait establishes.
static void reportUse(const BarrierUse &use, const Op &op, uint32_t mask, unsigned lane, const uint8_t *object,
                      Warp &warp) {
  using enum BarrierUse::What;
  const ObjectUse how = use.what == Init         ? ObjectUse::Make
                        : use.what == Invalidate ? ObjectUse::Invalidate
                                                 : ObjectUse::Use;
  observersOf(warp).notify(events::Order, [&](Observer &one) {
    one.objects(warp, op, how, object, lane);
    if (use.what == Init)
      return;
    if (use.what != Await)
      one.contributes(warp, warp.now.frame->code.instruction(op.instruction), object);
    if (use.what == Arrive || use.what == Complete)
      one.releases(warp, mask, reinterpret_cast<uintptr_t>(object), use.isRelaxed ? Release::Fenced : Release::All);
  });
}

void useBarrier(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  settleAll(warp);
  const auto &use = *static_cast<const BarrierUse *>(op.more);
  for (uint32_t left = mask; left && !warp.fault; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const uint64_t address = addressIn(registers, use.object, lane);
    // Hardware treats an invalid generic address as an address in shared memory, and uses its low bits.
    const bool isShort = use.object.space == Space::Generic && address < windowBytes;
    const Lookup found = look(warp, isShort ? Space::Shared : use.object.space, address, 8, lane, true);
    if (!found.bytes || address % 8) {
      report(warp, op, found.bytes ? AccessFault::Misaligned : found.fault, use.object, address, 8, true, lane);
      return;
    }
    BlockState &block = *warp.block;
    std::string problem;
    if (warp.doer.stage != Stage::End)
      reportUse(use, op, mask, lane, found.bytes, warp);
    if (warp.doer.stage == Stage::Begin)
      continue;
    if (use.what == BarrierUse::What::Await)
      problem = await(use, found.bytes, registers, mask, lane, warp, op);
    else if (!use.blocks.bits)
      problem = useAt(use, block, found.bytes, registers, lane);
    else {
      const uint64_t blocks = numberIn(registers, use.blocks, lane), offset = address & sharedOffsetMask;
      for (BlockState *other : block.cluster)
        if (other->rank < 64 && blocks >> other->rank & 1 && problem.empty())
          problem = useAt(use, *other, other->shared.data() + offset, registers, lane);
    }
    if (!problem.empty())
      reportUndefined(warp, op, lane, std::move(problem));
  }
}

void countPending(char *registers, const Op &op, uint32_t mask, Warp &) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t state;
    std::memcpy(&state, registers + op.a + 8 * size_t(lane), 8);
    const auto pending = static_cast<uint32_t>(state & countMask);
    std::memcpy(registers + op.d + 4 * size_t(lane), &pending, 4);
  }
}

} // namespace ptxray::machine
