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

void WeakView::write(uint8_t *to, unsigned bytes, uint64_t value) {
  constexpr size_t mostOld = 16;
  // The past of places that overlap in part is forgotten.
  for (auto one = shared.old.lower_bound(to - mostBytes + 1); one != shared.old.end() && one->first < to + bytes;)
    one = one->first == to ? std::next(one) : shared.old.erase(one);
  Past &past = shared.old[to];
  past.values.push_back({++shared.time, valueAt(to, bytes)});
  if (past.values.size() > mostOld) {
    past.since = past.values.front().until;
    past.values.pop_front();
  }
  std::memcpy(to, &value, bytes);
  known[to] = shared.time;
}

void WeakView::perform(size_t index) {
  const PrivateStore one = stores[index];
  stores.erase(stores.begin() + static_cast<long>(index));
  write(one.to, one.bytes, one.value);
}

void WeakView::settle(const uint8_t *at, uint64_t bytes) {
  for (size_t i = 0; i < stores.size();)
    if (overlap(stores[i].to, stores[i].bytes, at, bytes))
      perform(i);
    else
      ++i;
}

void WeakView::release() {
  while (!stores.empty())
    perform(0);
}

void WeakView::pass() {
  for (size_t i = 0; i < stores.size();) {
    const PrivateStore one = stores[i];
    if (one.due > shared.turn) {
      ++i;
      continue;
    }
    settle(one.to, one.bytes); // those before it, and it
    i = 0;
  }
}

void WeakView::store(uint8_t *to, unsigned bytes, unsigned lane, uint64_t value) {
  for (const PrivateStore &one : stores)
    if (overlap(one.to, one.bytes, to, bytes) && (one.to != to || one.bytes != bytes || one.lane != lane)) {
      settle(to, bytes);
      break;
    }
  constexpr uint32_t mostTurns = 32;
  stores.push_back({to, value, bytes, lane, shared.turn + timing.choose(mostTurns)});
}

uint64_t WeakView::load(const uint8_t *from, unsigned bytes, unsigned lane, bool isStrong, bool acquires) {
  for (size_t i = stores.size(); i--;) {
    const PrivateStore &one = stores[i];
    if (one.to == from && one.bytes == bytes && one.lane == lane)
      return one.value;
    if (one.lane == lane && overlap(one.to, one.bytes, from, bytes)) {
      settle(from, bytes);
      break;
    }
  }
  const uint64_t now = valueAt(from, bytes);
  const auto past = shared.old.find(from);
  if (past == shared.old.end())
    return now;
  const auto bound = known.find(from);
  const uint64_t least = std::max(acquired, bound == known.end() ? 0 : bound->second);
  const std::deque<OldValue> &values = past->second.values;
  const auto first = std::find_if(values.begin(), values.end(), [&](const OldValue &one) { return one.until > least; });
  const auto count = static_cast<uint32_t>(values.end() - first);
  const uint32_t chosen = timing.choose(2) ? count : timing.choose(count + 1);
  const auto at = first + chosen;
  const uint64_t written = at == values.begin() ? past->second.since : std::prev(at)->until;
  if (isStrong)
    known[from] = std::max(bound == known.end() ? 0 : bound->second, written);
  if (acquires)
    acquired = std::max(acquired, written);
  return at == values.end() ? now : at->value;
}

} // namespace ptxray::machine
