#pragma once
// A launch under a debugger. Each command executes the launch again up to the requested time. Execution is
// deterministic, so stepping backwards works like stepping forwards.
#include "Emulate/Halted.h"

namespace ptxray::machine::debug {

/// The selected lane.
struct Focus {
  machine::WarpName warp;
  unsigned lane = 0;
};

enum class Reason : uint8_t {
  Start,      // stopped before the first instruction
  Step,       // completed the requested step
  Breakpoint, // reached a breakpoint
  Changed,    // a watched value changed
  Fault,      // the kernel faulted or is in a deadlock
  Ended,      // all threads have exited
  Stopped,    // stopped by an interrupt or the time limit
};

struct Stop {
  Reason reason = Reason::Start;
  uint64_t time = 0;
  std::optional<size_t> watched;      // index of the watch that changed
  std::vector<uint8_t> before, after; // its value before and after
};

class Debugger {
public:
  /// Starts a session. `buffers` are the memory that the launch changes, in addition to the module's variables. Both
  /// must be in their state before the launch.
  Debugger(machine::LoadedModule &module, const machine::Launch &launch,
           std::vector<llvm::MutableArrayRef<uint8_t>> buffers);

  // Commands that continue the launch. They refer to the lane in focus. At a breakpoint, the focus moves to the warp
  // that reached it.
  Stop start();
  Stop step();                       // to the lane's next instruction
  Stop next();                       // like `step`, but steps over calls
  Stop finish();                     // until the function returns
  Stop stepBack();                   // to the lane's previous instruction
  Stop go();                         // until a breakpoint, a change or the end
  Stop goBack();                     // back to a breakpoint, a change or the beginning
  Stop runTo(machine::CodePlace at); // until the focused warp reaches this instruction
  Stop goTo(uint64_t time);          // moves the focus to the warp that executes at this time

  /// Writes bytes to a register or to memory before the next instruction, and discards writes at later times. Returns
  /// false if the bytes do not exist or the launch has ended.
  bool put(const machine::WatchedBytes &where, std::vector<uint8_t> bytes);
  /// Returns all writes by `put`, sorted by time.
  llvm::ArrayRef<machine::Change> changes() const { return made; }
  void forgetChanges() { made.clear(); }
  /// Returns the last change of a register of the lane before a time, or null.
  const machine::Change *lastChange(const machine::FunctionCode &code, LocalId local, uint64_t before) const;

  /// The instruction that last wrote a register of the lane, and its time.
  struct Writing {
    uint64_t time;
    machine::CodePlace at;
  };
  std::optional<Writing> lastWriting(const machine::FunctionCode &code, LocalId local, uint64_t before);
  /// Returns the value of a register of the lane at another time, as text.
  std::string registerAt(uint64_t time, const machine::FunctionCode &code, LocalId local);

  Focus focus;
  std::vector<machine::CodePlace> breakpoints;
  /// A watched location, whose change stops the launch, and its name.
  struct Watch {
    std::string text;
    machine::WatchedBytes bytes;
  };
  std::vector<Watch> watched;

  uint64_t time() const { return now; }
  const Stop &last() const { return stop; }
  /// Returns the state at the current time.
  machine::HaltedLaunch &launch() const { return *halted; }
  machine::GridState &grid() const { return halted->grid(); }
  const machine::Program &program() const { return code; }
  /// Returns the focused warp, or null if it does not exist at this time.
  machine::Warp *warp() const;
  /// The next instruction of the focused lane, and its frame.
  struct Position {
    machine::CodePlace at;
    machine::Frame *frame;
  };
  std::optional<Position> position() const;

private:
  machine::HaltRule ruleOfBreakpoints() const;
  std::unique_ptr<machine::HaltedLaunch> run(const machine::HaltRule &rule);
  Stop halt(const machine::HaltRule &rule, Reason reason);
  void haltAt(uint64_t time);
  std::optional<machine::HaltedAt> lastOf(machine::HaltRule rule);
  Stop haltAtLast(const machine::HaltRule &rule, Reason reason);
  Stop runOn(machine::HaltRule rule, Reason reason);
  void focusOn(const machine::Warp &warp);

  machine::LoadedModule &module;
  machine::Launch asked;
  const machine::Program &code;
  std::vector<llvm::MutableArrayRef<uint8_t>> buffers;
  std::vector<std::vector<uint8_t>> initial;
  std::vector<machine::Change> made;
  std::unique_ptr<machine::HaltedLaunch> halted;
  uint64_t now = 0;
  Stop stop;
};

} // namespace ptxray::machine::debug
