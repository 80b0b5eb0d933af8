#pragma once
// Work on a stream, or of a graph node, as values.
#include "Shape.h"
#include <array>
#include <memory>
#include <variant>
#include <vector>

namespace ptxray::driver {

struct Context;
struct Kernel;
struct Stream;

/// The point in a stream at which an event was recorded.
struct Moment {
  const Stream *stream = nullptr;
  uint64_t number = 0; // number of the task that records it
  bool isDone = false;
  double milliseconds = 0;
};

struct KernelWork : LaunchShape {
  Kernel *function = nullptr;
  std::vector<uint8_t> parameters;
};
struct CopyWork {
  Copy3D boxes = {};
  std::shared_ptr<std::vector<uint8_t>> staged = nullptr; // a copy of its source, if that was host memory
};
struct FillWork {
  Address to = 0;
  size_t pitch = 0;
  unsigned value = 0, bytes = 1; // value and size of an element
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
  void *event = nullptr; // event of a node, which creates a new moment at each launch
};
struct WaitWork {
  std::shared_ptr<Moment> moment;
  void *event = nullptr;
};
struct FreeWork {
  Address address = 0;
};
/// Memory allocated by a graph node. It exists as long as the node and all executable graphs that contain it.
struct GraphMemory {
  GraphMemory() = default;
  ~GraphMemory();
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;
  AllocNodeParameters asked = {};
  bool isLive = false; // a launch has allocated it, and it is not freed yet
};
struct AllocWork {
  std::shared_ptr<GraphMemory> memory;
};
/// The condition of a conditional node. Kernels set it through a handle, which is its device address.
struct Condition {
  Condition() = default;
  ~Condition();
  Condition(const Condition &) = delete;
  Condition &operator=(const Condition &) = delete;
  Address handle = 0;
  uint32_t value = 0, first = 0;
  bool isAssigned = false; // each launch of its graph resets it to the initial value
  bool hasNode = false;
};
struct ConditionWork {
  std::shared_ptr<Condition> condition;
  enum Kind : int { If, While, Switch } kind = If;
};
struct Steps;
/// A conditional node, and all work of its graphs.
struct BranchWork {
  std::shared_ptr<const Steps> steps;
};
struct EmptyWork {};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, CallbackWork, RecordWork, WaitWork,
                          FreeWork, AllocWork, ConditionWork, BranchWork>;

/// Return the error with which the driver would reject the work, or Success.
Result problemOf(const CopyWork &copy);
Result problemOf(const FillWork &fill);
Result problemOf(const KernelWork &kernel);

/// Perform work immediately.
Result perform(const Work &work, Context &context);
Result performCopy(const CopyWork &copy);
Result performFill(const FillWork &fill);
Result performKernel(const KernelWork &kernel, Context &context);
Result release(Address address, bool ofHost);
Result performAlloc(const AllocWork &alloc);
Result performBranch(const BranchWork &branch, Context &context);

/// Returns the work of a node that allocates memory, and stores the address in `asked`.
Result allocWork(AllocWork &work, AllocNodeParameters &asked);
/// Returns whether an address is in the memory of a graph node.
bool isOfGraph(Address address);

/// Converts a client's launch configuration and parameters into work. Returns an error if they are invalid.
Result kernelWork(KernelWork &work, void *handle, const LaunchConfig &config, void **parameters, void **extra);

} // namespace ptxray::driver
