#include "Debug/Views.h"
#include "Emulate/Hangs.h"
#include "Machine/BarrierObject.h"
#include "Machine/Flight.h"
#include "Observe/Trace.h"
#include "Observe/Unwritten.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

namespace ptxray::machine::debug {

// ---- where lanes are

/// Returns the first instruction that lanes execute when they continue with a code block.
static CodePlace placeAt(const FunctionCode &code, uint32_t at) {
  while (at + 1 < code.blocks.size() && !code.blocks[at].instructions && code.blocks[at].way == Way::Next)
    ++at;
  const CodeBlock &block = code.blocks[at];
  return {code.number, block.instructions ? block.firstInstruction : block.instruction};
}

/// Returns the time at which lanes last executed an instruction, or nothing if that was too long ago.
static std::optional<uint64_t> endOf(const HaltSearch &search, const Warp &warp, uint32_t lanes) {
  const std::vector<Stretch> stretches = search.stretches.all();
  const auto last = llvm::find_if(llvm::reverse(stretches), [&](const Stretch &one) {
    return one.warp == WarpName{warp.block->index, warp.number} && one.lanes & lanes;
  });
  return last == stretches.rend() ? std::nullopt : std::optional(last->end);
}

std::vector<LaneGroup> groupsOf(HaltedLaunch &launch, Warp &warp) {
  using State = LaneGroup::State;
  std::vector<LaneGroup> groups;
  const auto add = [&](State state, const Fragment &one) {
    if (const uint32_t lanes = one.mask & warp.alive)
      groups.push_back({state, lanes, placeAt(one.frame->code, one.at), one.frame, "", std::nullopt});
  };
  const std::optional<HaltedAt> &found = launch.search().found;
  const bool isAt = launch.search().isHalted && found && found->warp == &warp;
  if (warp.now.mask)
    add(isAt ? State::Running : State::Ready, warp.now);
  if (isAt && !groups.empty())
    groups.back().at = found->place;
  if (warp.fault && !groups.empty())
    groups.back().at = {warp.fault->code->number, warp.fault->instruction};
  for (const Fragment &one : warp.others.ready)
    add(State::Ready, one);
  for (const WaitingLanes &one : waitingIn(*warp.block)) {
    if (one.warp != &warp)
      continue;
    const CodePlace at{one.frame->code.number, one.instruction};
    if (auto known = llvm::find_if(groups, [&](const LaneGroup &group) { return group.lanes & one.lanes; });
        known != groups.end()) { // lanes that repeatedly test a phase can run
      known->waitsFor = one.reason;
      known->since = asksSince(warp);
      continue;
    }
    groups.push_back({State::Waiting, one.lanes, at, const_cast<Frame *>(one.frame),
                      one.reason.empty() ? "other lanes have not arrived" : one.reason,
                      endOf(launch.search(), warp, one.lanes)});
  }
  for (const Join &join : warp.others.joins)
    if (join.arrived)
      groups.push_back({State::Waiting, join.arrived, placeAt(join.frame->code, join.at), join.frame,
                        "diverged lanes have not arrived", endOf(launch.search(), warp, join.arrived)});
  return groups;
}

std::vector<WarpView> warpsOf(HaltedLaunch &launch) {
  std::vector<WarpView> all;
  for (BlockState *block : launch.grid().blocks)
    for (Warp &warp : block->warps)
      all.push_back({{block->index, warp.number}, warp.alive, groupsOf(launch, warp)});
  return all;
}

// ---- registers

static const Place *placeOf(const FunctionCode &code, LocalId local) {
  const auto known = llvm::find_if(code.named, [&](const auto &one) { return one.first == local; });
  return known == code.named.end() ? nullptr : &known->second;
}

std::string registerText(const Frame &frame, LocalId local, unsigned lane) {
  const Place *place = placeOf(frame.code, local);
  const Symbol *symbol = frame.code.body->symbol(local);
  if (!place || !symbol)
    return "";
  if (unwrittenLanes(frame, place->slot) >> lane & 1)
    return "not written";
  return numberText(frame, *symbol, place->slot, lane);
}

std::vector<RegisterView> registersOf(const Frame &frame, unsigned lane) {
  std::vector<RegisterView> all;
  for (const auto &[local, place] : frame.code.named) {
    const Symbol *symbol = frame.code.body->symbol(local);
    if (!symbol || symbol->kind != SymbolKind::Register)
      continue;
    all.push_back({local, frame.code.body->text(local).str(),
                   symbol->isPredicate ? ".pred" : std::string(isa::word(symbol->type).text()),
                   registerText(frame, local, lane)});
  }
  return all;
}

// ---- barriers, operations, tensor memory

static BarrierView viewOf(const BlockState &block, size_t number) {
  const NumberedBarrier &barrier = block.barriers[number];
  uint32_t arrived = 0;
  for (const auto &[warp, lanes] : barrier.arrived)
    arrived += static_cast<uint32_t>(llvm::popcount(lanes));
  BarrierView view{block.index, "barrier " + std::to_string(number), barrierText(barrier)};
  view.expected = barrier.threads ? barrier.threads : block.threads();
  view.missing = view.expected - std::min(arrived, view.expected);
  return view;
}

/// Returns the shared variable that contains an offset: `full`, `full+8`.
static std::string variableAt(const Program &program, uint64_t offset) {
  for (const NamedPlace &one : program.shared)
    if (offset >= one.offset && offset - one.offset < one.bytes)
      return one.name + (offset == one.offset ? "" : "+" + std::to_string(offset - one.offset));
  return "";
}

static BarrierView viewOf(const BlockState &block, uint64_t offset, const ObjectHistory &history) {
  const std::string text = objectText(block, offset);
  const auto [name, state] = llvm::StringRef(text).split(" is ");
  BarrierView view{block.index, name.drop_front(llvm::StringRef("the barrier ").size()).str(),
                   state.empty() ? "written over" : state.str()};
  uint64_t bits;
  std::memcpy(&bits, block.shared.data() + offset, sizeof bits);
  if (const std::optional<BarrierObject> object = readBarrier(bits)) {
    view.missing = object->pending;
    view.expected = object->expected;
    view.came = history.came;
    view.due = history.expected;
    view.phase = history.phases;
    view.variable = variableAt(block.grid->program, offset);
  }
  return view;
}

/// Returns the warps that wait at a barrier.
static std::vector<BarrierView::Waiter> waitersAt(const HaltSearch &search, const NumberedBarrier &barrier) {
  std::vector<BarrierView::Waiter> all;
  for (const WaitingAtBarrier &one : barrier.waiting)
    all.push_back(
        {{one.warp->block->index, one.warp->number}, one.fragment.mask, endOf(search, *one.warp, one.fragment.mask)});
  return all;
}

/// Returns the warps that test the phase of the mbarrier object at an offset.
static std::vector<BarrierView::Waiter> waitersAt(const BlockState &block, uint64_t offset) {
  std::vector<BarrierView::Waiter> all;
  for (const BlockState *other : block.cluster)
    for (const Warp &warp : other->warps)
      if (warp.waitsInVain && !warp.isDone() && warp.waitsInVain->block == &block && warp.waitsInVain->offset == offset)
        all.push_back({{other->index, warp.number}, warp.waitsInVain->lanes, asksSince(warp)});
  return all;
}

std::vector<BarrierView> barriersOf(HaltedLaunch &launch) {
  std::vector<BarrierView> all;
  for (BlockState *block : launch.grid().blocks) {
    for (size_t number = 0; number < block->barriers.size(); ++number)
      if (!block->barriers[number].arrived.empty()) {
        all.push_back(viewOf(*block, number));
        all.back().waiters = waitersAt(launch.search(), block->barriers[number]);
      }
    for (const auto &[place, history] : block->agents->objects) {
      const auto begin = reinterpret_cast<uintptr_t>(block->shared.data());
      if (place < begin || place >= begin + block->shared.size())
        continue;
      all.push_back(viewOf(*block, place - begin, history));
      all.back().waiters = waitersAt(*block, place - begin);
    }
  }
  return all;
}

/// Returns the proxy of an operation, and its group or other completion mechanism.
static std::string waitingText(const Pending &one) {
  const ptxray::Body &body = *one.frame->code.body;
  const auto *action = llvm::find_if(body.facts(one.op->instruction).actions,
                                     [](const Action &any) { return any.kind == isa::FactKind::Async; });
  const bool isAsync = action->proxy() == isa::Proxy::Async;
  std::string text = isAsync ? "async proxy, " : "generic proxy, ";
  if (one.engine < 0)
    return text + "counted by a barrier object";
  const Engine &engine = one.warp->engines[static_cast<size_t>(one.engine)];
  const auto group = llvm::lower_bound(engine.groups, one.number);
  text += "number " + std::to_string(one.number) + " of its warp's engine, ";
  if (group == engine.groups.end())
    return text + "in no group yet";
  const auto newer = static_cast<uint64_t>(engine.groups.end() - group - 1);
  return text + "in its newest group" + (newer ? " but " + std::to_string(newer) : "");
}

std::vector<OperationView> operationsOf(GridState &grid) {
  std::vector<OperationView> all;
  for (BlockState *block : grid.blocks) {
    if (block->rank) // the blocks of a cluster have one list
      continue;
    for (const Pending &one : block->agents->flights->pending)
      all.push_back({{one.warp->block->index, one.warp->number},
                     {one.frame->code.number, one.op->instruction},
                     one.mask,
                     waitingText(one)});
  }
  return all;
}

HistoryView historyOf(HaltedLaunch &launch) {
  HistoryView history{launch.search().stretches.all(), {}};
  for (const EndedOperation &one : launch.search().operations.all())
    history.operations.push_back({one.warp, one.at, one.begin, one.end});
  for (BlockState *block : launch.grid().blocks)
    if (!block->rank) // the blocks of a cluster have one list
      for (const Pending &one : block->agents->flights->pending)
        history.operations.push_back({{one.warp->block->index, one.warp->number},
                                      {one.frame->code.number, one.op->instruction},
                                      launch.search().begun.at({block->agents.get(), one.id}),
                                      std::nullopt});
  return history;
}

std::vector<TensorView> tensorMemoryOf(GridState &grid) {
  std::vector<TensorView> all;
  for (BlockState *block : grid.blocks)
    for (uint32_t first = 0; first < TensorMemory::columns; first += TensorMemory::unit) {
      if (!block->tensor.isAllocated(first, TensorMemory::unit))
        continue;
      if (!all.empty() && all.back().block == block->index && all.back().first + all.back().count == first)
        all.back().count += TensorMemory::unit;
      else
        all.push_back({block->index, first, TensorMemory::unit});
    }
  return all;
}

// ---- bytes

/// Returns the floating-point format with this name. For `f16x2`, returns that of `f16`, because all numbers in a
/// register are displayed.
static const numbers::Format *floatNamed(llvm::StringRef name) {
  if (!name.consume_back("x2"))
    name.consume_back("x4");
  for (const numbers::Format *format :
       {&numbers::f16, &numbers::bf16, &numbers::f32, &numbers::f64, &numbers::tf32, &numbers::e4m3, &numbers::e5m2,
        &numbers::e2m3, &numbers::e3m2, &numbers::e2m1, &numbers::ue8m0, &numbers::ue4m3})
    if (name == format->name)
      return format;
  return nullptr;
}

std::optional<ByteFormat> formatNamed(llvm::StringRef name) {
  using How = ByteFormat::How;
  if (const numbers::Format *format = floatNamed(name))
    return ByteFormat{How::Float, std::max(8u, format->width()), format};
  if (name.empty())
    return std::nullopt;
  const char letter = name.front();
  ByteFormat result;
  result.how = letter == 'u' ? How::Unsigned : letter == 'd' || letter == 's' ? How::Signed : How::Hex;
  unsigned bits = 32;
  if (!llvm::StringRef("xbuds").contains(letter) || (name.size() > 1 && name.drop_front().getAsInteger(10, bits)) ||
      !llvm::is_contained({8u, 16u, 32u, 64u}, bits))
    return std::nullopt;
  result.bits = bits;
  return result;
}

ByteFormat formatOf(const Symbol &symbol) {
  const llvm::StringRef type = llvm::StringRef(isa::word(symbol.type).text()).trim('.');
  if (const std::optional<ByteFormat> format = formatNamed(type))
    return *format;
  const unsigned bits = symbol.isPredicate ? 8 : isa::word(symbol.type).bits;
  return *formatNamed(bits == 8 || bits == 16 || bits == 64 ? "x" + std::to_string(bits) : "x32");
}

std::string numberText(uint64_t bits, const ByteFormat &format) {
  using How = ByteFormat::How;
  switch (format.how) {
  case How::Hex: return "0x" + llvm::utohexstr(bits, /*LowerCase=*/true, format.bits / 4);
  case How::Unsigned: return std::to_string(bits);
  case How::Signed: return std::to_string(llvm::SignExtend64(bits, format.bits));
  case How::Float: break;
  }
  const uint64_t wide = numbers::store(numbers::read(bits, *format.format), numbers::f64, {});
  char text[32];
  std::snprintf(text, sizeof text, format.bits == 64 ? "%.17g" : "%.9g", llvm::bit_cast<double>(wide));
  return text;
}

std::vector<std::string> numbersIn(llvm::ArrayRef<uint8_t> bytes, const ByteFormat &format) {
  std::vector<std::string> all;
  const size_t size = format.bits / 8;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    all.push_back(numberText(bits, format));
  }
  return all;
}

