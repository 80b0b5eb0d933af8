#pragma once
// What the emulated driver knows: one device, its contexts and memory, and whatever handles lead to. Calls are one
// after the other, under one lock, and what is asynchronous is complete when the call returns.
#include "Check/Checker.h"
#include "Chips.h"
#include "Machine/Kernels.h"
#include "Machine/Launch.h"
#include "Tally.h"
#include "Types.h"
#include <map>
#include <mutex>
#include <set>

namespace ptxray::driver {

struct Context {
  Result failed = Success; // what all calls give after a fault of a kernel
  unsigned flags = 0;
  std::map<int, size_t> limits;
};

struct Image;
struct Kernel {
  Image *module;
  machine::KernelEntry entry;
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
};

struct Stream {
  unsigned flags = 0;
  int priority = 0;
};
struct Event {
  bool isRecorded = false;
  double milliseconds = 0;
};
struct Link {
  std::string ptx;
};
struct Pool {};

/// Memory that the client got from the driver, or registered.
struct Block {
  enum class Kind : uint8_t { Device, Host, Managed, Registered };
  Kind kind;
  uint8_t *bytes;
  size_t size;
};

struct State {
  std::recursive_mutex mutex;
  bool isInitialised = false;
  int process = 0; // that initialised it: one that it forks may not use it
  const Chip *chip = nullptr;
  bool checks = true; // look for races
  bool countsFidelity = false;
  machine::Timing timing;
  machine::Memory memory;
  std::map<Address, Block> blocks;
  size_t usedBytes = 0;
  Context primary;
  unsigned primaryCount = 0;
  std::set<void *> contexts, modules, functions, streams, events, links, pools; // those that are alive
  Tally tally;
};
State &state();

/// The contexts of this thread; the last one is current.
std::vector<Context *> &contextStack();
/// Why no call may be made now, the fault of an earlier kernel among it; Success: it may.
Result ready();
/// The bytes that an address of the device leads to; null: they are not all in one buffer.
uint8_t *bytesAt(Address address, size_t size);
/// The block that an address lies in; null: none.
std::pair<const Address, Block> *blockAt(Address address);

using Lock = std::lock_guard<std::recursive_mutex>;

} // namespace ptxray::driver

/// Begins a function of the API: the lock, and the reasons why none may be called.
#define PTXRAY_BEGIN                                                                                                   \
  const Lock lock(state().mutex);                                                                                      \
  if (const Result bad = ready())                                                                                      \
  return bad
#define PTXRAY_API extern "C" __attribute__((visibility("default"))) ptxray::driver::Result
