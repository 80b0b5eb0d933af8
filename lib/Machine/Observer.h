#pragma once
// The interface of observers: the events that the emulator reports while it executes a launch.
//
// An observer watches a launch without changing it, except that it may raise a fault (`raise`). The core of the
// emulator does not include any observer. To add one:
//   1. Derive a class from `Observer` in a folder of its own, and take a free slot of `ObserverSlot`.
//   2. Return from `wants` the kinds of events that it needs; other events are never sent to it.
//   3. Override the functions of these events.
//   4. Append a function that makes one to `Launch::observers`. A launch with such observers uses one core.
//   5. Read the result in `finish`, which is called when the launch has ended.
//
// State: an observer keeps the data of the whole launch in its members. Data of a warp, a frame or a block is an
// `Attached` object in the observer's slot of its `attached`, and is destroyed together with it. `beginCluster` is
// called again when the emulator reuses blocks and their warps for other threads.
//
// Values: a register is identified by the `Slot` in a frame, and a lane. `RegisterFlow` lists the registers that an
// instruction reads and writes. A byte of memory is identified by its host address. `LaneAccess`, `RangeAccess` and
// `MovedBytes` give host pointers, which stay the same for a byte during a launch. `recipeOf` of Semantics/Recipe.h
// returns the formulas of an instruction for its verdict (`code.body->verdicts[instruction]`).
//
// Order of the events of one instruction: `before`, then its accesses and moves, then `executed`. Loads and stores are
// reported before registers or bytes change. An asynchronous operation reports its accesses when it starts, and moves
// bytes when it ends (`Warp::doer`).
#include "Machine/Program.h"
#include "Traffic/Traffic.h"
#include <array>
#include <functional>
#include <memory>

namespace ptxray::machine {

struct ArrivalAfter;
struct BlockState;
struct CodeBlock;
struct Frame;
struct GridState;
struct GroupProduct;
struct GroupUse;
struct HeldLocals;
struct LaneShape;
struct Outcome;
struct Passed;
struct Pointers;
struct SharedMatrix;
struct WaitingAtBarrier;
struct Warp;

/// Kinds of events: bits of `Observer::wants`.
namespace events {
enum : uint32_t {
  Frames = 1 << 0,       // enterFrame, hands, passes, growsStack
  Blocks = 1 << 1,       // enterCode, steps, stopsBefore, faults, parts, waits, asksInVain, seesPhase
  Guards = 1 << 2,       // guards
  Instructions = 1 << 3, // before, executed: for each instruction of warps for which `follows` returns true
  Registers = 1 << 4,    // before, skips, branches, leaves: for instructions that name a register of `Frame::followed`
  Issues = 1 << 5,       // issues, transfers: addresses before they are resolved, and amounts of bytes
  Accesses = 1 << 6,     // accesses, excuses, ranges, tensors, matrices
  Writes = 1 << 7,       // writes, isGuarded
  Moves = 1 << 8,        // moves, readsMap
  Order = 1 << 9,        // order of accesses: all events from `arrives` on, and seesPhase
  Operations = 1 << 10,  // starts, ends
  Products = 1 << 11,    // multiplies
};
}

/// Slots of `Attachments`. Each observer has its own slot; the last ones are free for new observers.
enum class ObserverSlot : uint8_t { Unwritten, Counters, Trace, Halt, Races, Origin, Other, Count };

/// State that an observer attaches to an object of the emulator.
struct Attached {
  virtual ~Attached() = default;
};

/// The states that observers have attached to one object of the emulator.
class Attachments {
public:
  /// Returns the state in a slot, or null.
  Attached *in(ObserverSlot slot) const { return slots[static_cast<size_t>(slot)].get(); }
  void put(ObserverSlot slot, std::unique_ptr<Attached> state) { slots[static_cast<size_t>(slot)] = std::move(state); }

private:
  std::array<std::unique_ptr<Attached>, static_cast<size_t>(ObserverSlot::Count)> slots;
};

/// An access of lanes to elements in memory: a load, a store, or the part of one lane in an atomic operation.
struct LaneAccess {
  const Op &op;
  const MemoryAccess &access; // state space, registers and sizes of the elements
  const uint64_t *at;         // address for each lane
  const Pointers &found;      // bytes for each lane; lanes with an address outside of memory are not in its mask
};

/// Consecutive bytes that one lane, several lanes or a whole warp accesses.
struct RangeAccess {
  enum class By : uint8_t { Lane, ManyLanes, Warp };
  const Op &op;
  AddressOf address;           // the state space of `address` applies to `at`
  uint64_t at = 0, bytes = 0;  // the address or, if there is an owner, the offset in its shared memory
  BlockState *owner = nullptr; // null if the address determines the block
  bool isWrite = false;
  By by = By::Lane;
  unsigned lane = 0;               // the lane that provides the address
  const void *stored = nullptr;    // the bytes to write; null if unknown
  const uint8_t *memory = nullptr; // the accessed bytes; null if unknown
};

/// Columns of tensor memory that a warp accesses. For each column from `first` on, each bit of the mask represents 16
/// lanes.
struct TensorRange {
  const Op &op;
  BlockState &owner;
  uint32_t first;
  llvm::ArrayRef<uint8_t> lanes;
  bool isWrite;
  unsigned lane;
  uint32_t together; // lanes of the warp that make the access; 0 for `lane` only
};

/// Bytes that are moved unchanged, except in a reduction. Memory is given by host addresses.
struct MovedBytes {
  uint8_t *to = nullptr;         // null if the destination is the register
  const uint8_t *from = nullptr; // null if the source is the register; if both are null, the register is set to zero
  uint32_t bytes = 0;
  Slot slot = noSlot;          // a register of the current frame, if it is the source or the destination
  unsigned lane = 0, byte = 0; // its lane, and the first byte in it
  bool isReduced = false;      // the bytes are combined with those at `to`
};

/// An access before its addresses are resolved.
struct IssuedAccess {
  const Op &op;
  traffic::AccessKind kind;
  Space space;
  traffic::LaneAddresses lanes;
  const LaneShape *shape = nullptr; // distances of the lanes, identified by `LaneShape::version`; null if unknown
};

/// Kinds of amounts that are reported without addresses.
enum class Amount : uint8_t { BulkBytes, TextureBytes, TensorBytes, SharedBytes, GlobalBytes, Products };

/// The accesses that a release covers: all earlier accesses, accesses before the last fence, or only barrier objects
/// that were initialised before a fence for them.
enum class Release : uint8_t { All, Fenced, Objects };

/// The effect of a fence.
struct Fence {
  enum class Of : uint8_t { Threads, Proxies, Objects, Registers };
  Of of = Of::Threads;
  bool releases = false, acquires = false; // between threads
};

/// The use of a barrier object by a lane.
enum class ObjectUse : uint8_t { Make, Invalidate, Use };

class Observer {
public:
  explicit Observer(ObserverSlot slot, uint32_t wanted) : slot(slot), wanted(wanted) {}
  Observer(const Observer &) = delete;
  Observer &operator=(const Observer &) = delete;
  virtual ~Observer() = default;

