#pragma once
// Agents access memory: warps, and asynchronous operations, which run concurrently with the threads that started them.
// An operation that joins a group belongs to an engine of its warp, and is numbered within the engine. An operation
// that an mbarrier object tracks belongs to that object, and has the number of its phase. A vector clock has an entry
// for each agent: the last of its operations whose completion a warp has observed.
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

/// An asynchronous operation is reported when it begins, and accesses memory when it ends.
enum class Stage : uint8_t { Whole, Begin, End };

/// The agent to which a warp attributes its next accesses.
struct Doer {
  uint32_t agent = 0, clock = 0; // 0 for the warp itself
  bool isAsyncProxy = false;     // does not observe generic-proxy writes that precede no proxy fence
  bool isOrdered = false;        // operations access memory in order
  Stage stage = Stage::Whole;
  bool isStrong = false;     // atomic reductions, which do not race with each other
  bool isAllocation = false; // writes the address of allocated tensor memory
};

/// The operations of one kind that a warp has started and that join groups.
struct Engine {
  uint32_t started = 0;                  // number of operations
  std::deque<uint32_t> groups;           // for each of the newest groups, the value of `started` at its commit
  const Instruction *vainWait = nullptr; // a wait after the newest operation, which no group contains

  uint32_t committed() const { return groups.empty() ? 0 : groups.back(); }
};

/// Registers of a function that a pending operation uses, and their names.
struct HeldLocals {
  std::vector<uint32_t> locals;
  std::vector<std::string> names;
};
/// The completed phases of an mbarrier object.
struct ObjectHistory {
  uint32_t agent = 0;
  uint32_t phases = 0;            // number of completed phases
  int64_t expected = 0, came = 0; // transaction bytes in this phase
};

/// Returns the key of an mbarrier object.
inline uint64_t placeOf(const uint8_t *object) { return reinterpret_cast<uintptr_t>(object); }

/// The agents of a cluster, and its pending operations. The entries of a vector clock start at 1, in this order:
//|  accesses of warps
//|  accesses of warps before a proxy fence
//|  initialisations of mbarrier objects before a fence
//|  accesses of one lane of each warp
//|  engines
//|  mbarrier objects
struct Agents {
  uint32_t warps = 0, engines = 0;
  std::shared_ptr<Flights> flights;
  std::map<uint64_t, ObjectHistory> objects; // keyed by `placeOf`
  uint64_t cluster = 0;                      // number of the cluster
  bool haveArrived = false;                  // some lanes have arrived at the cluster barrier

  uint32_t fenced(uint32_t warp) const { return warps + warp; }
  uint32_t made(uint32_t warp) const { return 2 * warps + warp; }
  uint32_t lane(uint32_t warp) const { return 3 * warps + warp; }
  uint32_t engine(uint32_t warp, uint32_t engine) const { return 4 * warps + 1 + (warp - 1) * engines + engine; }
  /// Returns the agent for a warp's writes to global memory. Its operations complete their writes after their reads.
  uint32_t writes(uint32_t warp) const { return engine(warp, engines - 1); }
  /// Returns the index of an agent among those that read memory, without gaps. Warps keep their numbers.
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
