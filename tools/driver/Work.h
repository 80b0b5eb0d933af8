#pragma once
// Work that is started on a stream, or is a node of a graph, as values.
#include "Shape.h"
#include <array>
#include <memory>
#include <variant>
#include <vector>

namespace ptxray::driver {

struct Context;
struct Kernel;
struct Stream;

/// The place in a stream at which an event was recorded.
struct Moment {
  const Stream *stream = nullptr;
  uint64_t number = 0; // the number of the task that records it
  bool isDone = false;
  double milliseconds = 0;
};

struct KernelWork : LaunchShape {
  Kernel *function = nullptr;
  std::vector<uint8_t> parameters;
};
struct CopyWork {
  Copy3D boxes = {};
  std::shared_ptr<std::vector<uint8_t>> staged = nullptr; // the bytes that it reads, if they were memory of the host
};
struct FillWork {
  Address to = 0;
  size_t pitch = 0;
  unsigned value = 0, bytes = 1; // the value and the bytes of an element
  size_t width = 0, height = 1;
};
struct HostWork {
  void (*function)(void *) = nullptr;
  void *data = nullptr;
};
struct CallbackWork {
  void *stream = nullptr;
  void (*function)(void *, Result, void *) = nullptr;
  void *data = nullptr;
};
struct RecordWork {
  std::shared_ptr<Moment> moment;
  void *event = nullptr; // the event of a node, which makes a new moment at each launch
};
struct WaitWork {
  std::shared_ptr<Moment> moment;
  void *event = nullptr;
};
struct FreeWork {
  Address address = 0;
};
/// The memory that a node of a graph allocates: it is there as long as the node and all graphs that can launch it.
struct GraphMemory {
  GraphMemory() = default;
  ~GraphMemory();
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;
  AllocNodeParameters asked = {};
  bool isLive = false; // a launch has allocated it, and nothing has freed it
};
struct AllocWork {
  std::shared_ptr<GraphMemory> memory;
};
/// A kernel sets it by a handle, which is the address of the value on the device.
struct Condition {
  Condition() = default;
  ~Condition();
  Condition(const Condition &) = delete;
  Condition &operator=(const Condition &) = delete;
  Address handle = 0;
  uint32_t value = 0, first = 0;
  bool isAssigned = false; // each launch of its graph begins with the first value
  bool hasNode = false;
};
struct ConditionWork {
  std::shared_ptr<Condition> condition;
  enum Kind : int { If, While, Switch } kind = If;
};
struct Steps;
/// A node with a condition and all work of its graphs.
struct BranchWork {
  std::shared_ptr<const Steps> steps;
};
struct EmptyWork {};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, CallbackWork, RecordWork, WaitWork,
                          FreeWork, AllocWork, ConditionWork, BranchWork>;

/// Returns why the driver would refuse it when it is started, or Success.
Result problemOf(const CopyWork &copy);
Result problemOf(const FillWork &fill);
Result problemOf(const KernelWork &kernel);

/// Does the work now.
Result perform(const Work &work, Context &context);
Result performCopy(const CopyWork &copy);
Result performFill(const FillWork &fill);
Result performKernel(const KernelWork &kernel, Context &context);
Result release(Address address, bool ofHost);
Result performAlloc(const AllocWork &alloc);
Result performBranch(const BranchWork &branch, Context &context);

/// Returns the work of a node that allocates memory, at an address that is written to what is asked for.
Result allocWork(AllocWork &work, AllocNodeParameters &asked);
/// Returns whether an address is memory of a node.
bool isOfGraph(Address address);

/// The kernel's parameters and shape from what a client gives; another result than Success says why not.
Result kernelWork(KernelWork &work, void *handle, const LaunchConfig &config, void **parameters, void **extra);

} // namespace ptxray::driver
