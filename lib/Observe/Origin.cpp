#include "Observe/Origin.h"
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

static FrameOrigins &originsOf(const Frame &frame) {
  return *static_cast<FrameOrigins *>(frame.attached.in(ObserverSlot::Origin));
}

OriginObserver::OriginObserver(const GridState &grid)
    : Observer(ObserverSlot::Origin, events::Frames | events::Registers | events::Accesses | events::Moves),
      bytes(sets), ofSchedule(sets.only(OriginSets::schedule)), ofImages(sets.only(OriginSets::images)) {
  bytes.findBuffers(grid);
}

// ---- registers

static unsigned bitOf(Slot slot) { return static_cast<unsigned>(__builtin_ctzll(filterOf(slot))); }

/// Updates the number of registers with an origin. `was` is true if this register had an origin before the change.
void OriginObserver::noteFilled(Frame &frame, uint32_t number, bool was) {
  FrameOrigins &all = originsOf(frame);
  if (was == (all.registers[number].lanes != 0))
    return;
  uint32_t &filled = all.filled[bitOf(frame.code.values.slots()[number])];
  const bool wasFollowed = filled != 0;
  filled += was ? -1 : 1;
  if (wasFollowed == (filled != 0))
    return;
  SlotFilter followed = 0;
  for (unsigned bit = 0; bit < all.filled.size(); ++bit)
    followed |= SlotFilter(all.filled[bit] != 0) << bit;
  frame.follow(ObserverSlot::Origin, followed);
}

void OriginObserver::set(Frame &frame, uint32_t number, unsigned lane, OriginId origin) {
  LaneOrigins &one = originsOf(frame).registers[number];
  const bool was = one.lanes != 0;
  one.set(lane, origin);
  noteFilled(frame, number, was);
}

/// Sets the origins of lanes of a register.
void OriginObserver::take(Frame &frame, uint32_t number, uint32_t lanes, const LaneOrigins &values) {
  LaneOrigins &one = originsOf(frame).registers[number];
  const bool was = one.lanes != 0;
  one.take(values, lanes);
  noteFilled(frame, number, was);
}

/// Adds an origin to lanes of a register.
void OriginObserver::add(Frame &frame, uint32_t number, uint32_t lanes, OriginId origin) {
  if (!origin)
    return;
  LaneOrigins values = originsOf(frame).registers[number];
  for (uint32_t left = lanes; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    values.set(lane, sets.join(values.of[lane], origin));
  }
  take(frame, number, lanes, values);
}

/// Returns the origin of a lane of a register. The origin of a constant or a temporary register is empty.
OriginId OriginObserver::originAt(const Frame &frame, Slot slot, unsigned lane) const {
  const uint32_t number = frame.code.values.find(slot);
  return number == ValueFlows::none ? OriginId(0) : originsOf(frame).registers[number].of[lane];
}

OriginId OriginObserver::unionOf(const Frame &frame, llvm::ArrayRef<uint32_t> registers, uint32_t lanes) {
  OriginId result = 0;
  for (const uint32_t number : registers) {
    const LaneOrigins &one = originsOf(frame).registers[number];
    for (uint32_t left = one.lanes & lanes; left; left &= left - 1)
      result = sets.join(result, one.of[__builtin_ctz(left)]);
  }
  return result;
}

/// Adds the origins of the lanes of one register to those of another.
void OriginObserver::join(LaneOrigins &to, const LaneOrigins &from, uint32_t lanes) {
  lanes &= from.lanes;
  if (!(to.lanes & lanes))
    return to.take(from, lanes);
  if (lanes == allLanes && to.of == from.of)
    return;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    to.set(lane, sets.join(to.of[lane], from.of[lane]));
  }
}

/// Returns for each lane the union of the origins of some registers.
LaneOrigins OriginObserver::joined(const Frame &frame, llvm::ArrayRef<uint32_t> registers, uint32_t lanes) {
  LaneOrigins result;
  for (const uint32_t number : registers)
    if (const LaneOrigins &one = originsOf(frame).registers[number]; one.lanes & lanes)
      join(result, one, lanes);
  return result;
}

