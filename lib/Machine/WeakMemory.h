#pragma once
// Simulates the weak memory model for 4-byte and 8-byte accesses to global memory. A store is first private to its
// lane, then visible to the warps of its block, then to all threads. The delays are chosen by the schedule, and a load
// may return an older value. Releases, acquires, fences and barriers order accesses, each for the block or for all
// threads. Furthermore, a strong load never returns an older value than an earlier one. Unordered stores may become
// visible in either order. Only schedules with `weak` use this simulation. Operations on mbarrier objects and some
// others provide more order than the model requires.
#include "Machine/LateAccess.h"
#include "Machine/Timing.h"
#include <array>
#include <deque>
#include <list>
#include <map>
#include <memory>

namespace ptxray::machine {

class WeakView;
struct WeakBlock;

/// The threads for which an access or a fence provides order.
enum class Reach : uint8_t { Block, Everybody };

/// The properties of an access that matter to the memory model.
struct WeakAccess {
  unsigned bytes, lane;
  bool isStrong, orders; // orders: a load that acquires, or a store that releases
  Reach reach;
};

/// A store that is not visible to all threads yet.
struct PendingStore {
  uint8_t *to;
  uint64_t value;
  unsigned bytes, lane;
  bool isStrong;
  uint64_t due;    // in turns
  uint64_t round;  // stores of a warp become visible to its block in round order
  uint64_t epoch;  // stores of a block become visible to all threads in epoch order
  uint64_t number; // among all stores
  uint64_t knows;  // number of the last store that may precede this one for the warp
  const WeakView *writer;
  const WeakBlock *block;
  bool yields;                             // may take effect before an earlier store with which it is unordered
  bool isReleased = false;                 // visible to acquiring threads, although not to all threads
  std::vector<const WeakView *> readers{}; // warps that have observed it
};
/// The value of a location before a write. Times are numbers of writes that are visible to all threads.
struct OldValue {
  uint64_t until, value;
};

struct Past {
  uint64_t since = 0;              // time of the write of the first value, if known
  std::deque<OldValue> values;     // oldest first
  PendingStore newest{};           // the last write
  std::deque<PendingStore> rivals; // stores that are unordered with the last one
};

/// The stores that only the warps of one block observe.
struct WeakBlock {
  std::deque<PendingStore> stores; // oldest first
  std::map<const uint8_t *, uint64_t>
      known; // for each location, the time of the oldest value that loads may still return
  std::vector<WeakView *> views;
  std::vector<std::unique_ptr<WeakView>> ended; // views of warps that have exited, but still have stores
  uint64_t epoch = 0;
  uint64_t released = 0; // time of the last write that acquiring warps of the block observe
};

/// A surface write that memory does not contain yet.
struct PendingTexel {
  static constexpr uint32_t mostBytes = 16;
  uint8_t *to;
  std::array<uint8_t, mostBytes> value;
  uint32_t bytes;
  uint64_t surface; // handle of the surface
  const WeakBlock *block;
  uint64_t due; // in turns
};

/// The weak memory of a grid, shared by all its warps.
struct WeakMemory {
  ~WeakMemory() { finish(); }
  /// Makes all stores visible to all threads.
  void finish();
  std::shared_ptr<WeakBlock> newBlock() { return blocks.emplace_back(std::make_shared<WeakBlock>()); }
  /// Makes stores that are due visible to more threads.
  void pass();

  uint64_t time = 0, turn = 0, stores = 0;
  uint64_t sequential = 0; // time of the last sequentially consistent fence
  std::map<const uint8_t *, Past> old;
  std::list<std::shared_ptr<WeakBlock>> blocks; // including blocks that have ended, while they have stores
  std::deque<PendingTexel> texels;              // oldest first

private:
  friend class WeakView;
  void perform(WeakBlock &block, size_t index);
  /// Makes the stores of earlier epochs of the block visible to all threads, and also those of this epoch to the given
  /// bytes.
  void performBefore(WeakBlock &block, uint64_t epoch, const uint8_t *at = nullptr, uint64_t bytes = 0);
  void performDue(WeakBlock &block);
  /// Writes texels to memory, up to the first one that is not due.
  void performTexels(uint64_t until);
};

/// The view that one warp has of global memory.
class WeakView {
public:
  std::vector<LateAccess> late; // delayed accesses, earliest first

  WeakView(WeakMemory &shared, WeakBlock &block, Timing &timing);
  ~WeakView();
  WeakView(const WeakView &) = delete;
  WeakView &operator=(const WeakView &) = delete;

  /// Returns whether the warp has not started yet. Warps start at different times.
  bool sleeps() const { return shared.turn < begin; }
  /// Advances time before a memory access.
  void wait();
  uint64_t load(const uint8_t *from, const WeakAccess &access);
  void store(uint8_t *to, const WeakAccess &access, uint64_t value);
  /// Makes the stores of the warp and its block to these bytes visible to all threads, because the bytes are accessed
  /// with a different size.
  void settle(const uint8_t *at, uint64_t bytes);
  /// Records a surface write. There are no fences for surfaces: the block observes its own writes through the same
  /// surface, but other blocks may not.
  void storeTexel(const PendingTexel &texel);
  /// Returns the bytes that a texel read observes.
  const uint8_t *texelAt(const uint8_t *from, uint32_t bytes, uint64_t surface) const;
  void settleTexels() { shared.performTexels(~uint64_t(0)); }
  /// Keeps the view of an exited warp as long as it has pending stores.
  static void end(std::unique_ptr<WeakView> view);
  /// Prepares an atomic operation, which is performed immediately. Makes released stores, and stores to these bytes,
  /// visible to all threads first. Returns the old value; with block scope, it may lack writes of other blocks.
  uint64_t beginAtomic(const uint8_t *at, const WeakAccess &access);
  void endAtomic(uint8_t *at, const WeakAccess &access, uint64_t value, bool acquires);

  void release(Reach reach);
  void acquire(Reach reach);
  /// Releases the warp's accesses at a barrier of the block.
  void meet();
  /// Acquires the accesses of the views in `others`, which arrived at the same barrier.
  void acquireFrom(const std::vector<const WeakView *> &others);
  /// Performs a sequentially consistent fence.
  void fence(Reach reach);
  /// Makes the block's stores visible to all threads, and the writes of all threads visible to the warp.
  void settleAll();

private:
  friend struct WeakMemory;
  /// Returns whether another block performed the last write.
  bool isOfOthers(const Past &past) const { return past.newest.block != &block; }
  void tell(size_t index);
  void tellAll();
  void tellDue();
  uint64_t loadFromPast(const Past &past, uint64_t now, const uint8_t *from, const WeakAccess &access);

  WeakMemory &shared;
  WeakBlock &block;
  Timing &timing;
  std::deque<PendingStore> stores; // private stores, oldest first
  uint64_t begin = 0, round = 0;
  uint64_t acquired = 0;                     // loads return no values that are older than this time
  uint64_t observed = 0;                     // time of the newest value that strong loads returned; a fence acquires it
  uint64_t written = 0;                      // time at which the last write of this warp became visible to all threads
  uint64_t knows = 0;                        // number of the last store that the warp may have observed
  std::map<const uint8_t *, uint64_t> known; // same meaning as in WeakBlock
};

} // namespace ptxray::machine
