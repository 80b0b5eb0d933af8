#pragma once
// The memory model leaves this open to plain accesses of global memory: a store is private to its thread until
// something orders it or some time has passed, and a load may have been done at any time since its thread last acquired
// something. Only schedules that begin with `weak` do so.
#include "Machine/Timing.h"
#include <deque>
#include <map>
#include <memory>

namespace ptxray::machine {

/// A store that is not done yet, of 4 or 8 bytes.
struct PrivateStore {
  uint8_t *to;
  uint64_t value;
  unsigned bytes, lane;
  uint64_t due; // turns
};
/// Bytes that a place held until a time, which is the number of a store.
struct OldValue {
  uint64_t until, value;
};

struct Past {
  uint64_t since = 0;          // when the first of the values was written, as far as that is known
  std::deque<OldValue> values; // the oldest first
};

/// All warps of a grid share one of these.
struct WeakMemory {
  uint64_t time = 0, turn = 0;
  std::map<const uint8_t *, Past> old;
};

/// Each warp has a view of its own.
class WeakView {
public:
  WeakView(WeakMemory &shared, Timing &timing) : shared(shared), timing(timing) {}

  /// One that acquires has what was done before the value was written done before the loads that follow.
  uint64_t load(const uint8_t *from, unsigned bytes, unsigned lane, bool isStrong, bool acquires);
  void store(uint8_t *to, unsigned bytes, unsigned lane, uint64_t value);
  /// Bytes are accessed as a whole, such as by an atomic operation: what the warp stored there is done before.
  void settle(const uint8_t *at, uint64_t bytes);
  /// The store is done at once.
  void write(uint8_t *to, unsigned bytes, uint64_t value);

  /// Does all stores.
  void release();
  /// Loads from now on come after this.
  void acquire() { acquired = shared.time; }
  /// Does those that are due.
  void pass();

private:
  void perform(size_t index);

  WeakMemory &shared;
  Timing &timing;
  std::deque<PrivateStore> stores;           // the oldest first
  uint64_t acquired = 0;                     // when
  std::map<const uint8_t *, uint64_t> known; // for each place, the time before which loads no longer are
};

} // namespace ptxray::machine
