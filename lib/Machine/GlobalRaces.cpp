#include "Machine/GlobalRaces.h"
#include "Machine/Grid.h"
#include <cstdlib>

namespace ptxray::machine {

static constexpr unsigned cellBytes = 16;

void GlobalShadows::Free::operator()(GlobalCell *cells) const { std::free(cells); }

GlobalCell *GlobalShadows::of(const Allocation &allocation) {
  const std::lock_guard lock(mutex);
  const auto [found, isNew] = cells.try_emplace(&allocation);
  if (isNew) // pages that are not touched take no memory
    found->second.reset(static_cast<GlobalCell *>(
        std::calloc((allocation.end - allocation.begin) / cellBytes + 1, sizeof(GlobalCell))));
  return found->second.get();
}

namespace {

enum class State : uint8_t { Untouched, Read, ReadByAll, Written };

/// What a cell says.
struct Content {
  State state = State::Untouched;
  uint16_t bytes = 0;       // a bit for each of the 16
  uint32_t cluster = 0;     // its number
  uint32_t agent = 0;       // in the cluster, that was the last
  uint32_t clock = 0;       // its own at that time
  uint32_t instruction = 0; // in the Ast
};

constexpr unsigned bitsOfAgent = 12, bitsOfClock = 20;

} // namespace

/// Nothing where another core is writing.
static Content read(const GlobalCell &cell) {
  const uint64_t who = cell.who.load(std::memory_order_acquire);
  const uint64_t when = cell.when.load(std::memory_order_acquire);
  if (!who || cell.who.load(std::memory_order_relaxed) != who)
    return {};
  Content content;
  content.state = static_cast<State>(who & 7);
  content.bytes = static_cast<uint16_t>(who >> 8);
  content.cluster = static_cast<uint32_t>(who >> 32);
  content.agent = static_cast<uint32_t>(when & ((1u << bitsOfAgent) - 1));
  content.clock = static_cast<uint32_t>(when >> bitsOfAgent & ((1u << bitsOfClock) - 1));
  content.instruction = static_cast<uint32_t>(when >> 32);
  return content;
}

static void write(GlobalCell &cell, const Content &content) {
  const uint64_t who =
      static_cast<uint64_t>(content.state) | uint64_t(content.bytes) << 8 | uint64_t(content.cluster) << 32;
  const uint64_t when = content.agent | uint64_t(content.clock) << bitsOfAgent | uint64_t(content.instruction) << 32;
  if (cell.when.load(std::memory_order_relaxed) == when && cell.who.load(std::memory_order_relaxed) == who)
    return;
  cell.who.store(0, std::memory_order_relaxed);
  cell.when.store(when, std::memory_order_release);
  cell.who.store(who, std::memory_order_release);
}

/// Nothing orders what the cell says before what the warp does. Reads beside writes of a warp of the same cluster are
/// left alone: compilers let several warps read what only one of them uses, and writes.
static bool isUnordered(const Content &before, const Content &now, const Warp &warp) {
  if (before.cluster != now.cluster) {
    if (!warp.block->grid->program.needsOrder)
      return true;
    const llvm::BitVector &seen = warp.block->agents->seen;
    return !seen.empty() && before.state != State::ReadByAll && !seen.test(before.cluster);
  }
  return before.state == State::Written && now.state == State::Written && before.agent != now.agent &&
         before.agent < warp.clock.size() && warp.clock[before.agent] < before.clock;
}

/// What the cell says after an access.
static Content after(const Content &before, const Content &now) {
  if (before.state == State::Untouched || now.state == State::Written)
    return now;
  if (before.state == State::Written)
    return before;
  Content all = before;
  all.bytes |= now.bytes;
  if (before.cluster != now.cluster)
    all.state = State::ReadByAll;
  return all;
}

Race noteGlobal(Warp &warp, const Instruction &at, const GlobalAccess &access) {
  GridState &grid = *warp.block->grid;
  const auto [known, isNew] = grid.cells.try_emplace(&access.allocation, nullptr);
  if (isNew)
    known->second = grid.shadows->of(access.allocation);
  GlobalCell *const cells = known->second;
  Content now{access.isWrite ? State::Written : State::Read,
              0,
              static_cast<uint32_t>(warp.block->agents->cluster),
              warp.agent,
              warp.clock[warp.agent],
              static_cast<uint32_t>(&at - grid.program.module->ast().instructions.data())};
  if (!cells || now.agent >> bitsOfAgent || now.clock >> bitsOfClock || warp.block->agents->cluster >= UINT32_MAX)
    return {};
  const uint64_t end = access.offset + access.bytes;
  for (uint64_t from = access.offset; from < end;) {
    GlobalCell &cell = cells[from / cellBytes];
    const uint64_t first = from % cellBytes, count = std::min(cellBytes - first, end - from);
    now.bytes = static_cast<uint16_t>(((1u << count) - 1) << first);
    const Content before = read(cell);
    const bool conflicts = (before.bytes & now.bytes) && (before.state == State::Written || access.isWrite);
    if (conflicts && isUnordered(before, now, warp)) {
      Race race;
      race.earlier = {before.agent, before.clock, 0, &at - now.instruction + before.instruction};
      race.isGlobal = true;
      race.isWrite = before.state == State::Written;
      if (before.cluster != now.cluster)
        race.cluster = before.cluster;
      return race;
    }
    write(cell, after(before, now));
    from += count;
  }
  return {};
}

void orderClusters(Warp &warp, uint64_t place) {
  Agents &agents = *warp.block->agents;
  if (agents.seen.empty())
    return;
  llvm::BitVector &others = warp.block->grid->order.places[place];
  agents.seen |= others;
  others = agents.seen;
}

} // namespace ptxray::machine