  const ObserverSlot slot;
  const uint32_t wanted; // mask of `events`

  // ---- lifetime of the objects of a launch

  /// Prepares the state of the blocks of a cluster and their warps, which have no frames yet. If `isAgain` is set, the
  /// blocks and warps are reused.
  virtual void beginCluster(llvm::ArrayRef<BlockState *>, bool /*isAgain*/) {}
  /// Returns whether the blocks of a finished cluster may be reused for other threads.
  virtual bool canBeginAgain(llvm::ArrayRef<BlockState *>) { return true; }
  /// Returns whether the emulator must report each instruction of the warp to this observer.
  virtual bool follows(const Warp &) const { return false; }
  /// Adds the results of an observer of another core.
  virtual void merge(Observer &) {}
  /// Adds the results to the outcome of the launch.
  virtual void finish(const GridState &, Outcome &) {}

  // ---- frames

  /// Reports that lanes enter a function. Its frame is new or reused.
  virtual void enterFrame(Warp &, Frame &, uint32_t /*lanes*/) {}
  /// Reports that lanes pass an argument or a result of a call from one frame to another.
  virtual void hands(Warp &, const Passed & /*from*/, Frame & /*source*/, const Passed & /*to*/, Frame & /*target*/,
                     uint32_t /*lanes*/) {}
  /// Reports that an argument or a result of a call is copied to local memory, from the local memory of another frame
  /// or from a register. The first `count` of `bytes` bytes at `to` come from `from` in the lane's local memory, or
  /// from a register if `from` is empty.
  virtual void passes(Warp &, unsigned /*lane*/, std::optional<uint64_t> /*from*/, uint64_t /*to*/, uint64_t /*count*/,
                      uint64_t /*bytes*/) {}
  /// Reports that a lane reserves bytes of its local memory for its stack.
  virtual void growsStack(Warp &, unsigned /*lane*/, uint64_t /*begin*/, uint64_t /*bytes*/) {}

  // ---- control

