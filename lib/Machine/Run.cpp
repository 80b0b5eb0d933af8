#include "Machine/Run.h"
#include "Machine/Access.h"
#include "Machine/Joins.h"
#include "Machine/LateAccesses.h"
#include "Machine/LocalLimit.h"
#include "Machine/Notify.h"
#include "Machine/Provided.h"
#include "Machine/Together.h"
#include "Machine/Undefined.h"
#include "Machine/Wide.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray::machine {

/// Returns the number of set bits. Avoids an instruction that the compiler may not be allowed to use.
static unsigned countOf(uint32_t mask) {
  if (mask == allLanes)
    return warpSize;
  mask -= mask >> 1 & 0x55555555;
  mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

// ---- lanes part and meet

/// Removes lanes that exit from the warp.
static void endLanes(Warp &warp, uint32_t mask) {
  missMeeting(warp, mask, nullptr);
  warp.alive &= ~mask;
  warp.now.mask &= ~mask;
  if (!warp.alive) {
    --warp.block->warpsAlive;
    WeakView::end(std::move(warp.weak));
  }
  for (Join &join : warp.others.joins) {
    join.expected &= ~mask;
    join.arrived &= ~mask;
  }
  ++warp.block->events;
  if (!warp.others.joins.empty())
    settle(warp);
  checkBarriers(*warp.block);
}

static bool pickReady(Warp &warp) {
  if (warp.others.hasLeftJoins)
    settle(warp);
  if (warp.others.ready.empty())
    return false;
  warp.now = warp.others.ready.front();
  if (warp.others.ready.size() == 1)
    warp.others.ready.pop_back();
  else
    warp.others.ready.erase(warp.others.ready.begin());
  return true;
}

// ---- ways out of a block of code

/// Diverges: `leaving` lanes jump, and the others continue with the next block. Returns the fragment that jumps.
static Fragment part(Warp &warp, const CodeBlock &block, uint32_t leaving) {
  Fragment &now = warp.now;
  Fragment other{block.target, leaving, now.join, now.frame};
  if (leaving != now.mask && block.join != nowhere)
    now.join = other.join = pushJoin(warp, block.join, now.mask);
  now.mask &= ~leaving;
  ++now.at;
  return other;
}

static void jump(Warp &warp, const CodeBlock &block, uint32_t leaving) {
  if (leaving == warp.now.mask) {
    warp.now.at = block.target;
    return;
  }
  observersOf(warp).notify(events::Blocks,
                           [&](Observer &one) { one.parts(warp, warp.now.frame->code, block.instruction); });
  const Fragment other = part(warp, block, leaving);
  warp.others.ready.push_back(other);
}

static void jumpByTable(Warp &warp, const CodeBlock &block, uint32_t leaving) {
  const auto &table = *static_cast<const JumpTable *>(block.more);
  if (isBeyondTable(warp, block.instruction, table, leaving))
    return;
  const char *registers = warp.now.frame->registers;
  Fragment all = warp.now;
  if (block.join != nowhere)
    all.join = pushJoin(warp, block.join, warp.now.mask);
  std::map<uint32_t, uint32_t> ways;
  for (uint32_t left = leaving; left; left &= left - 1) {
    const uint64_t index = addressIn(registers, {table.index, 0}, __builtin_ctz(left));
    ways[table.targets[index]] |= left & -left;
  }
  if (leaving != warp.now.mask)
    ways[warp.now.at + 1] |= warp.now.mask & ~leaving;
  bool isFirst = true;
  for (const auto &[target, mask] : ways) {
    const Fragment one{target, mask, all.join, all.frame};
    if (isFirst)
      warp.now = one;
    else
      warp.others.ready.push_back(one);
    isFirst = false;
  }
}

static void refuse(Warp &warp, uint32_t instruction, std::string why) {
  if (Fault *fault = raise(warp, instruction))
    fault->refusal = std::move(why);
}

/// Returns the function that the lanes call. If there are several, limits `mask` to the lanes that call the first one.
static const FunctionCode *calleeOf(Warp &warp, const CallSite &site, uint32_t &mask) {
  if (site.callee)
    return site.callee;
  const auto &known = warp.block->grid->program.byAddress;
  const char *registers = warp.now.frame->registers;
  const uint64_t first = addressIn(registers, {site.address, 0}, __builtin_ctz(mask));
  for (uint32_t left = mask; left; left &= left - 1)
    if (addressIn(registers, {site.address, 0}, __builtin_ctz(left)) != first)
      mask &= ~(left & -left);
  const auto found = known.find(first);
  return found == known.end() ? nullptr : found->second;
}

static void call(Warp &warp, const CodeBlock &block, uint32_t calling) {
  const auto &site = *static_cast<const CallSite *>(block.more);
  Fragment &now = warp.now;
  if (!site.provided.empty()) {
    if (!callProvided(warp, site, calling, block.instruction))
      refuse(warp, block.instruction, "the function `" + site.provided + "`, whose source is not available");
    ++now.at;
    return;
  }
  const uint32_t all = now.mask, wanting = calling;
  const FunctionCode *callee = calleeOf(warp, site, calling);
  if (!callee)
    return refuse(warp, block.instruction, "a call to an address without a function");
  if (endOf(*now.frame) + callee->frameBytes > mostLocal || warp.frames.size() > 4096)
    return refuse(warp, block.instruction, "calls that are nested too deep");
  if (differsFromCallee(warp, block.instruction, site, *callee, static_cast<unsigned>(__builtin_ctz(calling))))
    return;
  // All lanes reconverge after the call. Lanes that call a different function execute the call again.
  const int join = pushJoin(warp, now.at + 1, all);
  for (const auto &[at, mask] : {std::pair(now.at, wanting & ~calling), std::pair(now.at + 1, all & ~wanting)})
    if (mask)
      warp.others.ready.push_back({at, mask, join, now.frame});
  Frame &frame = enter(warp, *callee, now.frame, calling);
  frame.site = &site;
  for (const auto &[argument, parameter] : llvm::zip(site.arguments, callee->parameters))
    copyPassed(warp, argument, *now.frame, parameter, frame, calling);
  warp.now = {0, calling, join, &frame};
}

static bool isUsed(const Warp &warp, const Frame *frame) {
  const auto uses = [frame](const Frame *one) {
    for (; one; one = one->caller)
      if (one == frame)
        return true;
    return false;
  };
  return uses(warp.now.frame) ||
         llvm::any_of(warp.others.ready, [&](const Fragment &one) { return uses(one.frame); }) ||
         llvm::any_of(warp.others.parted, [&](const Fragment &one) { return uses(one.frame); }) ||
         llvm::any_of(warp.others.joins,
                      [&](const Join &one) { return (one.expected || one.arrived) && uses(one.frame); }) ||
         warp.atBarrier;
}

static void returnFrom(Warp &warp, uint32_t returning) {
  Frame *frame = warp.now.frame;
  if (!frame->caller) // the thread exits with its kernel
    return endLanes(warp, returning);
  for (const auto &[result, to] : llvm::zip(frame->code.results, frame->site->results))
    copyPassed(warp, result, *frame, to, *frame->caller, returning);
  // The join of the call is the innermost one in the caller's frame.
  int join = warp.now.join;
  while (join >= 0 && warp.others.joins[join].frame == frame)
    join = warp.others.joins[join].parent;
  leaveJoins(warp, returning, warp.now.join, join);
  Fragment back{warp.others.joins[join].at, returning, join, frame->caller};
  const uint32_t rest = warp.now.mask & ~returning;
  if (rest) {
    warp.others.ready.push_back(back);
    warp.now.mask = rest;
    ++warp.now.at;
  } else
    warp.now = back;
  settle(warp);
  while (!warp.frames.empty() && !isUsed(warp, &warp.frames.back()))
    warp.frames.pop_back();
}

static uint32_t leavingLanes(Warp &warp, const CodeBlock &block) {
  if (!block.guard)
    return warp.now.mask;
  if (warp.now.frame->followed)
    observersOf(warp).notify(events::Registers,
                             [&](Observer &one) { one.branches(warp, block.instruction, block.guard, warp.now.mask); });
  return (predicateAt(warp.now.frame->registers, block.guard) ^ -uint32_t(block.isNot)) & warp.now.mask;
}

static void trap(Warp &warp, const CodeBlock &block) {
  if (Fault *fault = raise(warp, block.instruction, static_cast<unsigned>(__builtin_ctz(leavingLanes(warp, block)))))
    fault->kind = Fault::Kind::Trap;
}

/// Returns false if the threads for which a barrier waits are not whole warps.
static bool waitsForWarps(Warp &warp, const CodeBlock &block, const BarrierSite &site, uint32_t leaving) {
  const auto lane = static_cast<unsigned>(__builtin_ctz(leaving));
  const uint64_t threads = site.threads.bits ? addressIn(warp.now.frame->registers, {site.threads, 0}, lane) : 0;
  constexpr uint64_t mostThreads = 1024;
  if (threads % warpSize == 0 && threads <= mostThreads)
    return true;
  if (Fault *fault = raise(warp, block.instruction, lane)) {
    fault->kind = Fault::Kind::Undefined;
    fault->refusal = "a barrier of " + std::to_string(threads) + " threads, not a multiple of 32 up to 1024";
    fault->isIllegal = true;
  }
  return false;
}

static void meetAtBarrier(Warp &warp, const CodeBlock &block, uint32_t leaving) {
  const auto &site = *static_cast<const BarrierSite *>(block.more);
  if (isNoBarrier(warp, block.instruction, site, leaving) || !waitsForWarps(warp, block, site, leaving))
    return;
  Fragment next = warp.now;
  next.mask = leaving;
  ++next.at;
  if (site.waits)
    warp.now.mask &= ~leaving;
  ++warp.now.at;
  if (site.isAligned && (warp.others.meeting || leaving != warp.alive) && warp.block->grid->launch.checks)
    noteMeeting(warp, next.frame->code, block.instruction, leaving);
  arrive(warp, next, site, leaving);
  if (site.waits && warp.atBarrier & leaving)
    observersOf(warp).notify(events::Blocks,
                             [&](Observer &one) { one.waits(warp, next.frame->code, block.instruction); });
}

/// Reports the instruction that ends a code block.
static void reportControl(Warp &warp, uint32_t instruction, uint32_t leaving) {
  const FunctionCode &code = warp.now.frame->code;
  const Observers &observers = observersOf(warp);
  if (warp.isFollowed && leaving)
    observers.notify(events::Instructions, [&](Observer &one) { one.executed(warp, code, instruction, leaving); });
  observers.notify(events::Guards, [&](Observer &one) { one.guards(warp, code, instruction, leaving); });
}

static void leave(Warp &warp, const CodeBlock &block) {
  if (block.way == Way::Together)
    return together(warp, block);
  const uint32_t leaving = leavingLanes(warp, block);
  if (leaving && block.way != Way::Next && warp.now.frame->followed)
    observersOf(warp).notify(events::Registers,
                             [&](Observer &one) { one.leaves(warp, warp.now.frame->code, block, leaving); });
  if (block.way == Way::Next || (!leaving && warp.isPlain)) {
    ++warp.now.at;
    return;
  }
  if (block.instructions && !warp.isPlain) // otherwise, the end of the source
    reportControl(warp, block.instruction, leaving);
  if (!leaving) {
    ++warp.now.at;
    return;
  }
  switch (block.way) {
  case Way::Jump: return jump(warp, block, leaving);
  case Way::Table: return jumpByTable(warp, block, leaving);
  case Way::Call: return call(warp, block, leaving);
  case Way::Return: {
    const Frame *frame = warp.now.frame;
    returnFrom(warp, leaving);
    if (!frame->caller)
      ++warp.now.at;
    return;
  }
  case Way::Exit:
    endLanes(warp, leaving);
    ++warp.now.at;
    return;
  case Way::Trap: return trap(warp, block);
  case Way::Barrier: return meetAtBarrier(warp, block, leaving);
  default: ++warp.now.at;
  }
}

/// Executes operations and reports each instruction. The start of the first instruction is already reported.
static void executeSlowly(Warp &warp, const FunctionCode &code, uint32_t instruction, const Op *op, const Op *end) {
  const uint32_t all = warp.now.mask;
  char *registers = warp.now.frame->registers;
  const Observers &observers = observersOf(warp);
  uint32_t executed = 0; // lanes that have executed part of the instruction
  uint32_t skipped = noInstruction;
  for (; op != end && !warp.fault; ++op) {
    uint32_t mask = all;
    if (op->guard)
      mask &= predicateAt(registers, op->guard) ^ -uint32_t(op->isNot);
    if (!mask) {
      if (warp.now.frame->followed & filterOf(op->guard) && op->instruction != std::exchange(skipped, op->instruction))
        observers.notify(events::Registers, [&](Observer &one) { one.skips(warp, code, op->instruction); });
      continue;
    }
    if (op->instruction != instruction) {
      reportExecuted(warp, code, instruction, std::exchange(executed, 0));
      instruction = op->instruction;
      reportBefore(warp, code, instruction, mask);
      observers.notify(events::Guards, [&](Observer &one) { one.guards(warp, code, instruction, mask); });
    }
    execute(registers, *op, mask, warp);
    executed |= mask;
  }
  reportExecuted(warp, code, instruction, executed);
}

/// Executes one instruction after another, until an observer stops the launch.
static void executeUntilStop(Warp &warp, const FunctionCode &code, const CodeBlock &block, const Op *op,
                             const Op *end) {
  GridState &grid = *warp.block->grid;
  for (uint32_t i = 0; i < block.instructions; ++i) {
    const uint32_t number = block.firstInstruction + i;
    if (warp.fault)
      return;
    grid.isStopped =
        grid.observers->any(events::Blocks, [&](Observer &one) { return one.stopsBefore(warp, code, number); });
    if (grid.isStopped)
      return;
    const Op *next = op;
    while (next != end && (next->instruction <= number || i + 1 == block.instructions))
      ++next;
    executeSlowly(warp, code, noInstruction, op, next);
    op = next;
  }
}

/// Executes operations of a code block without reports, until one writes a register that the block uses and an observer
/// follows. Returns the first operation that was not executed.
static PTXRAY_INLINE const Op *executePlainly(Warp &warp, const CodeBlock &block, const Op *op, const Op *end) {
  const Frame &frame = *warp.now.frame;
  char *const registers = frame.registers;
  const uint32_t all = warp.now.mask;
  const SlotFilter named = block.named;
  if (!block.isGuarded) {
    for (; op != end; ++op) {
      execute(registers, *op, all, warp);
      if (frame.followed & named)
        return op + 1;
    }
    return end;
  }
  for (; op != end; ++op) {
    uint32_t mask = all;
    if (op->guard) {
      mask &= predicateAt(registers, op->guard) ^ -uint32_t(op->isNot);
      if (!mask)
        continue;
    }
    execute(registers, *op, mask, warp);
    if (frame.followed & named)
      return op + 1;
  }
  return end;
}

/// Executes operations, and reports the lanes for which guards are true.
static void executeGuarded(Warp &warp, const FunctionCode &code, const Op *op, const Op *end) {
  const Frame &frame = *warp.now.frame;
  for (const Op *const first = op; op != end; ++op) {
    uint32_t mask = warp.now.mask;
    if (op->guard) {
      mask &= predicateAt(frame.registers, op->guard) ^ -uint32_t(op->isNot);
      if (op == first || op[-1].instruction != op->instruction)
        observersOf(warp).notify(events::Guards, [&](Observer &one) { one.guards(warp, code, op->instruction, mask); });
      if (!mask)
        continue;
    }
    execute(frame.registers, *op, mask, warp);
    if (frame.followed)
      return executeSlowly(warp, code, op->instruction, op + 1, end);
  }
}

/// Executes a code block for which observers need only events about followed registers.
static void executeQuickly(Warp &warp, const FunctionCode &code, const CodeBlock &block, const Op *op, const Op *end) {
  uint32_t followed = noInstruction;
  if (!(warp.now.frame->followed & block.named)) {
    op = executePlainly(warp, block, op, end);
    if (op == end)
      return;
    followed = op[-1].instruction;
  }
  executeSlowly(warp, code, followed, op, end);
}

/// Executes a code block, and reports the events that observers need.
static void executeObserved(Warp &warp, const FunctionCode &code, const CodeBlock &block, const Op *op, const Op *end) {
  const Observers &observers = observersOf(warp);
  observers.notify(events::Blocks, [&](Observer &one) { one.enterCode(warp, code, block); });
  if (observers.any(events::Blocks, [&](Observer &one) { return one.steps(warp, code, block); }))
    return executeUntilStop(warp, code, block, op, end);
  if (warp.now.frame->followed || warp.isFollowed)
    return executeSlowly(warp, code, noInstruction, op, end);
  if (!observers.want(events::Guards))
    return executeQuickly(warp, code, block, op, end);
  executeGuarded(warp, code, op, end);
}

static void executeBlock(Warp &warp, const FunctionCode &code, const CodeBlock &block) {
  const Op *op = code.ops.data() + block.first, *const end = code.ops.data() + block.end;
  if (warp.isPlain)
    return executeQuickly(warp, code, block, op, end);
  const Op *late = warp.weak ? beforeBlock(warp, code, block) : nullptr;
  executeObserved(warp, code, block, op, late ? late : end);
  if (late && !warp.fault && !warp.block->grid->isStopped)
    makeLate(warp, code, *late);
}

/// Executes operations that only compute.
static PTXRAY_INLINE void compute(Warp &warp, char *registers, const Op *op, const Op *end, uint32_t mask) {
  if (mask != allLanes)
    for (; op != end; ++op)
      execute(registers, *op, mask, warp);
  for (; op != end; ++op)
    op->run(registers, *op, op->whole, warp);
}

/// Executes a fork: lanes diverge, compute in at most one code block each, and reconverge. Returns whether that was
/// possible.
static PTXRAY_INLINE bool computeFork(Warp &warp, const Frame &frame, const CodeBlock &block, uint32_t mask,
                                      uint32_t leaving) {
  const FunctionCode &code = frame.code;
  const CodeBlock &next = *(&block + 1), &target = code.blocks[block.target], *const join = &code.blocks[block.join];
  if (frame.followed & (next.named | target.named)) // followed registers are used on one of the paths, or at the join
    return false;
  const auto computeSide = [&](const CodeBlock &side, uint32_t lanes) {
    if (&side == join)
      return;
    compute(warp, frame.registers, code.ops.data() + side.first, code.ops.data() + side.end, lanes);
    warp.laneInstructions += uint64_t(side.instructions) * countOf(lanes);
  };
  computeSide(next, mask & ~leaving);
  computeSide(target, leaving);
  return true;
}

/// Maximum number of computing code blocks that diverged lanes execute instead of one. Other lanes do not wait for
/// their results.
static constexpr int64_t computations = 64;

/// Returns whether all lanes of the warp have reached an instruction that they execute together.
static PTXRAY_INLINE bool areTogether(const Warp &warp, const CodeBlock &block) {
  return block.way == Way::Together && !block.more && warp.now.mask == warp.alive && !warp.others.meeting;
}

/// Executes code blocks one after another, as long as no lane waits for another one. The lanes must be allowed to
/// execute the first block. Returns the number of `blocks` that are left.
static uint32_t runPlainly(Warp &warp, uint32_t blocks) {
  const Frame &frame = *warp.now.frame;
  char *const registers = frame.registers;
  const Op *const ops = frame.code.ops.data();
  const CodeBlock *const all = frame.code.blocks.data(), *block = all + warp.now.at, *awaited = awaitedBlock(warp);
  int64_t left = int64_t(blocks) * computations;
  uint64_t instructions = 0;
  uint32_t mask = warp.now.mask;
  const auto blocksLeft = [&] {
    return static_cast<uint32_t>(llvm::divideCeil(std::max<int64_t>(left, 0), computations));
  };
  const auto tellWarp = [&] {
    warp.now.at = static_cast<uint32_t>(block - all);
    warp.laneInstructions += std::exchange(instructions, 0) * countOf(mask);
  };
  do {
    const Op *op = ops + block->first, *const end = ops + block->end;
    instructions += block->instructions;
    if (block->isComputation) {
      compute(warp, registers, op, end, mask);
      left -= mask == warp.alive ? computations : 1;
    } else {
      op = executePlainly(warp, *block, op, end);
      left -= computations;
      if (op != end)
        executeSlowly(warp, frame.code, op[-1].instruction, op, end);
      if (warp.fault || warp.waitsInVain || frame.followed & block->named ||
          (block->way > Way::Jump && !areTogether(warp, *block))) {
        tellWarp();
        if (!warp.fault)
          leave(warp, *block);
        return blocksLeft();
      }
    }
    const CodeBlock *next = block + 1;
    if (block->way == Way::Jump) {
      uint32_t leaving = mask;
      if (block->guard)
        leaving &= predicateAt(registers, block->guard) ^ -uint32_t(block->isNot);
      if (leaving == mask)
        next = all + block->target;
      else if (leaving && block->isFork && computeFork(warp, frame, *block, mask, leaving))
        next = all + block->join;
      else if (leaving) {
        tellWarp();
        if (!partAtJoin(warp, *block, leaving)) {
          jump(warp, *block, leaving);
          return blocksLeft();
        }
        next = all + warp.now.at;
        mask = warp.now.mask;
        awaited = awaitedBlock(warp);
      }
    }
    block = next;
  } while (left > 0 && !(frame.followed & block->named) && block != awaited);
  tellWarp();
  return blocksLeft();
}

void run(Warp &warp, uint32_t blocks) {
  warp.waitsInVain.reset();
  while (blocks && !warp.fault && !warp.waitsInVain) {
    const bool areAllWaiting = warp.atBarrier == warp.alive;
    if (!warp.now.mask && (areAllWaiting || (!pickReady(warp) && !releaseParted(warp) && !release(warp))))
      return;
    if (!warp.now.mask) {
      --blocks;
      continue;
    }
    const FunctionCode &code = warp.now.frame->code;
    const CodeBlock &block = code.blocks[warp.now.at];
    if (block.isJoin && !arriveAtJoins(warp)) {
      --blocks;
      continue;
    }
    if (warp.isPlain && !(warp.now.frame->followed & block.named)) {
      blocks = runPlainly(warp, blocks);
      continue;
    }
    if (warp.weak && !warp.weak->late.empty() && waitsForLate(warp, code, block))
      break;
    --blocks;
    warp.laneInstructions += uint64_t(block.instructions) * countOf(warp.now.mask);
    executeBlock(warp, code, block);
    if (warp.block->grid->isStopped)
      return;
    if (!warp.fault)
      leave(warp, block);
    if (warp.fault)
      observersOf(warp).notify(events::Blocks, [&](Observer &one) { one.faults(warp, block); });
  }
  if (warp.now.mask && warp.now.mask != warp.alive) { // other lanes of the warp run next
    warp.others.ready.push_back(warp.now);
    warp.now.mask = 0;
    if (warp.others.ready.size() == 1) // the other lanes wait for these lanes, which may hold a lock
      release(warp);
  }
}

} // namespace ptxray::machine
