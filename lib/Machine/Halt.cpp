#include "Machine/Halt.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace ptxray::machine {

bool isHalted(const GridState &grid) { return grid.halt && grid.halt->isHalted; }

bool isQuiet(const Warp &warp, const FunctionCode &code, const CodeBlock &block) {
  HaltSearch &search = *warp.block->grid->halt;
  const HaltRule &rule = search.rule;
  search.blockBegan = search.time;
  const uint64_t end = search.time + block.instructions;
  if (end > rule.before || !rule.watched.empty())
    return false;
  const auto place = llvm::lower_bound(rule.places, CodePlace{code.number, block.firstInstruction});
  const bool hasPlace = place != rule.places.end() && place->function == code.number &&
                        place->instruction < block.firstInstruction + block.instructions;
  const bool isOther = rule.warp && !(*rule.warp == WarpName{warp.block->index, warp.number});
  if (end > rule.after && (rule.isAny || hasPlace) && !isOther)
    return false;
  search.time = end;
  return true;
}

void haltAtFault(const Warp &warp, const CodeBlock &block) {
  const uint32_t instruction = warp.fault->instruction - block.firstInstruction;
  if (instruction < block.instructions)
    warp.block->grid->halt->time = warp.block->grid->halt->blockBegan + instruction;
}

/// The frame of the function that the warp has entered last; null: none.
static const Frame *frameOf(const Warp &warp, uint32_t function) {
  for (const Frame &frame : llvm::reverse(warp.frames))
    if (frame.code.number == function)
      return &frame;
  return nullptr;
}

static std::vector<uint8_t> registerNow(const Warp &warp, const WatchedBytes &watched) {
  const Frame *frame = frameOf(warp, watched.function);
  if (!frame)
    return {};
  const char *at = frame->registers + watched.address;
  if (!watched.bytes) {
    uint32_t lanes;
    std::memcpy(&lanes, at, sizeof lanes);
    return {static_cast<uint8_t>(lanes >> watched.lane & 1)};
  }
  const auto *lane = reinterpret_cast<const uint8_t *>(at) + size_t(watched.lane) * watched.bytes;
  return {lane, lane + watched.bytes};
}

std::vector<uint8_t> bytesNow(GridState &grid, const WatchedBytes &watched) {
  using Where = WatchedBytes::Where;
  if (watched.where == Where::Global) {
    const Allocation *one = grid.memory.find(watched.address);
    if (!one || !one->contains(watched.address, watched.bytes))
      return {};
    const uint8_t *at = one->at(watched.address);
    return {at, at + watched.bytes};
  }
  for (BlockState *block : grid.blocks) {
    if (block->index != watched.of.block)
      continue;
    if (watched.where == Where::Shared) {
      if (watched.address > block->shared.size() || watched.bytes > block->shared.size() - watched.address)
        return {};
      const uint8_t *at = block->shared.data() + watched.address;
      return {at, at + watched.bytes};
    }
    if (watched.of.warp >= block->warps.size())
      return {};
    Warp &warp = block->warps[watched.of.warp];
    if (watched.where == Where::Register)
      return registerNow(warp, watched);
    if (watched.address > warp.localBytes || watched.bytes > warp.localBytes - watched.address)
      return {};
    const uint8_t *at = warp.localOf(watched.lane) + watched.address;
    return {at, at + watched.bytes};
  }
  return {};
}

/// The first of what is watched that has changed since it was looked at last.
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

/// The lanes that execute the instruction.
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

bool haltsBefore(Warp &warp, const FunctionCode &code, uint32_t instruction) {
  GridState &grid = *warp.block->grid;
  HaltSearch &search = *grid.halt;
  const HaltRule &rule = search.rule;
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
  if (!isFitting || time < rule.after)
    return false;
  search.found = {time, &warp, place, changed};
  search.isHalted = !rule.isLast;
  return search.isHalted;
}

} // namespace ptxray::machine
