#include "Observe/Halt.h"
#include "Machine/BarrierObject.h"
#include "Observe/Unwritten.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace ptxray::machine {

namespace {

/// The time since which a warp has tested a phase in vain.
struct VainSince : Attached {
  uint64_t time = 0;
};

} // namespace

std::optional<uint64_t> asksSince(const Warp &warp) {
  const auto *since = static_cast<const VainSince *>(warp.attached.in(ObserverSlot::Halt));
  return since ? std::optional(since->time) : std::nullopt;
}

/// Records that the warp executes instructions from a time on, up to the instruction `last`.
static void note(HaltSearch &search, const Warp &warp, uint64_t begin, uint64_t end, CodePlace last) {
  Stretch *const newest = search.stretches.newest();
  const bool goesOn = newest && newest->end == begin && newest->lanes == warp.now.mask &&
                      newest->warp.warp == warp.number && newest->warp.block == warp.block->index;
  if (!goesOn)
    return search.stretches.add({{warp.block->index, warp.number}, warp.now.mask, begin, end, last});
  newest->end = end;
  newest->last = last;
  newest->waits = warp.waitsInVain.has_value();
}

/// Returns the time of the instruction that the warp is executing.
uint64_t HaltObserver::timeOf(const Warp &warp, const Op &op) const {
  const CodeBlock &block = warp.now.frame->code.blocks[warp.now.at];
  return search.blockBegan + (op.instruction - block.firstInstruction);
}

void HaltObserver::asksInVain(Warp &warp, const Op &op, bool) {
  if (!warp.attached.in(ObserverSlot::Halt)) {
    auto since = std::make_unique<VainSince>();
    since->time = timeOf(warp, op);
    warp.attached.put(ObserverSlot::Halt, std::move(since));
  }
  if (Stretch *const newest = search.stretches.newest())
    newest->waits = true;
}

void HaltObserver::seesPhase(Warp &warp, uint32_t, const uint8_t *, bool) {
  warp.attached.put(ObserverSlot::Halt, nullptr);
}

void HaltObserver::starts(Warp &warp, const Op &op, uint64_t id) {
  search.begun[{warp.block->agents.get(), id}] = timeOf(warp, op);
}

void HaltObserver::ends(Warp &warp, const FunctionCode &code, const Op &op, uint64_t id) {
  const auto known = search.begun.extract({warp.block->agents.get(), id});
  search.operations.add({{warp.block->index, warp.number},
                         {code.number, op.instruction},
                         known.empty() ? 0 : known.mapped(),
                         search.time});
}

bool HaltObserver::steps(Warp &warp, const FunctionCode &code, const CodeBlock &block) {
  const HaltRule &rule = search.rule;
  search.blockBegan = search.time;
  const uint64_t end = search.time + block.instructions;
  if (end > rule.before || !rule.watched.empty() || (!search.changes.empty() && search.changes.front().time < end))
    return true;
  const auto place = llvm::lower_bound(rule.places, CodePlace{code.number, block.firstInstruction});
  const bool hasPlace = place != rule.places.end() && place->function == code.number &&
                        place->instruction < block.firstInstruction + block.instructions;
  const bool isOther = rule.warp && !(*rule.warp == WarpName{warp.block->index, warp.number});
  if (end > rule.after && (rule.isAny || hasPlace) && !isOther)
    return true;
  note(search, warp, search.time, end, {code.number, block.firstInstruction + block.instructions - 1});
  search.time = end;
  return false;
}

void HaltObserver::faults(Warp &warp, const CodeBlock &block) {
  const uint32_t instruction = warp.fault->instruction - block.firstInstruction;
  if (instruction < block.instructions)
    search.time = search.blockBegan + instruction;
}

/// Returns the newest frame of the function in the warp, or null.
static Frame *frameOf(Warp &warp, uint32_t function) {
  for (Frame &frame : llvm::reverse(warp.frames))
    if (frame.code.number == function)
      return &frame;
  return nullptr;
}

/// Bytes of a launch. A predicate has one bit for each lane.
struct FoundBytes {
  uint8_t *at = nullptr; // null if they do not exist
  Warp *warp = nullptr;  // a warp of the block with these bytes; null if they are global
  Frame *frame = nullptr;
};

static FoundBytes found(BlockState &block, const WatchedBytes &sought) {
  using Where = WatchedBytes::Where;
  const auto isWithin = [&](uint64_t size) { return sought.address <= size && sought.bytes <= size - sought.address; };
  if (sought.where == Where::Shared || sought.where == Where::Phase)
    return {isWithin(block.shared.size()) ? block.shared.data() + sought.address : nullptr, &block.warps.front(), {}};
  if (sought.of.warp >= block.warps.size())
    return {};
  Warp &warp = block.warps[sought.of.warp];
  if (sought.where == Where::Local)
    return {isWithin(warp.local.perLane) ? warp.localOf(sought.lane) + sought.address : nullptr, &warp, {}};
  Frame *frame = frameOf(warp, sought.function);
  if (!frame)
    return {};
  auto *slot = reinterpret_cast<uint8_t *>(frame->registers + sought.address);
  return {slot + size_t(sought.lane) * sought.bytes, &warp, frame};
}