// ---- decisions

/// Records that a value decided more than data.
void OriginObserver::decide(const Place &place, Decides decides, OriginId origin) {
  if (!origin)
    return;
  const std::pair<const FunctionCode *, uint32_t> site(place.code, place.instruction);
  sites[site][static_cast<size_t>(decides)] |= sets.bits(origin);
  for (OriginSets::Bits left = sets.bits(origin) & ~decided; left; left &= left - 1) {
    const auto bit = static_cast<unsigned>(__builtin_ctzll(left));
    uses[bit] = {place, loaded[bit], decides};
    decided |= OriginSets::Bits(1) << bit;
  }
}

void OriginObserver::decideBy(const Frame &frame, const Place &place, Decides decides,
                              llvm::ArrayRef<uint32_t> registers, uint32_t lanes) {
  if (const OriginId origin = unionOf(frame, registers, lanes))
    decide(place, decides, origin);
}

/// Follows a branch that chooses between values: a lane may get the result of either path.
void OriginObserver::choose(Warp &warp, const Choice &choice, const Place &place, const LaneOrigins &guard,
                            uint32_t lanes) {
  Frame &frame = *warp.now.frame;
  LaneOrigins values = joined(frame, choice.operands, lanes);
  const LaneOrigins before = joined(frame, choice.results, lanes);
  for (uint32_t left = lanes; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const OriginId both = sets.join(values.of[lane], before.of[lane]);
    values.set(lane, guard.of[lane] ? sets.join(both, guard.of[lane]) : OriginId(0));
  }
  originsOf(frame).chosen[place.instruction].take(values, lanes); // other lanes may still be on the paths
  for (const uint32_t number : choice.results)
    for (uint32_t left = lanes & values.lanes; left; left &= left - 1)
      add(frame, number, left & -left, values.of[__builtin_ctz(left)]);
}

void OriginObserver::branches(Warp &warp, uint32_t instruction, Slot guard, uint32_t lanes) {
  const Frame &frame = *warp.now.frame;
  const FunctionCode &code = frame.code;
  const uint32_t number = code.values.find(guard);
  if (number == ValueFlows::none)
    return;
  const LaneOrigins predicate = joined(frame, number, lanes);
  const auto found = choices.try_emplace(&code, code).first;
  const Choice *choice = found->second.at(warp.now.at);
  if (choice && (predicate.lanes || originsOf(frame).chosen.contains(instruction)))
    return choose(warp, *choice, {&code, instruction}, predicate, lanes);
  if (predicate.lanes)
    decideBy(frame, {&code, instruction}, Decides::Branch, number, lanes);
}

/// Applies the guard of an instruction. `values` are the origins of results for all lanes that could execute it.
void OriginObserver::guard(Warp &warp, const Place &place, const ValueFlow &flow, LaneOrigins &values) {
  Frame &frame = *warp.now.frame;
  const uint32_t lanes = warp.now.mask;
  if (flow.hasEffects || flow.mixesLanes)
    return decideBy(frame, place, Decides::Guard, flow.guard, lanes);
  const LaneOrigins predicate = joined(frame, flow.guard, lanes), data = joined(frame, flow.data, lanes);
  for (uint32_t left = predicate.lanes; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    OriginId origin = sets.join(predicate.of[lane], data.of[lane]);
    for (const uint32_t result : flow.results)
      origin = sets.join(origin, originsOf(frame).registers[result].of[lane]);
    values.set(lane, origin);
    for (const uint32_t result : flow.results)
      set(frame, result, lane, origin);
  }
}

void OriginObserver::skips(Warp &warp, const FunctionCode &code, uint32_t instruction) {
  LaneOrigins values;
  if (const ValueFlow flow = code.values[instruction]; flow.guard != ValueFlows::none)
    guard(warp, {&code, instruction}, flow, values);
}

