#include "Machine/WeakMemory.h"
#include <algorithm>
#include <cstring>

namespace ptxray::machine {

static constexpr unsigned mostBytes = 8;

static bool overlap(const uint8_t *a, uint64_t bytesOfA, const uint8_t *b, uint64_t bytesOfB) {
  return a < b + bytesOfB && b < a + bytesOfA;
}

static uint64_t valueAt(const uint8_t *at, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}

static uint64_t timeFor(const std::map<const uint8_t *, uint64_t> &known, const uint8_t *at) {
  const auto found = known.find(at);
  return found == known.end() ? 0 : found->second;
}

static void raise(uint64_t &time, uint64_t to) { time = std::max(time, to); }

// ---- what everybody sees
/// Returns whether two stores to one location are unordered. Two strong stores have one order for all threads.
static bool areRivals(const PendingStore &before, const PendingStore &after) {
  return before.writer && after.writer && before.writer != after.writer && !(before.isStrong && after.isStrong) &&
         before.number > after.knows;
}

void WeakMemory::perform(WeakBlock &block, size_t index) {
  constexpr size_t mostOld = 16, mostRivals = 4;
  const PendingStore one = block.stores[index];
  block.stores.erase(block.stores.begin() + static_cast<long>(index));
  // Discard the history of partially overlapping locations.
  for (auto other = old.lower_bound(one.to - mostBytes + 1); other != old.end() && other->first < one.to + one.bytes;)
    other = other->first == one.to ? std::next(other) : old.erase(other);
  Past &past = old[one.to];
  const uint64_t before = valueAt(one.to, one.bytes);
  const bool isRival = areRivals(past.newest, one);
  std::erase_if(past.rivals, [&](const PendingStore &other) {
    return !isRival || other.writer == one.writer || other.number <= one.knows;
  });
  if (isRival)
    past.rivals.push_back(one.yields ? one : past.newest);
  if (past.rivals.size() > mostRivals)
    past.rivals.pop_front();
  ++time;
  if (!isRival || !one.yields) {
    past.newest = one;
    past.values.push_back({time, before});
    if (past.values.size() > mostOld) {
      past.since = past.values.front().until;
      past.values.pop_front();
    }
    std::memcpy(one.to, &one.value, one.bytes);
  }
  if (one.isReleased)
    raise(block.released, time);
  for (WeakView *view : block.views) {
    if (view == one.writer)
      raise(view->written, time);
    if (view == one.writer || std::ranges::find(one.readers, view) != one.readers.end())
      raise(view->known[one.to], time);
  }
}

void WeakMemory::performBefore(WeakBlock &block, uint64_t epoch, const uint8_t *at, uint64_t bytes) {
  for (;;) { // earliest epoch first
    auto next = block.stores.end();
    for (auto one = block.stores.begin(); one != block.stores.end(); ++one)
      if ((one->epoch < epoch || (one->epoch == epoch && overlap(one->to, one->bytes, at, bytes))) &&
          (next == block.stores.end() || one->epoch < next->epoch))
        next = one;
    if (next == block.stores.end())
      return;
    perform(block, static_cast<size_t>(next - block.stores.begin()));
  }
}

/// Returns the index of the first store that is due and does not wait for other stores, or the number of stores.
static size_t nextDue(const std::deque<PendingStore> &stores, uint64_t turn, uint64_t PendingStore::*order) {
  for (size_t i = 0; i < stores.size(); ++i) {
    const PendingStore &one = stores[i];
    bool mustWait = one.due > turn;
    for (size_t k = 0; k < stores.size() && !mustWait; ++k)
      mustWait = stores[k].*order < one.*order || (k < i && overlap(stores[k].to, stores[k].bytes, one.to, one.bytes));
    if (!mustWait)
      return i;
  }
  return stores.size();
}

void WeakMemory::performDue(WeakBlock &block) {
  for (size_t next; (next = nextDue(block.stores, turn, &PendingStore::epoch)) != block.stores.size();)
    perform(block, next);
}

void WeakMemory::performTexels(uint64_t until) {
  for (; !texels.empty() && texels.front().due <= until; texels.pop_front())
    std::memcpy(texels.front().to, texels.front().value.data(), texels.front().bytes);
}

void WeakMemory::pass() {
  performTexels(turn);
  for (auto one = blocks.begin(); one != blocks.end();) {
    for (WeakView *view : (*one)->views)
      view->tellDue();
    performDue(**one);
    std::erase_if((*one)->ended, [](const auto &view) { return view->stores.empty(); });
    const bool hasEnded = one->use_count() == 1 && (*one)->stores.empty() && (*one)->ended.empty();
    one = hasEnded ? blocks.erase(one) : std::next(one);
  }
}

void WeakMemory::finish() {
  performTexels(~uint64_t(0));
  for (const std::shared_ptr<WeakBlock> &one : blocks) {
    one->ended.clear();
    performBefore(*one, ~uint64_t(0));
  }
}

// ---- what the block sees
WeakView::WeakView(WeakMemory &shared, WeakBlock &block, Timing &timing)
    : shared(shared), block(block), timing(timing) {
  constexpr uint32_t mostTurns = 24;
  block.views.push_back(this);
  begin = timing.choose(2) ? 0 : shared.turn + timing.choose(mostTurns);
}

WeakView::~WeakView() {
  tellAll();
  std::erase(block.views, this);
}

void WeakView::end(std::unique_ptr<WeakView> view) {
  if (view && !view->stores.empty())
    view->block.ended.push_back(std::move(view));
}

/// Returns a delay. Half of the stores become visible to more threads immediately, the others soon or late.
static uint64_t delay(Timing &timing) {
  constexpr uint32_t kinds = 4, fewTurns = 8, mostTurns = 40;
  const uint32_t kind = timing.choose(kinds);
  return kind < 2 ? 0 : timing.choose(kind == 2 ? fewTurns : mostTurns);
}

void WeakView::tell(size_t index) {
  PendingStore one = stores[index];
  stores.erase(stores.begin() + static_cast<long>(index));
  one.due = shared.turn + delay(timing);
  block.stores.push_back(one);
}

void WeakView::tellAll() {
  while (!stores.empty())
    tell(0);
}

void WeakView::tellDue() {
  for (size_t next; (next = nextDue(stores, shared.turn, &PendingStore::round)) != stores.size();)
    tell(next);
}

void WeakView::wait() {
  constexpr uint32_t mostPasses = 3, mostTurns = 4;
  for (uint32_t left = timing.choose(mostPasses); left; --left) {
    shared.turn += timing.choose(mostTurns);
    shared.pass();
  }
}

// ---- accesses
/// Returns whether another warp performed the store, and the warp of `view` has not observed it.
static bool isUnknown(const PendingStore &one, const WeakView *view) {
  return one.writer != view && std::ranges::find(one.readers, view) == one.readers.end();
}

void WeakView::settle(const uint8_t *at, uint64_t bytes) {
  size_t count = stores.size();
  while (count && !overlap(stores[count - 1].to, stores[count - 1].bytes, at, bytes))
    --count;
  for (; count; --count)
    tell(0);
  std::optional<uint64_t> epoch;
  for (const PendingStore &one : block.stores)
    if (overlap(one.to, one.bytes, at, bytes))
      epoch = std::max(epoch.value_or(0), one.epoch);
  if (epoch)
    shared.performBefore(block, *epoch, at, bytes);
}

void WeakView::store(uint8_t *to, const WeakAccess &access, uint64_t value) {
  if (access.orders)
    release(access.reach);
  const unsigned bytes = access.bytes, lane = access.lane;
  for (const PendingStore &one : stores)
    if (overlap(one.to, one.bytes, to, bytes) && (one.to != to || one.bytes != bytes || one.lane != lane)) {
      settle(to, bytes);
      break;
    }
  stores.push_back({.to = to,
                    .value = value,
                    .bytes = bytes,
                    .lane = lane,
                    .isStrong = access.isStrong,
                    .due = shared.turn + delay(timing),
                    .round = round,
                    .epoch = block.epoch,
                    .number = ++shared.stores,
                    .knows = knows,
                    .writer = this,
                    .block = &block,
                    .yields = timing.choose(2) == 0});
}

uint64_t WeakView::load(const uint8_t *from, const WeakAccess &access) {
  constexpr uint32_t oneOfUnknown = 4;
  for (size_t i = stores.size(); i--;) {
    const PendingStore &one = stores[i];
    if (one.to == from && one.bytes == access.bytes && one.lane == access.lane)
      return one.value;
    if (one.lane == access.lane && overlap(one.to, one.bytes, from, access.bytes)) {
      settle(from, access.bytes);
      break;
    }
  }
  for (size_t i = block.stores.size(); i--;) {
    PendingStore &one = block.stores[i];
    if (one.to == from && one.bytes == access.bytes) {
      if (isUnknown(one, this) && timing.choose(oneOfUnknown) == 0)
        continue;
      if (access.isStrong)
        one.readers.push_back(this);
      if (access.orders)
        acquire(Reach::Block);
      return one.value;
    }
    if (overlap(one.to, one.bytes, from, access.bytes)) {
      settle(from, access.bytes);
      break;
    }
  }
  const uint64_t now = valueAt(from, access.bytes);
  const auto past = shared.old.find(from);
  return past == shared.old.end() ? now : loadFromPast(past->second, now, from, access);
}

void WeakView::storeTexel(const PendingTexel &texel) {
  shared.texels.push_back(texel);
  shared.texels.back().block = &block;
  shared.texels.back().due = shared.turn + delay(timing);
}

const uint8_t *WeakView::texelAt(const uint8_t *from, uint32_t bytes, uint64_t surface) const {
  for (size_t i = shared.texels.size(); i--;) {
    const PendingTexel &one = shared.texels[i];
    if (one.to == from && one.bytes == bytes && one.surface == surface && one.block == &block)
      return one.value.data();
    if (one.surface == surface && one.block == &block && overlap(one.to, one.bytes, from, bytes)) {
      shared.performTexels(~uint64_t(0));
      break;
    }
  }
  return from;
}

uint64_t WeakView::loadFromPast(const Past &past, uint64_t now, const uint8_t *from, const WeakAccess &access) {
  constexpr uint32_t oneOfRivals = 3;
  const uint64_t least = std::max({acquired, timeFor(known, from), timeFor(block.known, from)});
  const std::deque<OldValue> &values = past.values;
  const auto first = std::ranges::find_if(values, [&](const OldValue &one) { return one.until > least; });
  const auto count = static_cast<uint32_t>(values.end() - first);
  const uint32_t chosen = timing.choose(2) ? count : timing.choose(count + 1);
  const auto at = first + chosen;
  uint64_t value = at == values.end() ? now : at->value;
  if (at == values.end() && !past.rivals.empty() && !(access.isStrong && past.newest.isStrong) &&
      timing.choose(oneOfRivals) == 0)
    value = past.rivals[timing.choose(static_cast<uint32_t>(past.rivals.size()))].value;
  const uint64_t since = at == values.begin() ? past.since : std::prev(at)->until;
  if (access.isStrong) {
    raise(known[from], since);
    raise(observed, since);
  }
  const bool isOther = at == values.end() && isOfOthers(past);
  if (access.orders && access.reach == Reach::Everybody)
    raise(acquired, since);
  if (access.orders && (access.reach == Reach::Everybody || !isOther))
    acquire(Reach::Block);
  return value;
}

uint64_t WeakView::beginAtomic(const uint8_t *at, const WeakAccess &access) {
  if (access.orders)
    release(access.reach);
  while (!stores.empty() && stores.front().round < round)
    tell(0);
  shared.performBefore(block, block.epoch);
  settle(at, access.bytes);
  const uint64_t now = valueAt(at, access.bytes);
  const auto past = shared.old.find(at);
  const bool isFree = access.reach == Reach::Block && past != shared.old.end() && isOfOthers(past->second);
  return isFree ? loadFromPast(past->second, now, at, access) : now;
}

void WeakView::endAtomic(uint8_t *at, const WeakAccess &access, uint64_t value, bool acquires) {
  raise(observed, shared.time);
  const uint64_t number = ++shared.stores;
  block.stores.push_back({.to = at,
                          .value = value,
                          .bytes = access.bytes,
                          .lane = access.lane,
                          .isStrong = true,
                          .due = 0,
                          .round = round,
                          .epoch = block.epoch,
                          .number = number,
                          .knows = number,
                          .writer = this,
                          .block = &block,
                          .yields = false});
  shared.perform(block, block.stores.size() - 1);
  if (!acquires)
    return;
  if (access.reach == Reach::Everybody)
    acquired = shared.time;
  acquire(access.reach);
}

// ---- what orders
void WeakView::release(Reach reach) {
  ++round;
  if (reach == Reach::Everybody)
    ++block.epoch;
  raise(block.released, std::max(acquired, written));
  for (PendingStore &one : stores)
    one.isReleased = true;
  for (PendingStore &one : block.stores)
    one.isReleased |= one.writer == this || std::ranges::find(one.readers, this) != one.readers.end();
  for (const auto &[place, time] : std::exchange(known, {}))
    raise(block.known[place], time);
}

void WeakView::meet() {
  tellAll();
  release(Reach::Block);
}

void WeakView::acquireFrom(const std::vector<const WeakView *> &others) {
  raise(acquired, block.released);
  knows = shared.stores;
  for (PendingStore &one : block.stores)
    if (one.isReleased && std::ranges::any_of(others, [&](const WeakView *other) { return !isUnknown(one, other); }))
      one.readers.push_back(this);
}

void WeakView::acquire(Reach reach) {
  raise(acquired, block.released);
  if (reach == Reach::Everybody)
    raise(acquired, observed);
  knows = shared.stores;
  for (PendingStore &one : block.stores)
    if (one.isReleased)
      one.readers.push_back(this);
}

void WeakView::fence(Reach reach) {
  acquire(reach);
  tellAll();
  if (reach == Reach::Everybody) {
    shared.performBefore(block, ~uint64_t(0));
    raise(acquired, std::exchange(shared.sequential, shared.time));
  }
  release(reach);
}

void WeakView::settleAll() {
  tellAll();
  shared.performBefore(block, ~uint64_t(0));
  acquired = shared.time;
  acquire(Reach::Everybody);
  release(Reach::Block);
}

} // namespace ptxray::machine
