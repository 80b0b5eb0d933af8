#pragma once
// The memory model leaves much open to accesses of global memory by 4 or 8 bytes. Here a store is private to its lane
// first, then all warps of its block see it, then everybody; the times are chosen, and a load may give a value from
// before. What orders them: a release, an acquire, a fence, a barrier, each for the block or for everybody, and that a
// strong load never goes back. Two stores that nothing orders may be seen in either order. Only schedules that begin
// with `weak` do so. Operations on barrier objects and some others order more than the model asks for.
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

/// The threads for which an access or a fence orders.
enum class Reach : uint8_t { Block, Everybody };

/// The properties of an access that the memory model asks for.
struct WeakAccess {
  unsigned bytes, lane;
  bool isStrong, orders; // a load that acquires, a store that releases
  Reach reach;
};

/// A store that not everybody sees yet.
struct PendingStore {
  uint8_t *to;
  uint64_t value;
  unsigned bytes, lane;
  bool isStrong;
  uint64_t due;    // in turns
  uint64_t round;  // the block sees stores of one round of a warp before those of the next
  uint64_t epoch;  // everybody sees stores of one epoch of a block before those of the next
  uint64_t number; // of all stores
  uint64_t knows;  // the number of the last store that may come before it for its warp
  const WeakView *writer;
  const WeakBlock *block;
  bool yields;                             // if it is not ordered with the last one, it may come before that
  bool isReleased = false;                 // who acquires it knows of it, although not everybody sees it,
  std::vector<const WeakView *> readers{}; // and these know of it, too
};
/// The value that a place held until a time, which is the number of a write that everybody sees.
struct OldValue {
  uint64_t until, value;
};

struct Past {
  uint64_t since = 0;              // when the first of the values was written, as far as that is known
  std::deque<OldValue> values;     // the oldest first
  PendingStore newest{};           // the last write
  std::deque<PendingStore> rivals; // stores that are not ordered with the last one
};

/// The stores that the warps of a block see and others do not.
struct WeakBlock {
  std::deque<PendingStore> stores;           // the oldest first
  std::map<const uint8_t *, uint64_t> known; // for each place, the time before which loads no longer are
  std::vector<WeakView *> views;
  std::vector<std::unique_ptr<WeakView>> ended; // those of warps that have ended, while they have stores
  uint64_t epoch = 0;
  uint64_t released = 0; // the time up to which its warps know of writes that the others of the block may know of
};

/// Holds what was written through a surface and memory does not hold yet.
struct PendingTexel {
  static constexpr uint32_t mostBytes = 16;
  uint8_t *to;
  std::array<uint8_t, mostBytes> value;
  uint32_t bytes;
  uint64_t surface; // its handle
  const WeakBlock *block;
  uint64_t due; // in turns
};

/// All warps of a grid share one of these.
struct WeakMemory {
  ~WeakMemory() { finish(); }
  /// Everybody sees all stores.
  void finish();
  std::shared_ptr<WeakBlock> newBlock() { return blocks.emplace_back(std::make_shared<WeakBlock>()); }
  /// Those that see a store become more.
  void pass();

  uint64_t time = 0, turn = 0, stores = 0;
  uint64_t sequential = 0; // the time of the last fence that is in one order with all others
  std::map<const uint8_t *, Past> old;
  std::list<std::shared_ptr<WeakBlock>> blocks; // those that have ended, too, while they have stores
  std::deque<PendingTexel> texels;              // the oldest first

private:
  friend class WeakView;
  void perform(WeakBlock &block, size_t index);
  /// Everybody sees the stores of the block that are of earlier epochs, and those of this one to these bytes.
  void performBefore(WeakBlock &block, uint64_t epoch, const uint8_t *at = nullptr, uint64_t bytes = 0);
  void performDue(WeakBlock &block);
  /// Memory holds the texels up to the first one that is not due.
  void performTexels(uint64_t until);
};

/// Each warp has a view of its own.
class WeakView {
public:
  std::vector<LateAccess> late; // accesses of the warp that are not done yet, the earliest first

  WeakView(WeakMemory &shared, WeakBlock &block, Timing &timing);
  ~WeakView();
  WeakView(const WeakView &) = delete;
  WeakView &operator=(const WeakView &) = delete;

  /// Warps begin at different times.
  bool sleeps() const { return shared.turn < begin; }
  /// Some time passes before the warp accesses memory.
  void wait();
  uint64_t load(const uint8_t *from, const WeakAccess &access);
  void store(uint8_t *to, const WeakAccess &access, uint64_t value);
  /// Bytes are accessed as a whole: everybody sees what the warp and its block stored there.
  void settle(const uint8_t *at, uint64_t bytes);
  /// Surfaces have no fences: the block reads what it wrote through the same one, and other blocks need not.
  void storeTexel(const PendingTexel &texel);
  /// Returns the bytes that a read of a texel finds.
  const uint8_t *texelAt(const uint8_t *from, uint32_t bytes, uint64_t surface) const;
  void settleTexels() { shared.performTexels(~uint64_t(0)); }
  /// The warp has ended.
  static void end(std::unique_ptr<WeakView> view);
  /// An atomic operation is done at once. Everybody sees before what was released, and what was stored there. Returns
  /// what it finds: one for the block alone need not see what others did.
  uint64_t beginAtomic(const uint8_t *at, const WeakAccess &access);
  void endAtomic(uint8_t *at, const WeakAccess &access, uint64_t value, bool acquires);

  void release(Reach reach);
  void acquire(Reach reach);
  /// The warp comes to a barrier of the block.
  void meet();
  /// It goes on: these have come to the barrier.
  void acquireFrom(const std::vector<const WeakView *> &others);
  /// A fence that is in one order with all others.
  void fence(Reach reach);
  /// Everybody sees what the block stored, and the warp sees what everybody does.
  void settleAll();

private:
  friend struct WeakMemory;
  /// The last write is of another block.
  bool isOfOthers(const Past &past) const { return past.newest.block != &block; }
  void tell(size_t index);
  void tellAll();
  void tellDue();
  uint64_t loadFromPast(const Past &past, uint64_t now, const uint8_t *from, const WeakAccess &access);

  WeakMemory &shared;
  WeakBlock &block;
  Timing &timing;
  std::deque<PendingStore> stores; // private ones, the oldest first
  uint64_t begin = 0, round = 0;
  uint64_t acquired = 0;                     // loads give nothing from before this time
  uint64_t observed = 0;                     // strong loads gave what was written then; a fence makes it known
  uint64_t written = 0;                      // the last time at which everybody came to see something of this warp
  uint64_t knows = 0;                        // the number of the last store that the warp may know of
  std::map<const uint8_t *, uint64_t> known; // as that of the block
};

} // namespace ptxray::machine