void OriginObserver::before(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) {
  Frame &frame = *warp.now.frame;
  const ValueFlow flow = code.values[instruction];
  if (flow.guard != ValueFlows::none) // the first operation may be one that copies the guard in all lanes
    lanes &= predicateAt(frame.registers, code.values.slots()[flow.guard]) ^
             -uint32_t(code.instruction(instruction).guardNot);
  const Place place{&code, instruction};
  decideBy(frame, place, Decides::Address, flow.addresses, lanes);
  decideBy(frame, place, Decides::Operand, flow.decides, lanes);
  if (flow.results.empty() && flow.guard == ValueFlows::none)
    return;
  LaneOrigins values = joined(frame, flow.data, lanes);
  const auto addToAll = [&](OriginId origin) {
    for (uint32_t left = origin ? lanes : 0; left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      values.set(lane, sets.join(values.of[lane], origin));
    }
  };
  if (flow.mixesLanes)
    addToAll(unionOf(frame, flow.data, lanes));
  if (flow.readsShared)
    addToAll(bytes.storedElsewhere());
  if (flow.readsImage)
    addToAll(ofImages);
  if (flow.readsSchedule)
    addToAll(ofSchedule);
  if (const auto &chosen = originsOf(frame).chosen; !chosen.empty())
    for (const uint32_t branch : choices.try_emplace(&code, code).first->second.around(instruction))
      if (const auto found = chosen.find(branch); found != chosen.end())
        join(values, found->second, lanes);
  if (flow.guard != ValueFlows::none)
    guard(warp, place, flow, values);
  for (const uint32_t result : flow.results)
    if ((values.lanes | originsOf(frame).registers[result].lanes) & lanes)
      take(frame, result, lanes, values);
}

void OriginObserver::leaves(Warp &warp, const FunctionCode &code, const CodeBlock &block, uint32_t lanes) {
  if (!block.instructions || block.way == Way::Together)
    return;
  const ValueFlow flow = code.values[block.instruction];
  const Place place{&code, block.instruction};
  const Decides what = block.way == Way::Table || block.way == Way::Call ? Decides::Branch : Decides::Operand;
  for (const llvm::ArrayRef<uint32_t> list : {flow.addresses, flow.decides})
    decideBy(*warp.now.frame, place, what, list, lanes);
  if (block.way == Way::Barrier) // the result in each thread comes from the predicates of all threads
    decideBy(*warp.now.frame, place, Decides::Operand, flow.data, lanes);
}

// ---- frames and local memory

void OriginObserver::enterFrame(Warp &, Frame &frame, uint32_t) {
  if (!frame.attached.in(ObserverSlot::Origin))
    frame.attached.put(ObserverSlot::Origin, std::make_unique<FrameOrigins>());
  FrameOrigins &all = originsOf(frame);
  const ValueFlows &values = frame.code.values;
  all.registers.assign(values.slots().size(), {});
  all.chosen.clear();
  all.filled.fill(0);
  SlotFilter followed = 0;
  for (const uint32_t number : values.sources()) {
    ++all.filled[bitOf(values.slots()[number])];
    followed |= filterOf(values.slots()[number]);
  }
  frame.follow(ObserverSlot::Origin, followed);
  if (values.isVague && !vague)
    vague = Place{&frame.code, 0};
}

/// Returns the origins of bytes in the local memory of a lane, or null if it has no such bytes.
OriginId *OriginObserver::localAt(Warp &warp, unsigned lane, uint64_t offset, uint64_t count) {
  if (!warp.attached.in(ObserverSlot::Origin))
    warp.attached.put(ObserverSlot::Origin, std::make_unique<LocalOrigins>());
  auto &local = *static_cast<LocalOrigins *>(warp.attached.in(ObserverSlot::Origin));
  if (local.bytes < warp.local.perLane) {
    std::vector<OriginId> larger(size_t(warpSize) * warp.local.perLane);
    for (size_t i = 0; i < warpSize && local.bytes; ++i)
      std::copy_n(local.of.begin() + static_cast<ptrdiff_t>(i * local.bytes), local.bytes,
                  larger.begin() + static_cast<ptrdiff_t>(i * warp.local.perLane));
    local.of = std::move(larger);
    local.bytes = warp.local.perLane;
  }
  return offset <= local.bytes && count <= local.bytes - offset ? local.of.data() + size_t(lane) * local.bytes + offset
                                                                : nullptr;
}

