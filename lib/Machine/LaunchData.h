#pragma once
// The parameters of a launch, and its outcome.
#include "Diagnostics/Diagnostic.h"
#include "Launch/LaunchShape.h"
#include "Machine/Counts.h"
#include "Machine/Fidelity.h"
#include "Machine/Observer.h"
#include "Machine/Timing.h"
#include <array>
#include <atomic>
#include <optional>

namespace ptxray::machine {

/// Reports the progress of a launch to other threads, and lets them stop it.
struct Watch {
  std::atomic<uint64_t> blocksDone = 0;
  std::atomic<bool> isStopped = false;
};

/// A thread whose instructions are traced.
struct TracedThread {
  std::array<uint32_t, 3> thread{}, block{};
};
inline constexpr size_t mostTraced = 1'000'000; // instructions
/// An instruction that the traced thread has executed, and the values of its registers at that time: `%r1 = 5 (0x5)`.
struct TraceLine {
  Range range;
  std::vector<std::string> values;
};

/// A launch on the emulator: its size, parameters and options.
struct Launch : LaunchShape {
  llvm::StringRef kernel;
  std::vector<uint8_t> parameters; // in the layout that the kernel declares
  bool checks = true;              // detect races
  Timing timing;
  bool checksNumbers = false; // detects infinities and NaNs that result from finite numbers, and divisions by zero
  std::optional<TracedThread> traced;
  bool counts = false;           // counts executions and accesses of instructions
  bool certifies = false;        // finds the buffers whose contents affect more than data; one core executes all blocks
  uint8_t unwritten = 0;         // fill byte for uninitialised registers, shared and local memory
  unsigned cores = 0;            // number of host threads that execute blocks; 0 for all cores
  double seconds = 0;            // time limit; 0 for none
  size_t printedBytes = 1 << 20; // size of the printf buffer
  uint64_t heapBytes = 8 << 20;  // size of the device heap, for `malloc` in kernels
  uint64_t memoryBytes = 0;      // limit for host memory; 0 for `usualMemoryLimit()`
  Watch *watch = nullptr;        // null if not needed
  std::vector<ObserverMaker> observers; // additional observers; if there are any, one core executes all blocks
};

/// The counters of an instruction.
struct CountedInstruction {
  Range range;
  llvm::StringRef function, kind; // kind: `ld`, `mma.sp` ...
  InstructionCounts counts;
  Fidelity fidelity = Fidelity::Exact;
};

/// The CUDA error that a driver reports for a fault, as measured on an H100.
enum class DeviceError : uint8_t {
  None, // no error, or an error without a specific code
  IllegalAddress,
  AddressSpace,
  Misaligned,
  IllegalInstruction,
  Assertion,
  Hang,
};

/// How buffer contents affected a launch with a certificate (`Launch::certifies`).
struct Certificate {
  /// The property of the launch that a value from a buffer determined.
  enum class Decides : uint8_t { Address, Operand, Guard, Branch, Value };
  struct Use {
    std::string buffer; // number of the argument, or name of the variable
    Decides decides = Decides::Address;
    Range range;                 // the instruction for which the value mattered
    std::optional<Range> loaded; // the load from the buffer that last provided the value
  };
  /// An influence that the certificate does not cover.
  struct Obstacle {
    std::string text;
    Range range; // empty for the whole launch
  };
  struct Buffer {
    std::string name;
    llvm::MutableArrayRef<uint8_t> bytes;
  };
  /// A condition on all elements of a buffer under which its contents do not matter (`lib/Equal/Certify.h`).
  struct Condition {
    std::string buffer;
    bool isProved = false; // otherwise only launches with such contents were tried
    uint32_t bytes = 0;    // size of an element
    bool isSigned = false;
    uint64_t first = 0, stride = 0; // bytes from the start of the buffer to the first element, and to the next one
    __int128 low = 0, high = 0;     // bounds of each element, inclusive
    uint64_t modulus = 1, rest = 0; // each element leaves `rest` when divided by `modulus`
    uint64_t distance = 0;          // if not 0: bounds of an element minus the one `distance` elements before
    __int128 leastStep = 0, greatestStep = 0;
  };
  std::vector<Buffer> buffers;       // all buffers that the launch could access
  std::vector<Use> uses;             // first use of each buffer whose contents mattered
  std::vector<Use> sites;            // all instructions for which they mattered
  std::vector<Obstacle> obstacles;   // other influences: the order of threads, the chip
  std::vector<Condition> conditions; // under which buffers in `uses` do not matter
  std::optional<Obstacle> unordered; // an instruction whose result depends on the order of threads, but is only data
  bool isTooLarge = false;           // to find conditions
  std::vector<std::pair<std::string, Obstacle>> unconditional; // buffers in `uses` without a condition, and the reason

  bool holds() const { return uses.empty() && obstacles.empty(); }
};

struct Outcome {
  std::string refusal; // why the kernel was not launched, or the unsupported operation; empty on success
  Range refusedAt;     // the unsupported instruction; empty if the kernel was not launched
  std::vector<Diagnostic> diagnostics; // faults of the kernel
  DeviceError error = DeviceError::None;
  std::vector<TraceLine> trace;
  std::vector<CountedInstruction> counts; // counts for the kernel and the functions that it executed
  std::string printed;                    // output of printf, up to the size of its buffer
  uint64_t printedLost = 0;               // bytes of output that did not fit into the buffer
  bool isComplete = false;                // every thread exited
  bool isOutOfTime = false;
  bool isOutOfMemory = false; // the launch exceeded its memory limit
  bool isStopped = false;     // the watch stopped the launch
  std::optional<Certificate> certificate;
  uint64_t laneInstructions = 0;
};

} // namespace ptxray::machine