static FoundBytes found(GridState &grid, const WatchedBytes &sought) {
  if (sought.where == WatchedBytes::Where::Global) {
    const Allocation *one = grid.memory.find(sought.address);
    return {one && one->contains(sought.address, sought.bytes) ? one->at(sought.address) : nullptr, {}, {}};
  }
  for (BlockState *block : grid.blocks)
    if (block->index == sought.of.block && !block->warps.empty())
      return found(*block, sought);
  return {};
}

std::vector<uint8_t> bytesNow(GridState &grid, const WatchedBytes &watched) {
  const FoundBytes bytes = found(grid, watched);
  if (!bytes.at)
    return {};
  if (watched.where == WatchedBytes::Where::Phase) {
    uint64_t bits;
    std::memcpy(&bits, bytes.at, sizeof bits);
    const std::optional<BarrierObject> object = readBarrier(bits);
    return {static_cast<uint8_t>(object && object->isOdd)};
  }
  if (watched.bytes)
    return {bytes.at, bytes.at + watched.bytes};
  uint32_t lanes;
  std::memcpy(&lanes, bytes.at, sizeof lanes);
  return {static_cast<uint8_t>(lanes >> watched.lane & 1)};
}

/// Writes the bytes of a change, and marks them as written.
static void make(const Change &change, GridState &grid) {
  using Where = WatchedBytes::Where;
  const WatchedBytes &where = change.where;
  const FoundBytes bytes = found(grid, where);
  if (!bytes.at)
    return;
  if (where.bytes)
    std::memcpy(bytes.at, change.bytes.data(), where.bytes);
  else {
    uint32_t lanes;
    std::memcpy(&lanes, bytes.at, sizeof lanes);
    lanes = (lanes & ~(1u << where.lane)) | uint32_t(change.bytes.front() & 1) << where.lane;
    std::memcpy(bytes.at, &lanes, sizeof lanes);
  }
  if (where.where == Where::Register) {
    setWritten(*bytes.frame, static_cast<Slot>(where.address), 1u << where.lane);
  } else if (bytes.warp)
    for (uint32_t i = 0; i < where.bytes; ++i)
      if (uint8_t *written = writtenAt(*bytes.warp, where.where == Where::Shared ? Space::Shared : Space::Local,
                                       where.address + i, where.lane))
        *written = 1;
}

static void makeChanges(HaltSearch &search, GridState &grid) {
  for (; !search.changes.empty() && search.changes.front().time <= search.time;
       search.changes = search.changes.drop_front())
    make(search.changes.front(), grid);
}

/// Returns the first watched bytes that have changed since the last look.
static std::optional<size_t> changedOf(HaltSearch &search, GridState &grid) {
  std::optional<size_t> changed;
  const bool isFirst = search.seen.empty();
  search.seen.resize(search.rule.watched.size());
  for (size_t i = 0; i < search.seen.size(); ++i) {
    std::vector<uint8_t> bytes = bytesNow(grid, search.rule.watched[i]);
    if (bytes == search.seen[i])
      continue;
    if (!isFirst && !bytes.empty() && !search.seen[i].empty() && !changed)
      changed = i;
    search.seen[i] = std::move(bytes);
  }
  return changed;
}

/// Returns the lanes that execute the instruction.
static uint32_t lanesAt(const Warp &warp, const FunctionCode &code, uint32_t instruction) {
  const LocalId guard = code.body->guard(instruction);
  if (guard == LocalId::None)
    return warp.now.mask;
  const auto known = llvm::find_if(code.named, [&](const auto &one) { return one.first == guard; });
  if (known == code.named.end())
    return warp.now.mask;
  uint32_t lanes;
  std::memcpy(&lanes, warp.now.frame->registers + known->second.slot, sizeof lanes);
  return (code.instruction(instruction).guardNot ? ~lanes : lanes) & warp.now.mask;
}

static size_t depthOf(const Warp &warp) {
  size_t depth = 0;
  for (const Frame *frame = warp.now.frame->caller; frame; frame = frame->caller)
    ++depth;
  return depth;
}

bool HaltObserver::stopsBefore(Warp &warp, const FunctionCode &code, uint32_t instruction) {
  GridState &grid = *warp.block->grid;
  const HaltRule &rule = search.rule;
  makeChanges(search, grid);
  const uint64_t time = search.time++;
  const CodePlace place{code.number, instruction};
  const std::optional<size_t> changed = changedOf(search, grid);
  if (time >= rule.before) {
    search.isHalted = true;
    return true;
  }
  const bool isFitting =
      changed ||
      ((rule.isAny || llvm::binary_search(rule.places, place)) &&
       (!rule.warp || *rule.warp == WarpName{warp.block->index, warp.number}) &&
       (!rule.lane || (rule.isGuarded ? lanesAt(warp, code, instruction) : warp.now.mask) >> *rule.lane & 1) &&
       depthOf(warp) <= rule.depth);
  if (isFitting && time >= rule.after) {
    search.found = {time, &warp, place, changed};
    search.isHalted = !rule.isLast;
  }
  if (!search.isHalted)
    note(search, warp, time, time + 1, place);
  return search.isHalted;
}

} // namespace ptxray::machine