OriginId OriginObserver::readLocal(Warp &warp, unsigned lane, uint64_t offset, uint64_t count) {
  OriginId result = 0;
  if (const OriginId *of = localAt(warp, lane, offset, count))
    for (uint64_t i = 0; i < count; ++i)
      result = sets.join(result, of[i]);
  return result;
}

void OriginObserver::hands(Warp &warp, const Passed &from, Frame &source, const Passed &to, Frame &target,
                           uint32_t lanes) {
  if (!from.bytes || !to.bytes)
    return;
  const uint64_t count = std::min(from.bytes, to.bytes);
  for (uint32_t left = lanes; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const OriginId origin = from.place.bits ? originAt(source, from.place.slot, lane)
                                            : readLocal(warp, lane, source.base + from.offset, count);
    if (to.place.bits) {
      if (const uint32_t number = target.code.values.find(to.place.slot); number != ValueFlows::none)
        set(target, number, lane, origin);
      continue;
    }
    OriginId *const into = localAt(warp, lane, target.base + to.offset, count);
    if (!into)
      continue;
    if (from.place.bits)
      std::fill_n(into, count, origin);
    else if (const OriginId *bytesOf = localAt(warp, lane, source.base + from.offset, count))
      std::memmove(into, bytesOf, count);
  }
}

// ---- memory

void OriginObserver::beginCluster(llvm::ArrayRef<BlockState *> cluster, bool isAgain) {
  for (BlockState *block : cluster) {
    bytes.clear(block->shared.data(), block->shared.size());
    for (Warp &warp : block->warps)
      if (isAgain)
        warp.attached.put(ObserverSlot::Origin, nullptr);
  }
}

static bool isLocal(const LaneAccess &one, unsigned lane) {
  const Space space = one.access.address.space;
  return space == Space::Local || (space == Space::Generic && one.at[lane] / windowBytes == localWindow / windowBytes);
}

/// Records the load from which values of buffers came.
void OriginObserver::noteLoad(const Place &place, OriginId found) {
  for (OriginSets::Bits bits = sets.bits(found); bits; bits &= bits - 1)
    loaded[__builtin_ctzll(bits)] = place;
}

/// Handles a load whose bytes all have the same origin. Returns false if this is not known.
bool OriginObserver::loadsAlike(Warp &warp, const LaneAccess &one, const ValueFlow &flow) {
  const LaneShape *const shape = one.found.shape;
  if (!shape || isLocal(one, shape->lane))
    return false;
  const uint8_t *const first = one.found.first + shape->low;
  const std::optional<OriginId> origin = bytes.alike(first, static_cast<size_t>(shape->span));
  if (!origin)
    return false;
  Frame &frame = *warp.now.frame;
  noteLoad({&frame.code, one.op.instruction}, *origin);
  for (const uint32_t result : flow.results)
    add(frame, result, one.found.mask, one.access.isStrong ? sets.join(*origin, ofSchedule) : *origin);
  return true;
}

void OriginObserver::loads(Warp &warp, const LaneAccess &one, const ValueFlow &flow) {
  if (loadsAlike(warp, one, flow))
    return;
  Frame &frame = *warp.now.frame;
  const MemoryAccess &access = one.access;
  const size_t size = access.bits / 8;
  const auto elements = static_cast<size_t>(llvm::count_if(access.elements, [](const auto &e) { return e.bits != 0; }));
  const bool isOneEach = elements == flow.results.size();
  const OriginId order = access.isStrong ? ofSchedule : OriginId(0);
  for (uint32_t left = one.found.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    size_t result = 0;
    for (size_t i = 0; i < access.elements.size(); ++i) {
      if (!access.elements[i].bits)
        continue;
      const OriginId found = isLocal(one, lane) ? readLocal(warp, lane, one.at[lane] % windowBytes + i * size, size)
                                                : bytes.read(one.found.at(lane) + i * size, size);
      const size_t index = result++;
      if (!found && !order)
        continue;
      noteLoad({&frame.code, one.op.instruction}, found);
      const OriginId origin = sets.join(found, order);
      for (size_t k = 0; k < flow.results.size(); ++k)
        if (!isOneEach || k == index)
          add(frame, flow.results[k], 1u << lane, origin);
    }
  }
}

