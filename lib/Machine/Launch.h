#pragma once
// One launch of a kernel on the emulated machine, and what came of it. Memory keeps its contents between launches.
#include "Check/ReadModule.h"
#include "Diagnostics/Diagnostic.h"
#include "Machine/Counts.h"
#include "Machine/Fidelity.h"
#include "Machine/Memory.h"
#include "Machine/Observer.h"
#include "Machine/Timing.h"
#include <array>
#include <atomic>
#include <memory>
#include <optional>

namespace ptxray::machine {

/// A module as the machine executes it, for one target. Its variables lie in a memory.
class LoadedModule {
public:
  /// `target`: the GPU, such as sm_90a; empty: the one of the module. Constructs that cannot be executed are refused
  /// only where a launch comes to them.
  LoadedModule(const ReadModule &module, Memory &memory, llvm::StringRef target = "");
  ~LoadedModule();

  /// The memory of a variable of the module; empty: there is none of that name.
  llvm::MutableArrayRef<uint8_t> variable(llvm::StringRef name) const;
  /// The memory of all of them.
  std::vector<llvm::MutableArrayRef<uint8_t>> allVariables() const;
  /// Its address on the GPU, and its size.
  std::optional<std::pair<uint64_t, uint64_t>> placeOf(llvm::StringRef name) const;
  /// Binds an image to a variable of type `.texref`, `.samplerref` or `.surfref`. Returns why it cannot, or
  /// an empty text.
  std::string bind(llvm::StringRef name, ImageObject object);
  /// The handle of such a variable; 0: there is none of that name.
  uint64_t imageAt(llvm::StringRef name) const;

  struct Parts;
  std::unique_ptr<Parts> parts;
};

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

struct Launch {
  llvm::StringRef kernel;
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {0, 0, 0}; // zeros: as the kernel says
  uint32_t shared = 0;                         // dynamic shared memory
  bool isCooperative = false;
  std::vector<uint8_t> parameters; // laid out as the kernel declares them
  bool checks = true;              // look for races
  Timing timing;
  bool checksNumbers = false; // find infinities and NaNs that come of finite numbers, divisions by zero
  std::optional<TracedThread> traced;
  bool counts = false;                  // count what instructions do
  uint8_t unwritten = 0;                // each byte of registers, shared and local memory before something writes it
  unsigned cores = 0;                   // how many execute blocks at the same time; 0: all of the computer
  double seconds = 0;                   // the time that it may take; 0: any time
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

struct Outcome {
  std::string refusal;                 // says why it was not launched, or what could not be executed; empty: it ran
  Range refusedAt;                     // the instruction that it came to; empty: it was not launched
  std::vector<Diagnostic> diagnostics; // faults of the kernel
  DeviceError error = DeviceError::None;
  std::vector<TraceLine> trace;
  std::vector<CountedInstruction> counts; // those of the kernel, and of the functions that it came to
  std::string printed;                    // the text that printf wrote
  bool isComplete = false;                // every thread came to its end
  bool isOutOfTime = false;
  bool isStopped = false; // the watch ended it
  uint64_t laneInstructions = 0;
};

Outcome launch(LoadedModule &module, const Launch &launch);
/// The bytes of shared memory and of parameters that a kernel declares.
struct KernelBytes {
  uint64_t shared = 0, parameters = 0;
};
/// `checks` as in launches of the kernel, which is lowered for them.
KernelBytes bytesOf(LoadedModule &module, llvm::StringRef kernel, bool checks = true);

} // namespace ptxray::machine
