#include "Observe/Unwritten.h"
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstring>

namespace ptxray::machine {

// ---- registers

static UnwrittenRegisters *registersOf(const Frame &frame) {
  return static_cast<UnwrittenRegisters *>(frame.attached.in(ObserverSlot::Unwritten));
}

static void add(Frame &frame, Slot slot, uint32_t lanes, uint32_t from, bool isCopied = false) {
  if (!registersOf(frame))
    frame.attached.put(ObserverSlot::Unwritten, std::make_unique<UnwrittenRegisters>());
  if (!(registersOf(frame)->followed & filterOf(slot)))
    frame.follow(ObserverSlot::Unwritten, registersOf(frame)->followed |= filterOf(slot));
  UnwrittenLanes &known = registersOf(frame)->registers[slot];
  known.isCopied = isCopied || (known.lanes && known.isCopied);
  known.from = known.lanes ? known.from : from;
  known.lanes |= lanes;
}

/// Returns the uninitialised lanes of a register and their source, or null if it was written.
static const UnwrittenLanes *find(const Frame &frame, Slot slot) {
  const UnwrittenRegisters *all = registersOf(frame);
  if (!all)
    return nullptr;
  const auto found = all->registers.find(slot);
  return found == all->registers.end() ? nullptr : &found->second;
}

void setWritten(Frame &frame, Slot slot, uint32_t lanes) {
  UnwrittenRegisters *all = registersOf(frame);
  if (!all)
    return;
  const auto found = all->registers.find(slot);
  if (found == all->registers.end() || (found->second.lanes &= ~lanes))
    return;
  all->registers.erase(found);
  all->followed = 0;
  for (const auto &[other, known] : all->registers)
    all->followed |= filterOf(other);
  frame.follow(ObserverSlot::Unwritten, all->followed);
}

uint32_t unwrittenLanes(const Frame &frame, Slot slot) {
  if (!(frame.followed & filterOf(slot)))
    return 0;
  const UnwrittenLanes *found = find(frame, slot);
  return found ? found->lanes : 0;
}

// ---- the states of warps and blocks

static WrittenLocal &stateOf(Warp &warp) {
  if (!warp.attached.in(ObserverSlot::Unwritten))
    warp.attached.put(ObserverSlot::Unwritten, std::make_unique<WrittenLocal>());
  return *static_cast<WrittenLocal *>(warp.attached.in(ObserverSlot::Unwritten));
}

static WrittenShared &writtenShared(const BlockState &block) {
  return *static_cast<WrittenShared *>(block.attached.in(ObserverSlot::Unwritten));
}

DoubtfulLoad *followDoubt(Warp &warp, const Op &op, uint32_t lanes, const DoubtfulLoad &load) {
  Frame &frame = *warp.now.frame;
  for (const Slot slot : frame.code.flow(op.instruction).results)
    add(frame, slot, lanes, op.instruction);
  const auto [known, isNew] = stateOf(warp).doubts.try_emplace(op.instruction, load);
  return isNew ? &known->second : nullptr;
}

// ---- the uses of registers

static void reportUnwritten(Warp &warp, const Frame &frame, uint32_t instruction, Slot slot, uint32_t lanes,
                            const char *use) {
  Fault *fault = raise(warp, instruction, static_cast<unsigned>(__builtin_ctz(lanes)));
  if (!fault)
    return;
  fault->from = find(frame, slot)->from;
  const auto &doubts = stateOf(warp).doubts;
  if (const auto doubt = doubts.find(fault->from); doubt != doubts.end()) {
    fault->race = doubt->second.race;
    fault->address = doubt->second.address;
    fault->instruction = fault->from;
    return;
  }
  fault->kind = Fault::Kind::Unwritten;
  fault->text = use;
}

void UnwrittenObserver::branches(Warp &warp, uint32_t instruction, Slot guard, uint32_t lanes) {
  const Frame &frame = *warp.now.frame;
  if (const uint32_t found = unwrittenLanes(frame, guard) & lanes)
    reportUnwritten(warp, frame, instruction, guard, found, "branches by");
}

void UnwrittenObserver::before(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) {
  Frame &frame = *warp.now.frame;
  const RegisterFlow flow = code.flow(instruction);
  for (const Slot slot : flow.addresses)
    if (const uint32_t found = unwrittenLanes(frame, slot) & lanes)
      return reportUnwritten(warp, frame, instruction, slot, found, "computes an address from");
  uint32_t any = 0, all = lanes, from = noInstruction;
  bool isCopied = false;
  Slot first = noSlot;
  for (const Slot slot : flow.sources)
    if (const UnwrittenLanes *found = find(frame, slot)) {
      any |= found->lanes;
      all &= found->lanes;
      first = slot;
      from = found->from;
      isCopied |= found->isCopied;
    } else
      all = 0;
  all = flow.sources.empty() ? 0 : all;
  if (flow.isOutput && all && !isCopied)
    return reportUnwritten(warp, frame, instruction, first, all, "stores");
  if (from == noInstruction)
    from = instruction;
  const uint32_t become = (flow.isStrict ? any : all) & lanes;
  for (const Slot slot : flow.results) {
    setWritten(frame, slot, lanes);
    if (become)
      add(frame, slot, become, from, isCopied && !flow.isStrict);
  }
}

// ---- flags of bytes

static void mark(Written &written, uint64_t at, uint64_t bytes) {
  if (at < written.size())
    std::memset(written.data() + at, 1, std::min(bytes, written.size() - at));
}

/// Returns the flags for the local memory of a warp, in its current size.
static Written &flagsOf(Warp &warp) {
  WrittenLocal &local = stateOf(warp);
  if (local.bytes < warp.local.perLane) {
    Written larger(size_t(warpSize) * warp.local.perLane);
    for (size_t lane = 0; lane < warpSize && local.bytes; ++lane)
      std::memcpy(larger.data() + lane * warp.local.perLane, local.flags.data() + lane * local.bytes, local.bytes);
    local.flags = std::move(larger);
    local.bytes = warp.local.perLane;
  }
  return local.flags;
}

static uint64_t offsetOf(const Warp &warp, unsigned lane, uint64_t at) {
  return uint64_t(lane) * warp.local.perLane + at;
}

uint8_t *writtenAt(Warp &warp, Space space, uint64_t address, unsigned lane) {
  if (!warp.block->attached.in(ObserverSlot::Unwritten))
    return nullptr;
  if (space == Space::Generic) {
    if (address / windowBytes != localWindow / windowBytes && address / windowBytes != sharedWindow / windowBytes)
      return nullptr;
    space = address / windowBytes == localWindow / windowBytes ? Space::Local : Space::Shared;
    address %= windowBytes;
  }
  if (space == Space::Local) {
    Written &written = flagsOf(warp);
    const size_t at = offsetOf(warp, lane, address);
    return at < written.size() ? written.data() + at : nullptr;
  }
  const uint64_t rank = address >> sharedRankShift, at = address & sharedOffsetMask;
  if (space != Space::Shared || rank >= warp.block->cluster.size())
    return nullptr;
  Written &written = writtenShared(*warp.block->cluster[rank]).flags;
  return at < written.size() ? written.data() + at : nullptr;
}

/// Marks all bytes of the variables as not written. Bytes between variables count as written, since no access reaches
/// them.
static void clear(const BlockState &block, WrittenShared &shared) {
  shared.flags.resize(block.shared.size());
  shared.upTo = 0;
  uint32_t end = 0;
  for (const ByteRun &zone : block.grid->sharedZones) {
    std::fill(shared.flags.begin() + end, shared.flags.begin() + zone.begin, uint8_t(1));
    std::fill(shared.flags.begin() + zone.begin, shared.flags.begin() + zone.end, uint8_t(0));
    end = zone.end;
  }
}

static void begin(BlockState &block, bool isAgain) {
  if (!isAgain)
    block.attached.put(ObserverSlot::Unwritten, std::make_unique<WrittenShared>());
  clear(block, writtenShared(block));
  for (Warp &warp : block.warps)
    if (isAgain && warp.attached.in(ObserverSlot::Unwritten))
      warp.attached.put(ObserverSlot::Unwritten, nullptr);
}

void UnwrittenObserver::beginCluster(llvm::ArrayRef<BlockState *> cluster, bool isAgain) {
  for (BlockState *block : cluster)
    if (hasFlags)
      begin(*block, isAgain);
}

/// Marks the guard zones in the frames of the lanes.
static void setGuards(Warp &warp, const Frame &frame, uint32_t lanes) {
  for (const uint64_t offset : frame.code.guards)
    for (uint32_t left = lanes; left; left &= left - 1)
      std::memset(flagsOf(warp).data() +
                      offsetOf(warp, static_cast<unsigned>(__builtin_ctz(left)), frame.base + offset),
                  guardFlag, guardBytes);
}

void UnwrittenObserver::enterFrame(Warp &warp, Frame &frame, uint32_t lanes) {
  const uint64_t bytes = frame.code.frameBytes;
  for (uint32_t left = frame.caller && bytes ? lanes : 0; left; left &= left - 1)
    std::memset(flagsOf(warp).data() + offsetOf(warp, static_cast<unsigned>(__builtin_ctz(left)), frame.base), 0,
                bytes);
  setGuards(warp, frame, lanes);
  frame.follow(ObserverSlot::Unwritten, 0);
  if (UnwrittenRegisters *known = registersOf(frame)) {
    known->registers.clear();
    known->followed = 0;
  }
  for (const Place &place : frame.code.readFirst)
    add(frame, place.slot, allLanes, noInstruction);
}

void UnwrittenObserver::passes(Warp &warp, unsigned lane, std::optional<uint64_t> from, uint64_t to, uint64_t count,
                               uint64_t bytes) {
  Written &written = flagsOf(warp);
  mark(written, offsetOf(warp, lane, to), bytes);
  if (from && !written.empty()) // uninitialised bytes remain uninitialised
    std::memmove(written.data() + offsetOf(warp, lane, to), written.data() + offsetOf(warp, lane, *from), count);
}

void UnwrittenObserver::growsStack(Warp &warp, unsigned lane, uint64_t begin, uint64_t bytes) {
  Written &written = flagsOf(warp);
  std::fill_n(written.begin() + static_cast<ptrdiff_t>(offsetOf(warp, lane, begin)), bytes, uint8_t(0));
}

void UnwrittenObserver::writes(Warp &warp, BlockState *owner, uint64_t offset, uint64_t bytes, unsigned lane) {
  if (owner)
    mark(writtenShared(*owner).flags, offset, bytes);
  else
    mark(flagsOf(warp), offsetOf(warp, lane, offset), bytes);
}

bool UnwrittenObserver::isGuarded(Warp &warp, uint64_t offset, uint64_t bytes, unsigned lane) {
  const Written &written = flagsOf(warp);
  const size_t first = offsetOf(warp, lane, offset);
  return bytes && !written.empty() && (written[first] == guardFlag || written[first + bytes - 1] == guardFlag);
}

void UnwrittenObserver::ranges(Warp &, llvm::ArrayRef<RangeAccess> accesses) {
  for (const RangeAccess &one : accesses)
    if (hasFlags && one.owner && one.isWrite)
      mark(writtenShared(*one.owner).flags, one.at, one.bytes);
}

void UnwrittenObserver::meets(BlockState &block, uint32_t, llvm::ArrayRef<WaitingAtBarrier>) {
  WrittenShared &shared = writtenShared(block);
  const size_t size = shared.flags.size();
  if (shared.upTo == size)
    return;
  const uint8_t *const flags = shared.flags.data();
  const void *const missing = std::memchr(flags + shared.upTo, 0, size - shared.upTo);
  shared.upTo = missing ? static_cast<size_t>(static_cast<const uint8_t *>(missing) - flags) : size;
}

// ---- loads and stores

/// Marks element `index` of the results of a load as uninitialised in the lanes.
static void noteLoad(Warp &warp, const Op &op, size_t index, size_t elements, uint32_t lanes, bool isGlobal) {
  Frame &frame = *warp.now.frame;
  const llvm::ArrayRef<Slot> results = frame.code.flow(op.instruction).results;
  if (results.size() == elements)
    add(frame, results[index], lanes, op.instruction, isGlobal);
}

/// Reports an atomic operation on uninitialised bytes.
static void reportUpdate(Warp &warp, const Op &op, uint32_t lanes) {
  Fault *fault = raise(warp, op.instruction, static_cast<unsigned>(__builtin_ctz(lanes)));
  if (!fault)
    return;
  fault->kind = Fault::Kind::Unwritten;
  fault->text = "updates";
}

static size_t countResults(const MemoryAccess &access) {
  return static_cast<size_t>(llvm::count_if(access.elements, [](Place one) { return one.bits; }));
}

/// Follows loads of fresh global memory.
static void noteGlobalLoads(Warp &warp, const LaneAccess &one) {
  const MemoryAccess &access = one.access;
  const size_t size = access.bits / 8, results = countResults(access);
  size_t result = 0;
  for (size_t i = 0; i < access.elements.size(); ++i) {
    if (!access.elements[i].bits)
      continue;
    uint32_t lanes = 0;
    for (uint32_t left = one.found.mask; left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const Allocation *found = one.at[lane] >= globalBegin ? allocationAt(warp, one.op, one.at[lane]) : nullptr;
      if (found && found->areUnwritten(one.at[lane] - found->begin + i * size, size))
        lanes |= left & -left;
    }
    if (lanes)
      noteLoad(warp, one.op, result, results, lanes, /*isGlobal=*/true);
    ++result;
  }
}

/// Calls `use` with the flags of each run of bytes that has flags, until it returns false. Returns whether it always
/// returned true.
template <class Use> static bool eachRun(const LaneShape &shape, uint64_t first, Space space, Warp &warp, Use use) {
  uint8_t *const written = writtenAt(warp, space, first, shape.lane);
  for (unsigned i = 0; written && i < shape.runs; ++i)
    if (!use(written + shape.run[i].at, size_t(shape.run[i].elements) * shape.bytes))
      return false;
  return true;
}

static bool areWritten(const uint8_t *written, size_t bytes) {
  constexpr uint64_t ones = 0x0101010101010101;
  uint64_t all = ones, word;
  for (; bytes >= sizeof word; bytes -= sizeof word, written += sizeof word) {
    std::memcpy(&word, written, sizeof word);
    all &= word;
  }
  for (size_t i = 0; i < bytes; ++i)
    all &= written[i] ? ones : 0;
  return all == ones;
}

/// Returns whether none of the bytes was written.
static bool areUnwritten(const uint8_t *written, size_t bytes) {
  return !*written && std::all_of(written, written + bytes, [](uint8_t one) { return !one; });
}

static void noteLoads(Warp &warp, const LaneAccess &one) {
  const MemoryAccess &access = one.access;
  const Space space = access.address.space;
  const LaneShape *const shape = one.found.shape;
  if (shape && eachRun(*shape, one.at[shape->lane], space, warp, areWritten)) // the usual case
    return;
  const size_t size = access.bits / 8, results = countResults(access);
  llvm::SmallVector<uint32_t, 4> lanes(access.elements.size());
  for (uint32_t left = one.found.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const uint8_t *written = writtenAt(warp, space, one.at[lane], lane);
    for (size_t i = 0; written && i < lanes.size(); ++i)
      if (areUnwritten(written + i * size, size))
        lanes[i] |= left & -left;
  }
  size_t result = 0;
  for (size_t i = 0; i < lanes.size(); result += access.elements[i++].bits != 0)
    if (lanes[i] && access.isCombined)
      reportUpdate(warp, one.op, lanes[i]);
    else if (lanes[i] && access.elements[i].bits)
      noteLoad(warp, one.op, result, results, lanes[i], /*isGlobal=*/false);
}

/// Marks the bytes as written, except those of lanes that store uninitialised registers.
static void noteStores(Warp &warp, const LaneAccess &one) {
  const MemoryAccess &access = one.access;
  const Space space = access.address.space;
  const Frame &frame = *warp.now.frame;
  SlotFilter stored = 0;
  for (const Place &place : access.elements)
    stored |= filterOf(place.slot);
  if (one.found.shape && !(frame.followed & stored)) {
    eachRun(*one.found.shape, one.at[one.found.shape->lane], space, warp, [](uint8_t *written, size_t bytes) {
      std::memset(written, 1, bytes);
      return true;
    });
    return;
  }
  const size_t size = access.bits / 8;
  for (uint32_t left = one.found.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    uint8_t *written = writtenAt(warp, space, one.at[lane], lane);
    const auto isUnwritten = [&](const Place &place) { return unwrittenLanes(frame, place.slot) >> lane & 1; };
    if (!written && one.at[lane] >= globalBegin && llvm::all_of(access.elements, isUnwritten)) {
      if (const Slot slot = access.elements[0].slot; !find(frame, slot)->isCopied)
        reportUnwritten(warp, frame, one.op.instruction, slot, 1u << lane, "stores");
      return;
    }
    for (const Place &place : access.elements) {
      if (!written)
        break;
      if (isUnwritten(place))
        for (BlockState *block : warp.block->cluster)
          writtenShared(*block).upTo = 0;
      std::memset(written, !isUnwritten(place), size);
      written += size;
    }
  }
}

void UnwrittenObserver::accesses(Warp &warp, const LaneAccess &one) {
  const MemoryAccess &access = one.access;
  const Space space = access.address.space;
  if (!one.found.mask || (access.isWrite && warp.doer.stage == Stage::Begin))
    return;
  const bool mayBeFresh =
      !access.isWrite && warp.block->grid->memory.hasFresh && (space == Space::Global || space == Space::Generic);
  if (mayBeFresh)
    noteGlobalLoads(warp, one);
  if (!hasFlags || !(space == Space::Shared || space == Space::Local || space == Space::Generic))
    return;
  if (access.isWrite)
    noteStores(warp, one);
  else
    noteLoads(warp, one);
}

} // namespace ptxray::machine
