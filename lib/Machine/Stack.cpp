#include "Machine/Stack.h"
#include "Machine/BarrierObject.h"
#include "Machine/Grid.h"
#include "Machine/LocalLimit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray::machine {

namespace {

/// Payload of an operation on the stack.
struct StackUse {
  Place result, number;
  uint32_t alignment = 8;
};

std::vector<uint32_t> &pointersOf(Frame &frame) {
  if (frame.stack.empty())
    frame.stack.assign(warpSize, frame.base + static_cast<uint32_t>(frame.code.frameBytes));
  return frame.stack;
}

template <class Do> void eachLane(uint32_t mask, Do act) {
  for (uint32_t left = mask; left; left &= left - 1)
    act(static_cast<unsigned>(__builtin_ctz(left)));
}

void read(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &use = *static_cast<const StackUse *>(op.more);
  eachLane(mask, [&](unsigned lane) { setNumber(registers, use.result, lane, stackOf(*warp.now.frame, lane)); });
}

void set(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &use = *static_cast<const StackUse *>(op.more);
  Frame &frame = *warp.now.frame;
  eachLane(mask, [&](unsigned lane) {
    const uint64_t to = numberIn(registers, use.number, lane);
    if (to < frame.base + frame.code.frameBytes || to > stackOf(frame, lane))
      return reportUndefined(warp, op, lane,
                             "a stack pointer that `stacksave` did not return, or that is no longer valid");
    pointersOf(frame)[lane] = static_cast<uint32_t>(to);
  });
}

void take(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &use = *static_cast<const StackUse *>(op.more);
  Frame &frame = *warp.now.frame;
  eachLane(mask, [&](unsigned lane) {
    const uint64_t begin = llvm::alignTo(stackOf(frame, lane), use.alignment);
    const uint64_t bytes = numberIn(registers, use.number, lane);
    if (begin > mostLocal || bytes > mostLocal - begin)
      return refuse(warp, op, lane, "a stack of more than " + std::to_string(mostLocal) + " bytes");
    pointersOf(frame)[lane] = static_cast<uint32_t>(begin + bytes);
    growLocal(warp, begin + bytes);
    observersOf(warp).notify(events::Frames, [&](Observer &one) { one.growsStack(warp, lane, begin, bytes); });
    setNumber(registers, use.result, lane, begin);
  });
}

} // namespace

uint32_t stackOf(const Frame &frame, unsigned lane) {
  return frame.stack.empty() ? frame.base + static_cast<uint32_t>(frame.code.frameBytes) : frame.stack[lane];
}

uint32_t endOf(const Frame &frame) { return frame.stack.empty() ? stackOf(frame, 0) : *llvm::max_element(frame.stack); }

bool readStack(const Lowered &one, BodyLowering &lowering) {
  lowering.emit(read, StackUse{lowering.placeAt(one, "d", 64), {}});
  return true;
}

bool setStack(const Lowered &one, BodyLowering &lowering) {
  lowering.emit(set, StackUse{{}, lowering.placeAt(one, "a", 64)});
  return true;
}

bool takeStack(const Lowered &one, BodyLowering &lowering) {
  StackUse use{lowering.placeAt(one, "ptr", 64), lowering.placeAt(one, "size", 64)};
  if (const int node = one.node("immAlign"); node >= 0)
    use.alignment = static_cast<uint32_t>(one.nodes[node].value);
  lowering.emit(take, use);
  return true;
}

} // namespace ptxray::machine