/// Handles a store of values with the same origin. Returns false for other stores.
bool OriginObserver::storesAlike(Warp &warp, const LaneAccess &one, const LaneOrigins &data) {
  const LaneShape *const shape = one.found.shape;
  if (!shape || isLocal(one, shape->lane))
    return false;
  const Frame &frame = *warp.now.frame;
  const auto origin = data.of[shape->lane];
  LaneOrigins all;
  all.setAll(one.found.mask, origin);
  for (const machine::Place &element : one.access.elements) {
    const uint32_t number = frame.code.values.find(element.slot);
    const LaneOrigins &stored = number == ValueFlows::none ? data : originsOf(frame).registers[number];
    if ((stored.lanes & one.found.mask) != all.lanes)
      return false;
    for (uint32_t left = all.lanes; left; left &= left - 1)
      if (stored.of[__builtin_ctz(left)] != origin)
        return false;
  }
  for (unsigned i = 0; i < shape->runs; ++i)
    bytes.write(one.found.first + shape->run[i].at, size_t(shape->run[i].elements) * shape->bytes, origin);
  return true;
}

void OriginObserver::stores(Warp &warp, const LaneAccess &one, const ValueFlow &flow) {
  if (warp.doer.stage == Stage::End)
    return; // its registers were read at its start
  const Frame &frame = *warp.now.frame;
  const MemoryAccess &access = one.access;
  const size_t size = access.bits / 8;
  const bool isAtomic = access.isUpdate && !flow.results.empty();
  const bool isAdded = access.isUpdate || warp.doer.stage == Stage::Begin;
  const LaneOrigins data = joined(frame, flow.data, one.found.mask);
  if (!isAdded && storesAlike(warp, one, data))
    return;
  if (isAtomic && !unordered)
    unordered = Place{&frame.code, one.op.instruction};
  for (uint32_t left = one.found.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    for (size_t i = 0; i < access.elements.size(); ++i) {
      const uint32_t number = frame.code.values.find(access.elements[i].slot);
      OriginId origin = number == ValueFlows::none ? data.of[lane] : originsOf(frame).registers[number].of[lane];
      if (isAtomic)
        origin = sets.join(origin, ofSchedule);
      if (isLocal(one, lane)) {
        if (OriginId *of = localAt(warp, lane, one.at[lane] % windowBytes + i * size, size))
          for (size_t k = 0; k < size; ++k)
            of[k] = isAdded ? sets.join(of[k], origin) : origin;
        continue;
      }
      const uint8_t *const at = one.found.at(lane) + i * size;
      if (isAdded)
        bytes.add(at, size, origin);
      else
        bytes.write(at, size, origin);
    }
  }
}

void OriginObserver::accesses(Warp &warp, const LaneAccess &one) {
  const ValueFlow flow = warp.now.frame->code.values[one.op.instruction];
  if (one.access.isWrite)
    stores(warp, one, flow);
  else
    loads(warp, one, flow);
}

void OriginObserver::tensors(Warp &warp, const TensorRange &range) {
  Frame &frame = *warp.now.frame;
  const ValueFlow flow = frame.code.values[range.op.instruction];
  if (range.isWrite)
    inTensorMemory = sets.join(sets.join(inTensorMemory, bytes.storedElsewhere()), unionOf(frame, flow.data, allLanes));
  else
    for (const uint32_t result : flow.results)
      add(frame, result, allLanes, inTensorMemory);
}