  /// Reports that the warp is about to execute a code block with the lanes of `warp.now`.
  virtual void enterCode(Warp &, const FunctionCode &, const CodeBlock &) {}
  /// Returns whether the warp must call `stopsBefore` at each instruction of the code block.
  virtual bool steps(Warp &, const FunctionCode &, const CodeBlock &) { return false; }
  /// Returns whether the launch stops before the instruction.
  virtual bool stopsBefore(Warp &, const FunctionCode &, uint32_t /*instruction*/) { return false; }
  /// Reports that a fault stops the warp in the code block.
  virtual void faults(Warp &, const CodeBlock &) {}
  /// Reports the lanes for which the guard of an instruction is true.
  virtual void guards(Warp &, const FunctionCode &, uint32_t /*instruction*/, uint32_t /*lanes*/) {}
  /// Reports that lanes diverge at an instruction.
  virtual void parts(Warp &, const FunctionCode &, uint32_t /*instruction*/) {}
  /// Reports that lanes wait at a barrier.
  virtual void waits(Warp &, const FunctionCode &, uint32_t /*instruction*/) {}
  /// Reports that a lane tests a phase of a barrier object that is not complete. `isFirst` is set for the first lane of
  /// the warp that does so.
  virtual void asksInVain(Warp &, const Op &, bool /*isFirst*/) {}
  /// Reports that lanes find a phase of the barrier object complete.
  virtual void seesPhase(Warp &, uint32_t /*lanes*/, const uint8_t * /*object*/, bool /*isRelaxed*/) {}
  /// Reports that lanes branch on a predicate.
  virtual void branches(Warp &, uint32_t /*instruction*/, Slot /*guard*/, uint32_t /*lanes*/) {}
  /// Reports that the guard of an instruction is false in all lanes. The guard is a followed register.
  virtual void skips(Warp &, const FunctionCode &, uint32_t /*instruction*/) {}
  /// Reports that lanes leave a code block without continuing to the next one: they branch, call, exit or reach a
  /// barrier.
  virtual void leaves(Warp &, const FunctionCode &, const CodeBlock &, uint32_t /*lanes*/) {}

  // ---- instructions

  /// Reports that lanes are about to execute an instruction. Its registers still have their old values.
  virtual void before(Warp &, const FunctionCode &, uint32_t /*instruction*/, uint32_t /*lanes*/) {}
  /// Reports that lanes have executed an instruction.
  virtual void executed(Warp &, const FunctionCode &, uint32_t /*instruction*/, uint32_t /*lanes*/) {}

  // ---- memory

  /// Reports an access before its addresses are resolved, including lanes with addresses outside of memory.
  virtual void issues(Warp &, const IssuedAccess &) {}
  /// Reports an amount of data that an instruction moves or computes.
  virtual void transfers(Warp &, const Op &, Amount, uint64_t /*amount*/) {}
  /// Reports the start of an instruction that accesses memory in several parts, which are reported next.
  virtual void beginsAccess(Warp &) {}
  virtual void accesses(Warp &, const LaneAccess &) {}
  /// Reports that a write by a lane is not a race, for the only reason that it does not change memory.
  virtual void excuses(Warp &, const LaneAccess &, unsigned /*lane*/) {}
  virtual void excuses(Warp &, const RangeAccess &) {}
  /// Reports the ranges that an instruction accesses, in order.
  virtual void ranges(Warp &, llvm::ArrayRef<RangeAccess>) {}
  virtual void tensors(Warp &, const TensorRange &) {}
  /// Reports that a warp reads a matrix in the shared memory of a block through a descriptor.
  virtual void matrices(Warp &, const Op &, BlockState &, const SharedMatrix &, unsigned /*lane*/) {}
  /// Reports a write that is not a store of elements: to shared memory of `owner` or, if there is no owner, to local
  /// memory of the lane.
  virtual void writes(Warp &, BlockState * /*owner*/, uint64_t /*offset*/, uint64_t /*bytes*/, unsigned /*lane*/) {}
  /// Returns whether bytes in the local memory of a lane belong to a guard zone.
  virtual bool isGuarded(Warp &, uint64_t /*offset*/, uint64_t /*bytes*/, unsigned /*lane*/) { return false; }
  /// Reports bytes that an instruction moves without a formula: copies, tiles, `ldmatrix`, tensor memory.
  virtual void moves(Warp &, const Op &, llvm::ArrayRef<MovedBytes>) {}
  /// Reports that a warp multiplies matrices that descriptors describe. The result registers still have their old
  /// values.
  virtual void multiplies(Warp &, const Op &, const GroupProduct &) {}
  /// Reports the bytes of a tensor map that an instruction uses.
  virtual void readsMap(Warp &, const Op &, llvm::ArrayRef<uint8_t>) {}
  /// Reports that the addresses of a held shape are about to change (`LaneShape::isHeld`).
  virtual void reshapes(GridState &, const LaneShape &) {}

