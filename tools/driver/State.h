#pragma once
// The state of the emulated driver: one device, its contexts and memory, and all objects with handles. One lock
// serialises all calls.
#include "../cuda/Attributes.h"
#include "../cuda/DriverApi.h"
#include "Check/Checker.h"
#include "Chips.h"
#include "Emulate/Launch.h"
#include "Linker.h"
#include "Machine/Kernels.h"
#include "Queue.h"
#include "Tally.h"
#include "Texels.h"
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace ptxray::driver {

struct Capture;
struct GraphMemory;
struct UserObject;
struct Stream {
  unsigned flags = 0; // 1 if it does not synchronise with the default stream
  int priority = 0;
  std::map<int, AttributeValue> attributes; // hints without effect
  std::shared_ptr<Capture> capture;         // null if work is performed instead of captured
};

struct Context {
  Result failed = Success; // after a fault of a kernel, all calls return it
  Result noted = Success;  // the next call that waits returns it
  std::shared_ptr<Stream> legacy = std::make_shared<Stream>();
  std::map<std::thread::id, std::shared_ptr<Stream>> ofThreads;
  unsigned flags = 0;
  std::map<int, size_t> limits;
};

struct Image;
struct Kernel {
  Image *module;
  machine::KernelEntry entry;
  uint64_t localBytes = 0;    // bytes of local memory that it declares
  int mostShared = 48 * 1024; // maximum dynamic shared memory of a launch
  bool anyCluster = false;
};

/// A module or a library. They differ only in name.
struct Image {
  FileReport report;
  CheckOptions options;
  std::optional<ReadModule> read;
  std::optional<machine::LoadedModule> loaded;
  std::map<std::string, Kernel> functions; // keyed by name
  uint64_t constantBytes = 0;              // total size of its variables
};

struct Event {
  unsigned flags = 0;
  std::shared_ptr<Moment> moment;   // null if it was not recorded
  std::shared_ptr<Capture> capture; // capture of the stream on which it was recorded
  std::vector<void *> nodes;        // dependencies at the time of recording
};
/// Buffers of the client for messages about a module.
struct LogBuffers {
  char *errors = nullptr, *infos = nullptr;
  size_t errorBytes = 0, infoBytes = 0;
};
struct Link {
  std::vector<LinkInput> inputs;
  LogBuffers logs;
  std::string ptx; // all linked PTX
};
struct Pool {
  bool isOfDevice = true;          // false if the host can also access it
  std::map<int, uint64_t> options; // values that the client has set
};

/// Preferences of a client for the location of memory.
struct Hints {
  bool isReadMostly = false;
  Location preferred = {}, prefetched = {};
  std::set<Device> accessedBy;
};
/// Memory that the driver allocated for the client, or that the client registered.
struct Block {
  enum class Kind : uint8_t { Device, Host, Managed, Registered };
  Kind kind;
  uint8_t *bytes;
  size_t size;
  GraphMemory *ofGraph = nullptr; // set for the memory of an allocation node
  Hints hints = {};
};

/// Current and maximum memory of graphs.
struct GraphBytes {
  size_t used = 0, mostUsed = 0, reserved = 0, mostReserved = 0;
};

/// Memory that can be mapped, and its numbers of handles and mappings.
struct PhysicalMemory {
  size_t size = 0;
  int file = -1;
  unsigned count = 0;
};
/// A range of reserved addresses, and its mappings.
struct Reservation {
  struct Mapping {
    size_t size = 0;
    uint64_t handle = 0;
    bool isAccessible = false;
  };
  size_t size = 0;
  void *all = nullptr; // host memory including padding for alignment
  size_t allBytes = 0;
  std::map<Address, Mapping> mappings;
  std::vector<Address> exposed; // ranges that are accessible in the emulator
};

struct State {
  std::recursive_mutex mutex;
  bool isInitialised = false;
  int process = 0; // the process that initialised the driver; a forked child must not use it
  const Chip *chip = nullptr;
  bool checks = true;            // detect races
  bool followsUnwritten = false; // detect uses of uninitialised memory in allocations
  bool countsFidelity = false;
  bool certifies = false; // launches by the usual schedule get certificates
  bool goesOn = false; // a fault of a kernel is returned by one call that waits; otherwise the context becomes unusable
  machine::Timing timing;
  uint32_t schedules = 0; // number of additional schedules for each launch
  double timeLimit = 0;   // in seconds per launch; 0 for none
  machine::Memory memory;
  std::map<Address, Block> blocks;
  size_t usedBytes = 0;
  Address deviceEnd = 0; // end of the last block that was added to the device
  GraphBytes graphBytes;
  Context primary;
  unsigned primaryCount = 0;
  std::set<void *> contexts, modules, functions, events, links, pools, graphs, nodes, execs, arrays,
      mipmapped; // valid handles
                 // are alive
  std::map<void *, std::shared_ptr<Stream>> streams;
  std::map<void *, Result> destroyed; // the error that calls with a destroyed handle return
  unsigned lastGraph = 0;             // number of the last graph
  std::map<void *, std::vector<std::shared_ptr<UserObject>>> userObjects; // the client's references, by object
  std::map<uint64_t, ImageHandle> images;                                 // keyed by handle of the texture or surface
  std::map<Address, Reservation> reservations;
  std::map<uint64_t, PhysicalMemory> physical; // keyed by handle
  bool isSynchronous = false;                  // performs asynchronous work immediately
  std::deque<Task> pending;
  uint64_t lastNumber = 0;
  std::thread::id worker; // the thread that performs pending work
  std::mutex changing;
  std::condition_variable changed;
  unsigned depth = 0; // recursion depth of the lock
  std::chrono::steady_clock::time_point lastCall;
  bool hasIdleThread = false, isEnding = false;
  Tally tally;
};
State &state();

/// Returns the context stack of this thread. The last one is current.
std::vector<Context *> &contextStack();
/// While an object exists, calls of this thread need no context.
class Anywhere {
public:
  Anywhere() : before(std::exchange(isSet, true)) {}
  ~Anywhere() { isSet = before; }
  Anywhere(const Anywhere &) = delete;
  Anywhere &operator=(const Anywhere &) = delete;
  static inline thread_local bool isSet = false;

private:
  bool before;
};
/// Returns the error of a call with an invalid handle.
Result errorOfHandle(void *handle);
/// Returns the error of a call in an invalid context.
Result errorOfContext(void *context);
/// Returns Success, or the error that prevents all calls now, such as the fault of an earlier kernel.
Result ready();
/// Returns the memory at a device address, or null if it is not contained in one buffer.
uint8_t *bytesAt(Address address, size_t size);
/// Allocates a block of memory.
Result allocate(Address *to, size_t size, Block::Kind kind);
/// Returns the block that contains an address, or null.
std::pair<const Address, Block> *blockAt(Address address);

/// Holds the lock of the driver.
class Lock {
public:
  explicit Lock(std::recursive_mutex &mutex) : held(mutex) { ++state().depth; }
  ~Lock() { --state().depth; }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  std::lock_guard<std::recursive_mutex> held;
};

/// Releases this thread's lock while the object exists, regardless of its recursion depth.
class Unlocked {
public:
  Unlocked() : depth(std::exchange(state().depth, 0)) {
    for (unsigned i = 0; i < depth; ++i)
      state().mutex.unlock();
  }
  ~Unlocked() {
    for (unsigned i = 0; i < depth; ++i)
      state().mutex.lock();
    state().depth = depth;
  }
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;

private:
  unsigned depth;
};

/// The result of looking up a function of the API.
struct Found {
  void *function = nullptr; // null if that version of the API does not have it
  bool isKnown = false;     // some version has it
};
/// Returns the newest variant of the function `name` in that version of the API. With `ofThread`, the function uses the
/// per-thread default stream.
Found findFunction(llvm::StringRef name, int version, bool ofThread); // ProcAddress.cpp
struct ErrorText {
  int number;
  const char *name, *text;
};
const ErrorText *findError(int number); // ProcAddress.cpp

} // namespace ptxray::driver

/// Begins a function of the API: takes the lock, and returns if no call is possible.
#define PTXRAY_BEGIN                                                                                                   \
  const Lock lock(state().mutex);                                                                                      \
  if (const Result bad = ready())                                                                                      \
  return bad
#define PTXRAY_API extern "C" __attribute__((visibility("default"))) ptxray::driver::Result
