#include "Machine/Unwritten.h"
#include "Machine/Flight.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace ptxray::machine {

void markWritten(Written &written, uint64_t at, uint64_t bytes) {
  if (at < written.size())
    std::memset(written.data() + at, 1, std::min(bytes, written.size() - at));
}

void copyWritten(Written &written, uint64_t from, uint64_t to, uint64_t bytes) {
  if (!written.empty())
    std::memmove(written.data() + to, written.data() + from, bytes);
}

uint8_t *writtenAt(Warp &warp, Space space, uint64_t address, unsigned lane) {
  if (space == Space::Generic) {
    if (address / windowBytes != localWindow / windowBytes && address / windowBytes != sharedWindow / windowBytes)
      return nullptr;
    space = address / windowBytes == localWindow / windowBytes ? Space::Local : Space::Shared;
    address %= windowBytes;
  }
  if (space == Space::Local) {
    const size_t at = size_t(lane) * warp.localBytes + address;
    return at < warp.localWritten.size() ? warp.localWritten.data() + at : nullptr;
  }
  const uint64_t rank = address >> sharedRankShift, at = address & sharedOffsetMask;
  if (space != Space::Shared || rank >= warp.block->cluster.size())
    return nullptr;
  Written &written = warp.block->cluster[rank]->written;
  return at < written.size() ? written.data() + at : nullptr;
}

static void add(Frame &frame, Slot slot, uint32_t lanes, uint32_t from, bool isCopied = false) {
  frame.unwrittenFilter |= filterOf(slot);
  UnwrittenLanes &known = frame.unwritten[slot];
  known.isCopied = isCopied || (known.lanes && known.isCopied);
  known.from = known.lanes ? known.from : from;
  known.lanes |= lanes;
}

static void remove(Frame &frame, Slot slot, uint32_t lanes) {
  const auto found = frame.unwritten.find(slot);
  if (found == frame.unwritten.end() || (found->second.lanes &= ~lanes))
    return;
  frame.unwritten.erase(found);
  frame.unwrittenFilter = 0;
  for (const auto &[other, known] : frame.unwritten)
    frame.unwrittenFilter |= filterOf(other);
}

void setUnwritten(Frame &frame) {
  frame.unwritten.clear();
  frame.unwrittenFilter = 0;
  for (const Place &place : frame.code.readFirst)
    add(frame, place.slot, allLanes, UnwrittenLanes::never);
}

void noteUnwrittenLoad(Warp &warp, const Op &op, size_t index, size_t elements, uint32_t lanes, bool isGlobal) {
  Frame &frame = *warp.now.frame;
  const llvm::ArrayRef<Slot> results = frame.code.flow(op.instruction).results;
  if (results.size() == elements)
    add(frame, results[index], lanes, op.instruction, isGlobal);
}

void noteDoubtfulLoad(Warp &warp, const Op &op, uint32_t lanes, const DoubtfulLoad &load) {
  Frame &frame = *warp.now.frame;
  for (const Slot slot : frame.code.flow(op.instruction).results)
    add(frame, slot, lanes, op.instruction);
  const auto [known, isNew] = warp.doubts.try_emplace(op.instruction, load);
  if (isNew)
    nameRule(known->second.race, warp, /*isWrite=*/false);
}

static void reportUnwritten(Warp &warp, const Frame &frame, uint32_t instruction, Slot slot, uint32_t lanes,
                            const char *use) {
  Fault *fault = raise(warp, instruction, static_cast<unsigned>(__builtin_ctz(lanes)));
  if (!fault)
    return;
  fault->from = frame.unwritten.find(slot)->second.from;
  if (const auto doubt = warp.doubts.find(fault->from); doubt != warp.doubts.end()) {
    fault->race = doubt->second.race;
    fault->address = doubt->second.address;
    fault->instruction = fault->from;
    return;
  }
  fault->kind = Fault::Kind::Unwritten;
  fault->text = use;
}

void noteUnwrittenStore(Warp &warp, const Op &op, Slot slot, unsigned lane) {
  if (!warp.now.frame->unwritten.find(slot)->second.isCopied)
    reportUnwritten(warp, *warp.now.frame, op.instruction, slot, 1u << lane, "stores");
}

void followBranch(Warp &warp, uint32_t instruction, Slot guard, uint32_t lanes) {
  const Frame &frame = *warp.now.frame;
  if (const uint32_t found = unwrittenLanes(frame, guard) & lanes)
    reportUnwritten(warp, frame, instruction, guard, found, "branches by");
}

void followInstruction(Warp &warp, uint32_t instruction, uint32_t lanes) {
  Frame &frame = *warp.now.frame;
  const RegisterFlow flow = frame.code.flow(instruction);
  for (const Slot slot : flow.addresses)
    if (const uint32_t found = unwrittenLanes(frame, slot) & lanes)
      return reportUnwritten(warp, frame, instruction, slot, found, "computes an address from");
  uint32_t any = 0, all = lanes, from = UnwrittenLanes::never;
  bool isCopied = false;
  Slot first = noSlot;
  for (const Slot slot : flow.sources)
    if (const auto found = frame.unwritten.find(slot); found != frame.unwritten.end()) {
      any |= found->second.lanes;
      all &= found->second.lanes;
      first = slot;
      from = found->second.from;
      isCopied |= found->second.isCopied;
    } else
      all = 0;
  all = flow.sources.empty() ? 0 : all;
  if (flow.isOutput && all && !isCopied)
    return reportUnwritten(warp, frame, instruction, first, all, "stores");
  if (from == UnwrittenLanes::never)
    from = instruction;
  const uint32_t become = (flow.isStrict ? any : all) & lanes;
  for (const Slot slot : flow.results) {
    remove(frame, slot, lanes);
    if (become)
      add(frame, slot, become, from, isCopied && !flow.isStrict);
  }
}

} // namespace ptxray::machine
