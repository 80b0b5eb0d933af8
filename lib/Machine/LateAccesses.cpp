#include "Machine/LateAccesses.h"
#include "Machine/Access.h"
#include "Machine/Notify.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

/// Returns the access of a load, store or atomic operation. Returns null for operations that order accesses, and for
/// all other operations.
static const MemoryAccess *accessOf(const Op &op) {
  const MemoryAccess *access = nullptr;
  if (op.run == loadElements || op.run == storeElements)
    access = static_cast<const MemoryAccess *>(op.more);
  else if (op.run == accessAtomically)
    if (const auto &atomic = *static_cast<const AtomicAccess *>(op.more); atomic.writes.size() == 1)
      access = atomic.writes.data();
  return access && !access->acquires && !access->releases ? access : nullptr;
}

static llvm::ArrayRef<Op> opsOf(const FunctionCode &code, const CodeBlock &block) {
  return llvm::ArrayRef(code.ops).slice(block.first, block.end - block.first);
}

static void perform(Warp &warp, const LateAccess &late) {
  const Fragment now = std::exchange(warp.now, {0, late.mask, -1, late.frame});
  reportBefore(warp, late.frame->code, late.op->instruction, late.mask);
  execute(late.frame->registers, *late.op, late.mask, warp);
  reportExecuted(warp, late.frame->code, late.op->instruction, late.mask);
  warp.now = now;
}

template <class Which> static void performThose(Warp &warp, Which isOne) {
  for (size_t i = 0; i < warp.weak->late.size();) {
    const LateAccess late = warp.weak->late[i];
    if (!isOne(late)) {
      ++i;
      continue;
    }
    warp.weak->late.erase(warp.weak->late.begin() + static_cast<long>(i));
    perform(warp, late);
  }
}

bool waitsForLate(const Warp &warp, const FunctionCode &code, const CodeBlock &block) {
  const auto isOther = [](const Op &op) { return !op.isComputation && !accessOf(op); };
  const bool orders = block.way > Way::Jump || llvm::any_of(opsOf(code, block), isOther);
  const uint64_t turn = warp.block->grid->weak.turn;
  return llvm::any_of(warp.weak->late, [&](const LateAccess &one) {
    return one.due > turn && (orders || one.written & block.named || one.read & block.written);
  });
}

const Op *beforeBlock(Warp &warp, const FunctionCode &code, const CodeBlock &block) {
  constexpr uint32_t oneOfLate = 3;
  const uint64_t turn = warp.block->grid->weak.turn;
  performThose(warp, [turn](const LateAccess &one) { return one.due <= turn; });
  const llvm::ArrayRef<Op> ops = opsOf(code, block);
  const auto isPart = [&] { return ops.size() > 1 && ops[ops.size() - 2].instruction == ops.back().instruction; };
  if (block.way != Way::Next || ops.empty() || ops.back().run == storeElements || isPart())
    return nullptr;
  const MemoryAccess *access = accessOf(ops.back());
  const bool isPossible = access && (access->address.space == Space::Global || access->address.space == Space::Generic);
  return isPossible && warp.block->grid->timing.choose(oneOfLate) == 0 ? &ops.back() : nullptr;
}

void makeLate(Warp &warp, const FunctionCode &code, const Op &op) {
  constexpr uint32_t mostTurns = 24;
  Frame &frame = *warp.now.frame;
  LateAccess late{&op, warp.now.mask, &frame, 0, 0, 0, ~uint64_t(0), 0};
  if (op.guard) {
    late.mask &= predicateAt(frame.registers, op.guard) ^ -uint32_t(op.isNot);
    observersOf(warp).notify(events::Guards, [&](Observer &one) { one.guards(warp, code, op.instruction, late.mask); });
  }
  if (!late.mask)
    return;
  const MemoryAccess &access = *accessOf(op);
  uint64_t at[warpSize];
  for (uint32_t left = late.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    at[lane] = addressIn(frame.registers, access.address, lane);
    late.begin = std::min(late.begin, at[lane]);
    late.end = std::max(late.end, at[lane] + access.bytes);
  }
  if (late.begin < globalBegin)
    return perform(warp, late);
  doOverlapping(warp, at, late.mask, access.bytes);
  const RegisterFlow flow = code.flow(op.instruction);
  if (op.run == accessAtomically && flow.sources.empty())
    late.read = code.blocks[warp.now.at].named;
  for (const Slot slot : flow.results)
    late.written |= filterOf(slot);
  for (const llvm::ArrayRef<Slot> list : {flow.sources, flow.addresses})
    for (const Slot slot : list)
      late.read |= filterOf(slot);
  late.due = warp.block->grid->weak.turn + 1 + warp.block->grid->timing.choose(mostTurns);
  warp.weak->late.push_back(late);
}

void doOverlapping(Warp &warp, const uint64_t *at, uint32_t mask, uint32_t bytes) {
  performThose(warp, [&](const LateAccess &one) {
    for (uint32_t left = mask; left; left &= left - 1)
      if (const uint64_t address = at[__builtin_ctz(left)]; address < one.end && one.begin < address + bytes)
        return true;
    return false;
  });
}

} // namespace ptxray::machine