static std::optional<uint64_t> bitsOfNumber(llvm::StringRef text, const ByteFormat &format) {
  uint64_t bits = 0;
  int64_t number = 0;
  double value = 0;
  if (text.starts_with("-") && format.how != ByteFormat::How::Float) {
    if (text.getAsInteger(0, number) || !llvm::isIntN(format.bits, number))
      return std::nullopt;
    return static_cast<uint64_t>(number) & llvm::maskTrailingOnes<uint64_t>(format.bits);
  }
  if (format.how == ByteFormat::How::Float && !text.starts_with("0x")) {
    if (text.getAsDouble(value))
      return std::nullopt;
    return numbers::store(numbers::read(llvm::bit_cast<uint64_t>(value), numbers::f64), *format.format, {});
  }
  if (text.getAsInteger(0, bits) || !llvm::isUIntN(format.bits, bits))
    return std::nullopt;
  return bits;
}

std::optional<std::vector<uint8_t>> bytesOfNumbers(llvm::StringRef text, const ByteFormat &format) {
  std::vector<uint8_t> bytes;
  llvm::SmallVector<llvm::StringRef> numbers;
  text.split(numbers, ',');
  for (const llvm::StringRef one : numbers) {
    const std::optional<uint64_t> bits = bitsOfNumber(one.trim(), format);
    if (!bits)
      return std::nullopt;
    const auto *begin = reinterpret_cast<const uint8_t *>(&*bits);
    bytes.insert(bytes.end(), begin, begin + format.bits / 8);
  }
  return bytes;
}

} // namespace ptxray::machine::debug
