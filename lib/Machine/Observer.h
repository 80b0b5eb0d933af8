#pragma once
// The interface of observers: what the machine reports while it executes a launch.
//
// An observer watches a launch and changes nothing, except that it may raise a fault (`raise`). The core of the machine
// includes no observer. To add one:
//   1. Derive a class from `Observer` in a folder of its own, and take a free slot of `ObserverSlot`.
//   2. Return from `wants` the kinds of events that it needs; other events are never sent to it.
//   3. Override the functions of these events.
//   4. Append a function that makes one to `Launch::observers`. A launch with such observers uses one core.
//   5. Read the result in `finish`, which is called when the launch has ended.
//
// State: what concerns the whole launch is a member of the observer. What concerns a warp, a frame or a block is an
// `Attached` object in its `attached`, in the slot of the observer. It dies with the warp, the frame or the block.
// `beginCluster` is called again when the machine uses blocks, and their warps, for other threads.
//
// Values: a register is a `Slot` of a frame and a lane; `RegisterFlow` lists those that an instruction reads and
// writes. A byte of memory is its host address: `LaneAccess`, `RangeAccess` and `MovedBytes` give host pointers, which
// are the same for the same byte during a launch. The formulas of an instruction follow from its verdict
// (`code.body->verdicts[instruction]`) by `recipeOf` of Semantics/Recipe.h.
//
// Order of the events of one instruction: `before`, the accesses and moves that it makes, `executed`. Loads and stores
// are reported before registers or bytes change. An asynchronous operation reports its accesses when it begins, and
// moves bytes when it ends (`Warp::doer`).
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
  Instructions = 1 << 3, // before, executed: of each instruction of warps that `follows` names
  Registers = 1 << 4,    // before, skips, branches, leaves: of instructions that name a register of `Frame::followed`
  Issues = 1 << 5,       // issues, transfers: addresses before they are looked up, and amounts of bytes
  Accesses = 1 << 6,     // accesses, excuses, ranges, tensors, matrices
  Writes = 1 << 7,       // writes, isGuarded
  Moves = 1 << 8,        // moves, readsMap
  Order = 1 << 9,        // what orders accesses: from `arrives` on, and seesPhase
  Operations = 1 << 10,  // starts, ends
};
}

/// Slots of `Attachments`. Each observer has one of its own; the last ones are free for others.
enum class ObserverSlot : uint8_t { Unwritten, Counters, Trace, Halt, Races, Origin, Other, Count };

/// State that an observer keeps with an object of the machine.
struct Attached {
  virtual ~Attached() = default;
};

/// The states that observers keep with one object of the machine.
class Attachments {
public:
  /// Returns the state in a slot, or null.
  Attached *in(ObserverSlot slot) const { return slots[static_cast<size_t>(slot)].get(); }
  void put(ObserverSlot slot, std::unique_ptr<Attached> state) { slots[static_cast<size_t>(slot)] = std::move(state); }

private:
  std::array<std::unique_ptr<Attached>, static_cast<size_t>(ObserverSlot::Count)> slots;
};

/// An access of lanes to elements in memory: a load, a store, or one lane's part of an atomic operation.
struct LaneAccess {
  const Op &op;
  const MemoryAccess &access; // the space, the registers and the sizes of the elements
  const uint64_t *at;         // the address of each lane
  const Pointers &found;      // the bytes of each lane; a lane whose address leads nowhere is not in its mask
};

/// Consecutive bytes that one lane, several lanes or a warp as a whole access.
struct RangeAccess {
  enum class By : uint8_t { Lane, ManyLanes, Warp };
  const Op &op;
  AddressOf address;           // its space is that of `at`
  uint64_t at = 0, bytes = 0;  // the address; with an owner, the offset in its shared memory
  BlockState *owner = nullptr; // null: the address decides
  bool isWrite = false;
  By by = By::Lane;
  unsigned lane = 0;               // the lane that names the address
  const void *stored = nullptr;    // the bytes that will be written; null: not known
  const uint8_t *memory = nullptr; // the bytes that are accessed; null: not known
};

