#pragma once
// Agents access memory: warps, and asynchronous operations, which go on beside the threads that started them. An
// operation that groups take belongs to an engine of its warp and is numbered there; one that a barrier object counts
// belongs to the object and has the number of its phase. Clocks have an entry for each of these agents: up to which of
// its operations a warp has seen the end.
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptxray {
struct Instruction;
}

namespace ptxray::machine {

struct Flights;

/// An operation notes its accesses when it begins, and makes them when it ends.
enum class Stage : uint8_t { Whole, Begin, End };

/// Says who does what a warp notes, if it is not the warp itself.
struct Doer {
  uint32_t agent = 0, clock = 0; // 0: the warp
  bool isAsyncProxy = false;     // it does not see what ordinary instructions wrote before a proxy fence
  bool isOrdered = false;        // its operations access memory one after the other
  Stage stage = Stage::Whole;
  bool isStrong = false;     // they are sums that do not race with each other
  bool isAllocation = false; // it writes where tensor memory is
};

/// Counts what a warp has started of one kind of operations that groups take.
struct Engine {
  uint32_t started = 0;                  // operations
  std::deque<uint32_t> groups;           // the newest ones: how many had been started when each was committed
  const Instruction *vainWait = nullptr; // a wait since the newest operation, which is in no group

  uint32_t committed() const { return groups.empty() ? 0 : groups.back(); }
};

/// Registers of a function that an operation holds, with their names.
struct HeldLocals {
  std::vector<uint32_t> locals;
  std::vector<std::string> names;
};
/// The phases of a barrier object.
struct ObjectHistory {
  uint32_t agent = 0;
  uint32_t phases = 0;            // how many are complete
  int64_t expected = 0, came = 0; // bytes, in this phase
};

/// Returns the number by which a barrier object is known.
inline uint64_t placeOf(const uint8_t *object) { return reinterpret_cast<uintptr_t>(object); }

/// Holds what the blocks of a cluster share, with the operations in flight. The entries of clocks are, from 1 on: what
/// warps did, what of that was before a proxy fence, which barrier objects they had made before a fence for these, what
/// one lane of them did, engines, barrier objects.
struct Agents {
  uint32_t warps = 0, engines = 0;
  std::shared_ptr<Flights> flights;
  std::map<uint64_t, ObjectHistory> objects; // by their place
  uint64_t cluster = 0;                      // the number of the cluster
  bool haveArrived = false;                  // some lanes have, at the barrier of the cluster

  uint32_t fenced(uint32_t warp) const { return warps + warp; }
  uint32_t made(uint32_t warp) const { return 2 * warps + warp; }
  uint32_t lane(uint32_t warp) const { return 3 * warps + warp; }
  uint32_t engine(uint32_t warp, uint32_t engine) const { return 4 * warps + 1 + (warp - 1) * engines + engine; }
  /// Operations of a warp complete their writes to global memory later than their reads.
  uint32_t writes(uint32_t warp) const { return engine(warp, engines - 1); }
  /// Numbers of the agents that read memory, without gaps; those of warps are the same.
  uint32_t readerOf(uint32_t agent) const { return agent <= warps ? agent : agent - 3 * warps; }
  uint32_t ofReader(uint32_t reader) const { return reader <= warps ? reader : reader + 3 * warps; }
  uint32_t firstObject() const { return 4 * warps + 1 + warps * engines; }
  ObjectHistory &object(uint64_t place) {
    ObjectHistory &one = objects[place];
    if (!one.agent)
      one.agent = firstObject() + static_cast<uint32_t>(objects.size() - 1);
    return one;
  }
};

} // namespace ptxray::machine
