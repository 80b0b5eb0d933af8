#pragma once
// What a launch is asked for, and what came of it.
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

/// Tells other threads how far a launch is, and lets them end it early.
struct Watch {
  std::atomic<uint64_t> blocksDone = 0;
  std::atomic<bool> isStopped = false;
};

/// A thread of which each instruction is noted.
struct TracedThread {
  std::array<uint32_t, 3> thread{}, block{};
};
inline constexpr size_t mostTraced = 1'000'000; // instructions
/// An instruction that the traced thread has executed, and what its registers were then: `%r1 = 5 (0x5)`.
struct TraceLine {
  Range range;
  std::vector<std::string> values;
};

/// A launch on the machine: its size, its parameters, and what is looked for.
struct Launch : LaunchShape {
  llvm::StringRef kernel;
  std::vector<uint8_t> parameters; // laid out as the kernel declares them
  bool checks = true;              // look for races
  Timing timing;
  bool checksNumbers = false; // find infinities and NaNs that come of finite numbers, divisions by zero
  std::optional<TracedThread> traced;
  bool counts = false;                  // count what instructions do
  bool certifies = false;               // find which buffers decide more than data; one core executes all blocks
  uint8_t unwritten = 0;                // each byte of registers, shared and local memory before something writes it
  unsigned cores = 0;                   // how many execute blocks at the same time; 0: all of the computer
  double seconds = 0;                   // the time that it may take; 0: any time
  size_t printedBytes = 1 << 20;        // the size of the buffer for printf
  uint64_t heapBytes = 8 << 20;         // of the heap of the device, for `malloc` in kernels
  uint64_t memoryBytes = 0;             // of this computer that it may take; 0: `usualMemoryLimit()`
  Watch *watch = nullptr;               // null: none is needed
  std::vector<ObserverMaker> observers; // others than those that the options above select; one core executes all blocks
};

/// An instruction that was counted.
struct CountedInstruction {
  Range range;
  llvm::StringRef function, kind; // kind: `ld`, `mma.sp` ...
  InstructionCounts counts;
  Fidelity fidelity = Fidelity::Exact;
};

/// The error by which a driver tells of a fault: of each an H100 was asked.
enum class DeviceError : uint8_t {
  None, // or one without a name of its own
  IllegalAddress,
  AddressSpace,
  Misaligned,
  IllegalInstruction,
  Assertion,
  Hang,
};

/// What the contents of buffers decided in a launch that was asked for a certificate (`Launch::certifies`).
struct Certificate {
  /// What a value from a buffer decided.
  enum class Decides : uint8_t { Address, Operand, Guard, Branch };
  struct Use {
    std::string buffer; // the number of the argument, or the name of the variable
    Decides decides = Decides::Address;
    Range range;                 // the instruction that the value decided
    std::optional<Range> loaded; // the load of the buffer from which the value came last
  };
  /// Something that the certificate does not cover.
  struct Obstacle {
    std::string text;
    Range range; // empty: the launch as a whole
  };
  std::vector<std::string> buffers;  // all that the launch could access
  std::vector<Use> uses;             // the first of each buffer whose contents decided something
  std::vector<Obstacle> obstacles;   // other things that decided something: the order of threads, the chip
  std::optional<Obstacle> unordered; // an instruction whose result depends on the order of threads and is only data

  bool holds() const { return uses.empty() && obstacles.empty(); }
};

struct Outcome {
  std::string refusal;                 // says why it was not launched, or what could not be executed; empty: it ran
  Range refusedAt;                     // the instruction that it came to; empty: it was not launched
  std::vector<Diagnostic> diagnostics; // faults of the kernel
  DeviceError error = DeviceError::None;
  std::vector<TraceLine> trace;
  std::vector<CountedInstruction> counts; // those of the kernel, and of the functions that it came to
  std::string printed;                    // the text that printf wrote, as far as its buffer holds it
  uint64_t printedLost = 0;               // bytes of it that the buffer had no room for
  bool isComplete = false;                // every thread came to its end
  bool isOutOfTime = false;
  bool isOutOfMemory = false; // it needed more than it may take
  bool isStopped = false;     // the watch ended it
  std::optional<Certificate> certificate;
  uint64_t laneInstructions = 0;
};

} // namespace ptxray::machine