/// Columns of tensor memory that a warp accesses: for each column from `first` on a bit for 16 lanes of it.
struct TensorRange {
  const Op &op;
  BlockState &owner;
  uint32_t first;
  llvm::ArrayRef<uint8_t> lanes;
  bool isWrite;
  unsigned lane;
  uint32_t together; // the lanes of the warp that access them; 0: `lane` alone
};

/// Bytes that keep their values while they move, except in a reduction. Memory is given by host addresses.
struct MovedBytes {
  uint8_t *to = nullptr;         // null: to the register
  const uint8_t *from = nullptr; // null: from the register; both null: zeros to the register
  uint32_t bytes = 0;
  Slot slot = noSlot;          // a register of the current frame, if one of the ends is a register
  unsigned lane = 0, byte = 0; // its lane, and the first byte in it
  bool isReduced = false;      // the bytes are combined with those at `to`
};

/// An access before its addresses are looked up.
struct IssuedAccess {
  const Op &op;
  traffic::AccessKind kind;
  Space space;
  traffic::LaneAddresses lanes;
  const LaneShape *shape = nullptr; // the distances of the lanes, which `LaneShape::version` identifies; null: none
};

/// Amounts that are reported without addresses.
enum class Amount : uint8_t { BulkBytes, TextureBytes, TensorBytes, SharedBytes, GlobalBytes, Products };

/// How lanes release at a place: all that they did before, what was before their last fence, or only the barrier
/// objects that they had made before a fence for these.
enum class Release : uint8_t { All, Fenced, Objects };

/// A fence, by what it orders.
struct Fence {
  enum class Of : uint8_t { Threads, Proxies, Objects, Registers };
  Of of = Of::Threads;
  bool releases = false, acquires = false; // of threads
};

/// What a lane does with a barrier object.
enum class ObjectUse : uint8_t { Make, Invalidate, Use };

class Observer {
public:
  explicit Observer(ObserverSlot slot, uint32_t wanted) : slot(slot), wanted(wanted) {}
  Observer(const Observer &) = delete;
  Observer &operator=(const Observer &) = delete;
  virtual ~Observer() = default;

  const ObserverSlot slot;
  const uint32_t wanted; // `events`

  // ---- the life of the objects of a launch

  /// Prepares the state of the blocks of a cluster and their warps, which have no frames yet. `isAgain`: they belonged
  /// to other threads.
  virtual void beginCluster(llvm::ArrayRef<BlockState *>, bool /*isAgain*/) {}
  /// Returns whether the blocks of a cluster, which have ended, may be used for other threads.
  virtual bool canBeginAgain(llvm::ArrayRef<BlockState *>) { return true; }
  /// Returns whether the warp has to report each instruction to this observer.
  virtual bool follows(const Warp &) const { return false; }
  /// Adds the results of another core.
  virtual void merge(Observer &) {}
  /// Adds what was found to the outcome of the launch.
  virtual void finish(const GridState &, Outcome &) {}

  // ---- frames

  /// Reports that lanes enter a function; its frame is new, or begins again.
  virtual void enterFrame(Warp &, Frame &, uint32_t /*lanes*/) {}
  /// Reports that lanes hand an argument or a result of a call from one frame to another.
  virtual void hands(Warp &, const Passed & /*from*/, Frame & /*source*/, const Passed & /*to*/, Frame & /*target*/,
                     uint32_t /*lanes*/) {}
  /// Reports that an argument or a result of a call moves between the local memories of two frames or from a register:
  /// `count` bytes at `from` in the local memory of the lane, or none, become the first of `bytes` bytes at `to`.
  virtual void passes(Warp &, unsigned /*lane*/, std::optional<uint64_t> /*from*/, uint64_t /*to*/, uint64_t /*count*/,
                      uint64_t /*bytes*/) {}
  /// Reports that a lane takes bytes of its local memory for its stack.
  virtual void growsStack(Warp &, unsigned /*lane*/, uint64_t /*begin*/, uint64_t /*bytes*/) {}

  // ---- control