void OriginObserver::moves(Warp &warp, const Op &op, llvm::ArrayRef<MovedBytes> parts) {
  Frame &frame = *warp.now.frame;
  for (const MovedBytes &one : parts) {
    if (one.to && one.from)
      bytes.copy(one.to, one.from, one.bytes, one.isReduced);
    else if (one.to && one.slot != noSlot) {
      const uint32_t number = frame.code.values.find(one.slot);
      const OriginId origin = number == ValueFlows::none
                                  ? unionOf(frame, frame.code.values[op.instruction].data, allLanes)
                                  : originsOf(frame).registers[number].of[one.lane];
      if (one.isReduced)
        bytes.add(one.to, one.bytes, origin);
      else
        bytes.write(one.to, one.bytes, origin);
    } else if (one.to)
      bytes.write(one.to, one.bytes, 0);
    else if (one.from) {
      const OriginId found = bytes.read(one.from, one.bytes);
      noteLoad({&frame.code, op.instruction}, found);
      if (const uint32_t number = frame.code.values.find(one.slot); number != ValueFlows::none)
        add(frame, number, 1u << one.lane, found);
      else
        for (const uint32_t result : frame.code.values[op.instruction].results)
          add(frame, result, 1u << one.lane, found);
    }
  }
}

void OriginObserver::readsMap(Warp &warp, const Op &op, llvm::ArrayRef<uint8_t> map) {
  if (const OriginId origin = bytes.read(map.data(), map.size()))
    decide({&warp.now.frame->code, op.instruction}, Decides::Address, origin);
}

void OriginObserver::excuses(Warp &warp, const LaneAccess &one, unsigned lane) {
  const FunctionCode &code = warp.now.frame->code;
  const Place place{&code, one.op.instruction};
  decideBy(*warp.now.frame, place, Decides::Value, code.values[one.op.instruction].data, 1u << lane);
  if (!isLocal(one, lane))
    decide(place, Decides::Value, bytes.read(one.found.at(lane), one.access.bytes));
}

void OriginObserver::excuses(Warp &warp, const RangeAccess &one) {
  const FunctionCode &code = warp.now.frame->code;
  const Place place{&code, one.op.instruction};
  decideBy(*warp.now.frame, place, Decides::Value, code.values[one.op.instruction].data, allLanes);
  for (const uint8_t *memory : {one.memory, static_cast<const uint8_t *>(one.stored)})
    if (memory)
      decide(place, Decides::Value, bytes.read(memory, one.bytes));
}

// ---- the certificate

void OriginObserver::finish(const GridState &, Outcome &outcome) {
  Certificate &certificate = outcome.certificate.emplace();
  const auto rangeOf = [](const Place &place) { return place.code->instruction(place.instruction).range; };
  const auto add = [&](const std::string &buffer, unsigned bit) {
    const Use &use = uses[bit];
    certificate.uses.push_back(
        {buffer, use.decides, rangeOf(use.place), use.loaded.code ? std::optional(rangeOf(use.loaded)) : std::nullopt});
  };
  for (const OriginBuffer &buffer : bytes.buffers())
    if (buffer.isArgument || loaded[buffer.bit].code) {
      certificate.buffers.push_back({buffer.name, {buffer.begin, buffer.end}});
      if (decided >> buffer.bit & 1)
        add(buffer.name, buffer.bit);
      for (const auto &[site, ways] : sites)
        for (size_t way = 0; way < ways.size(); ++way)
          if (ways[way] >> buffer.bit & 1)
            certificate.sites.push_back(
                {buffer.name, static_cast<Decides>(way), rangeOf({site.first, site.second}), {}});
    }
  if (decided >> OriginSets::images & 1)
    add("of a texture", OriginSets::images);
  llvm::stable_sort(certificate.uses, [](const Certificate::Use &a, const Certificate::Use &b) {
    return a.decides != Decides::Value && b.decides == Decides::Value; // the weaker reason comes last
  });
  if (decided >> OriginSets::schedule & 1)
    certificate.obstacles.push_back({"the effect of this instruction depends on the order in which threads execute",
                                     rangeOf(uses[OriginSets::schedule].place)});
  if (vague)
    certificate.obstacles.push_back({"values in vector registers are not tracked", {}});
  if (unordered)
    certificate.unordered = {"its result depends on the order in which threads execute", rangeOf(*unordered)};
}

} // namespace ptxray::machine
