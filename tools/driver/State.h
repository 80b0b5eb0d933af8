#pragma once
// The state of the emulated driver is one device, its contexts and memory, and all that handles lead to. Calls are one
// after the other, under one lock.
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
  unsigned flags = 0; // 1: it does not wait for the default stream
  int priority = 0;
  std::map<int, AttributeValue> attributes; // hints, which change nothing here
  std::shared_ptr<Capture> capture;         // null: what is started on it is to be done
};

struct Context {
  Result failed = Success; // all calls give it after a fault of a kernel
  Result noted = Success;  // the next call that waits gives it
  std::shared_ptr<Stream> legacy = std::make_shared<Stream>();
  std::map<std::thread::id, std::shared_ptr<Stream>> ofThreads;
  unsigned flags = 0;
  std::map<int, size_t> limits;
};

struct Image;
struct Kernel {
  Image *module;
  machine::KernelEntry entry;
  uint64_t localBytes = 0;    // the bytes that it declares
  int mostShared = 48 * 1024; // dynamic, that a launch may have
  bool anyCluster = false;
};

/// A module, or a library, which differ in name alone.
struct Image {
  FileReport report;
  CheckOptions options;
  std::optional<ReadModule> read;
  std::optional<machine::LoadedModule> loaded;
  std::map<std::string, Kernel> functions; // by name
  uint64_t constantBytes = 0;              // the bytes of its variables
};

struct Event {
  unsigned flags = 0;
  std::shared_ptr<Moment> moment;   // null: it was not recorded
  std::shared_ptr<Capture> capture; // the capture of the stream that it was recorded on
  std::vector<void *> nodes;        // the nodes that came before it there
};
/// The buffers of the client for what is said about a text.
struct LogBuffers {
  char *errors = nullptr, *infos = nullptr;
  size_t errorBytes = 0, infoBytes = 0;
};
struct Link {
  std::vector<LinkInput> inputs;
  LogBuffers logs;
  std::string ptx; // the text of all of them
};
struct Pool {
  bool isOfDevice = true;          // the host reaches all else, too
  std::map<int, uint64_t> options; // as they were set
};

/// Holds where a client wants memory to lie.
struct Hints {
  bool isReadMostly = false;
  Location preferred = {}, prefetched = {};
  std::set<Device> accessedBy;
};
/// Memory that the client got from the driver, or registered.
struct Block {
  enum class Kind : uint8_t { Device, Host, Managed, Registered };
  Kind kind;
  uint8_t *bytes;
  size_t size;
  GraphMemory *ofGraph = nullptr; // the memory of a node
  Hints hints = {};
};

/// Counts the memory that graphs have, and the most that they had.
struct GraphBytes {
  size_t used = 0, mostUsed = 0, reserved = 0, mostReserved = 0;
};

/// Memory that is made to be mapped, and how many handles and mappings it has.
struct PhysicalMemory {
  size_t size = 0;
  int file = -1;
  unsigned count = 0;
};
/// Addresses that are reserved, and what is mapped to them.
struct Reservation {
  struct Mapping {
    size_t size = 0;
    uint64_t handle = 0;
    bool isAccessible = false;
  };
  size_t size = 0;
  void *all = nullptr; // with what is left of it before and after, to be aligned
  size_t allBytes = 0;
  std::map<Address, Mapping> mappings;
  std::vector<Address> exposed; // the runs that the machine knows
};

struct State {
  std::recursive_mutex mutex;
  bool isInitialised = false;
  int process = 0; // the one that initialised it: one that it forks may not use it
  const Chip *chip = nullptr;
  bool checks = true;            // look for races
  bool followsUnwritten = false; // what nothing has written in memory that is allocated
  bool countsFidelity = false;
  bool certifies = false; // launches by the usual schedule get certificates
  bool goesOn = false;    // a fault of a kernel is the error of one call that waits; else the context has failed
  machine::Timing timing;
  uint32_t schedules = 0; // by which each launch is tried besides
  double timeLimit = 0;   // in seconds, of each launch; 0: none
  machine::Memory memory;
  std::map<Address, Block> blocks;
  size_t usedBytes = 0;
  Address deviceEnd = 0; // the end of the last block that was added to the device
  GraphBytes graphBytes;
  Context primary;
  unsigned primaryCount = 0;
  std::set<void *> contexts, modules, functions, events, links, pools, graphs, nodes, execs, arrays,
      mipmapped; // those that
                 // are alive
  std::map<void *, std::shared_ptr<Stream>> streams;
  std::map<void *, Result> destroyed; // the error that calls with a destroyed handle return
  unsigned lastGraph = 0;             // its number
  std::map<void *, std::vector<std::shared_ptr<UserObject>>> userObjects; // the references of the client, by object
  std::map<uint64_t, ImageHandle> images;                                 // by the handle of the texture or surface
  std::map<Address, Reservation> reservations;
  std::map<uint64_t, PhysicalMemory> physical; // by its handle
  bool isSynchronous = false;                  // asynchronous work is done at once
  std::deque<Task> pending;
  uint64_t lastNumber = 0;
  std::thread::id worker; // the thread that does pending work
  std::mutex changing;
  std::condition_variable changed;
  unsigned depth = 0; // how often the lock is held
  std::chrono::steady_clock::time_point lastCall;
  bool hasIdleThread = false, isEnding = false;
  Tally tally;
};
State &state();

/// Returns the contexts of this thread; the last one is current.
std::vector<Context *> &contextStack();
/// While one lives, the calls of this thread need no context.
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
/// Returns the error of a call whose handle leads to nothing.
Result errorOfHandle(void *handle);
/// Returns the error of a call in a context that is not alive.
Result errorOfContext(void *context);
/// Returns the reason why no call may be made now, the fault of an earlier kernel among them; Success: it may.
Result ready();
/// Returns the bytes that an address of the device leads to; null: they are not all in one buffer.
uint8_t *bytesAt(Address address, size_t size);
/// Makes a block of memory.
Result allocate(Address *to, size_t size, Block::Kind kind);
/// Returns the block that an address lies in; null: none.
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

/// Gives the lock of this thread back as long as it lives, however often it was taken.
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

/// The result of a search for a function of the API.
struct Found {
  void *function = nullptr; // null: that version of the API does not have it
  bool isKnown = false;     // whether any version has it
};
/// Returns the newest variant of the function `name` that a client of that version of the API knows. With `ofThread`,
/// the default stream of the function is the calling thread's own.
Found findFunction(llvm::StringRef name, int version, bool ofThread); // ProcAddress.cpp
struct ErrorText {
  int number;
  const char *name, *text;
};
const ErrorText *findError(int number); // ProcAddress.cpp

} // namespace ptxray::driver

/// Begins a function of the API: the lock, and the reasons why none may be called.
#define PTXRAY_BEGIN                                                                                                   \
  const Lock lock(state().mutex);                                                                                      \
  if (const Result bad = ready())                                                                                      \
  return bad
#define PTXRAY_API extern "C" __attribute__((visibility("default"))) ptxray::driver::Result