  /// Reports that the warp is about to execute a block of code with the lanes of `warp.now`.
  virtual void enterCode(Warp &, const FunctionCode &, const CodeBlock &) {}
  /// Returns whether the warp has to ask `stopsBefore` at each instruction of the block of code.
  virtual bool steps(Warp &, const FunctionCode &, const CodeBlock &) { return false; }
  /// Returns whether the launch stops before the instruction.
  virtual bool stopsBefore(Warp &, const FunctionCode &, uint32_t /*instruction*/) { return false; }
  /// Reports that a fault stops the warp in the block of code.
  virtual void faults(Warp &, const CodeBlock &) {}
  /// Reports the lanes that the guard of an instruction allows.
  virtual void guards(Warp &, const FunctionCode &, uint32_t /*instruction*/, uint32_t /*lanes*/) {}
  /// Reports that lanes diverge at an instruction.
  virtual void parts(Warp &, const FunctionCode &, uint32_t /*instruction*/) {}
  /// Reports that lanes wait at a barrier.
  virtual void waits(Warp &, const FunctionCode &, uint32_t /*instruction*/) {}
  /// Reports that a lane asks for a phase of a barrier object that is not complete; `isFirst`: no other lane of the
  /// warp has asked since the warp asked in vain before.
  virtual void asksInVain(Warp &, const Op &, bool /*isFirst*/) {}
  /// Reports that lanes find a phase of the barrier object complete.
  virtual void seesPhase(Warp &, uint32_t /*lanes*/, const uint8_t * /*object*/, bool /*isRelaxed*/) {}
  /// Reports that lanes choose their path by a predicate.
  virtual void branches(Warp &, uint32_t /*instruction*/, Slot /*guard*/, uint32_t /*lanes*/) {}
  /// Reports that the guard of an instruction, which is followed, allows no lane.
  virtual void skips(Warp &, const FunctionCode &, uint32_t /*instruction*/) {}
  /// Reports that lanes leave a block of code otherwise than by going on: they branch, call, end or come to a barrier.
  virtual void leaves(Warp &, const FunctionCode &, const CodeBlock &, uint32_t /*lanes*/) {}

  // ---- instructions

  /// Reports that lanes are about to execute an instruction, whose registers still have their old values.
  virtual void before(Warp &, const FunctionCode &, uint32_t /*instruction*/, uint32_t /*lanes*/) {}
  /// Reports that lanes have executed an instruction.
  virtual void executed(Warp &, const FunctionCode &, uint32_t /*instruction*/, uint32_t /*lanes*/) {}

  // ---- memory

  /// Reports an access before its addresses are looked up: lanes outside of memory are included.
  virtual void issues(Warp &, const IssuedAccess &) {}
  /// Reports an amount of data that an instruction moves or computes.
  virtual void transfers(Warp &, const Op &, Amount, uint64_t /*amount*/) {}
  /// Reports that an instruction begins that accesses memory in several parts, which are reported next.
  virtual void beginsAccess(Warp &) {}
  virtual void accesses(Warp &, const LaneAccess &) {}
  /// Reports that a write by a lane is no race only because it changes nothing.
  virtual void excuses(Warp &, const LaneAccess &, unsigned /*lane*/) {}
  virtual void excuses(Warp &, const RangeAccess &) {}
  /// Reports the ranges that an instruction accesses, in their order.
  virtual void ranges(Warp &, llvm::ArrayRef<RangeAccess>) {}
  virtual void tensors(Warp &, const TensorRange &) {}
  /// Reports that a warp reads a matrix of a descriptor in the shared memory of a block.
  virtual void matrices(Warp &, const Op &, BlockState &, const SharedMatrix &, unsigned /*lane*/) {}
  /// Reports that bytes of shared memory of `owner`, or without an owner of local memory of the lane, are written by
  /// anything else than a store of elements.
  virtual void writes(Warp &, BlockState * /*owner*/, uint64_t /*offset*/, uint64_t /*bytes*/, unsigned /*lane*/) {}
  /// Returns whether bytes of local memory of a lane belong to a guard zone.
  virtual bool isGuarded(Warp &, uint64_t /*offset*/, uint64_t /*bytes*/, unsigned /*lane*/) { return false; }
  /// Reports bytes that an instruction moves without a formula: copies, tiles, `ldmatrix`, tensor memory.
  virtual void moves(Warp &, const Op &, llvm::ArrayRef<MovedBytes>) {}
  /// Reports the bytes of a tensor map that an instruction uses.
  virtual void readsMap(Warp &, const Op &, llvm::ArrayRef<uint8_t>) {}
  /// Reports that the addresses of a held shape are about to change (`LaneShape::isHeld`).
  virtual void reshapes(GridState &, const LaneShape &) {}