  // ---- order

  /// Reports that lanes arrive at a barrier of their block.
  virtual void arrives(Warp &, uint32_t /*barrier*/, uint32_t /*lanes*/) {}
  /// Reports that all threads for which a barrier of a block waits have arrived. Those in `waiting` continue.
  virtual void meets(BlockState &, uint32_t /*barrier*/, llvm::ArrayRef<WaitingAtBarrier> /*waiting*/) {}
  /// Reports that lanes release at a location, which an address or another number identifies.
  virtual void releases(Warp &, uint32_t /*lanes*/, uint64_t /*place*/, Release) {}
  /// Reports that lanes acquire at a location.
  virtual void acquires(Warp &, uint32_t /*lanes*/, uint64_t /*place*/) {}
  virtual void fences(Warp &, uint32_t /*lanes*/, const Fence &) {}
  /// Reports that lanes of a warp execute an instruction together. If `isBarrier` is set, they wait for each other.
  virtual void joins(Warp &, uint32_t /*lanes*/, bool /*isBarrier*/) {}
  /// Reports the use of a barrier object in shared memory by a lane.
  virtual void objects(Warp &, const Op &, ObjectUse, const uint8_t * /*object*/, unsigned /*lane*/) {}
  /// Reports that an instruction adds an arrival or bytes to a barrier object.
  virtual void contributes(Warp &, const Instruction &, const uint8_t * /*object*/) {}
  /// Reports that a phase of a barrier object in the block is complete.
  virtual void endsPhase(BlockState &, const uint8_t * /*object*/) {}
  /// Reports that an asynchronous operation of the warp starts, or that an arrival waits for operations. `id`
  /// identifies it among the operations of the cluster.
  virtual void starts(Warp &, const Op &, uint64_t /*id*/) {}
  /// Reports that an operation ends.
  virtual void ends(Warp &, const FunctionCode &, const Op &, uint64_t /*id*/) {}
  /// Reports that an operation holds registers until it is complete.
  virtual void holds(Warp &, const Op &, const HeldLocals &, unsigned /*engine*/, uint32_t /*lanes*/) {}
  /// Reports that an instruction uses registers that operations may hold. If `isChange` is set, the instruction does
  /// not only copy into them.
  virtual void touches(Warp &, const Op &, const HeldLocals &, bool /*isChange*/, uint32_t /*lanes*/) {}
  /// Reports that lanes have waited until the first `covered` operations of an engine of their warp were complete.
  virtual void completes(Warp &, const Op &, const GroupUse &, uint32_t /*covered*/, uint32_t /*lanes*/) {}
  /// Reports that barrier objects will receive an arrival when the operations that an engine of the warp has started
  /// are complete.
  virtual void arrivesAfter(Warp &, const ArrivalAfter &, llvm::ArrayRef<const uint8_t *> /*objects*/,
                            uint32_t /*lanes*/) {}
};

/// Creates an observer for a core of a launch.
using ObserverMaker = std::function<std::unique_ptr<Observer>()>;

/// The observers of a core, in the order in which they are notified.
class Observers {
public:
  void add(std::unique_ptr<Observer> one) {
    wanted |= one->wanted;
    all.push_back(std::move(one));
  }
  bool want(uint32_t kinds) const { return wanted & kinds; }
  /// Calls `use` for each observer that wants a kind of events.
  template <class Use> void notify(uint32_t kind, Use use) const {
    if (!want(kind))
      return;
    for (const std::unique_ptr<Observer> &one : all)
      if (one->wanted & kind)
        use(*one);
  }
  /// Returns whether `is` returns true for an observer that wants a kind of events.
  template <class Is> bool any(uint32_t kind, Is is) const {
    bool isAny = false;
    notify(kind, [&](Observer &one) { isAny = isAny || is(one); });
    return isAny;
  }
  llvm::ArrayRef<std::unique_ptr<Observer>> list() const { return all; }
  /// Returns the observer in a slot, or null.
  Observer *in(ObserverSlot slot) const {
    for (const std::unique_ptr<Observer> &one : all)
      if (one->slot == slot)
        return one.get();
    return nullptr;
  }

private:
  std::vector<std::unique_ptr<Observer>> all;
  uint32_t wanted = 0;
};

} // namespace ptxray::machine