  // ---- order

  /// Reports that lanes arrive at a barrier of their block.
  virtual void arrives(Warp &, uint32_t /*barrier*/, uint32_t /*lanes*/) {}
  /// Reports that the threads that a barrier of a block waits for have all arrived; those of `waiting` continue.
  virtual void meets(BlockState &, uint32_t /*barrier*/, llvm::ArrayRef<WaitingAtBarrier> /*waiting*/) {}
  /// Reports that lanes release at a place: an address, or another number that is the same for the same place.
  virtual void releases(Warp &, uint32_t /*lanes*/, uint64_t /*place*/, Release) {}
  /// Reports that lanes acquire at a place.
  virtual void acquires(Warp &, uint32_t /*lanes*/, uint64_t /*place*/) {}
  virtual void fences(Warp &, uint32_t /*lanes*/, const Fence &) {}
  /// Reports that lanes of a warp execute an instruction together, or with `isBarrier` wait for each other.
  virtual void joins(Warp &, uint32_t /*lanes*/, bool /*isBarrier*/) {}
  /// Reports what a lane does with a barrier object in shared memory.
  virtual void objects(Warp &, const Op &, ObjectUse, const uint8_t * /*object*/, unsigned /*lane*/) {}
  /// Reports that an instruction brings an arrival or bytes to a barrier object.
  virtual void contributes(Warp &, const Instruction &, const uint8_t * /*object*/) {}
  /// Reports that a phase of a barrier object in the block is complete.
  virtual void endsPhase(BlockState &, const uint8_t * /*object*/) {}
  /// Reports that an asynchronous operation of the warp begins, or that an arrival waits for operations. `id`
  /// identifies it among the operations of the cluster.
  virtual void starts(Warp &, const Op &, uint64_t /*id*/) {}
  /// Reports that an operation ends.
  virtual void ends(Warp &, const FunctionCode &, const Op &, uint64_t /*id*/) {}
  /// Reports that an operation takes registers that it holds until it is complete.
  virtual void holds(Warp &, const Op &, const HeldLocals &, unsigned /*engine*/, uint32_t /*lanes*/) {}
  /// Reports that an instruction uses registers that operations may hold. `isChange`: it does more than to copy into
  /// them.
  virtual void touches(Warp &, const Op &, const HeldLocals &, bool /*isChange*/, uint32_t /*lanes*/) {}
  /// Reports that lanes have waited until the first `covered` operations of an engine of their warp were complete.
  virtual void completes(Warp &, const Op &, const GroupUse &, uint32_t /*covered*/, uint32_t /*lanes*/) {}
  /// Reports that barrier objects get an arrival when the operations that an engine of the warp has started are
  /// complete.
  virtual void arrivesAfter(Warp &, const ArrivalAfter &, llvm::ArrayRef<const uint8_t *> /*objects*/,
                            uint32_t /*lanes*/) {}
};

/// Makes an observer for a core of a launch.
using ObserverMaker = std::function<std::unique_ptr<Observer>()>;

/// The observers of a core, in the order in which they are notified.
class Observers {
public:
  void add(std::unique_ptr<Observer> one) {
    wanted |= one->wanted;
    all.push_back(std::move(one));
  }
  bool want(uint32_t kinds) const { return wanted & kinds; }
  /// Calls `use` with each observer that wants events of a kind.
  template <class Use> void notify(uint32_t kind, Use use) const {
    if (!want(kind))
      return;
    for (const std::unique_ptr<Observer> &one : all)
      if (one->wanted & kind)
        use(*one);
  }
  /// Returns whether `is` is true for an observer that wants events of a kind.
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
