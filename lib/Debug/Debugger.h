#pragma once
// A launch under a debugger. Each movement executes the launch again up to the place that is wanted, which is the same
// each time; so backwards is as good as forwards.
#include "Emulate/Halted.h"

namespace ptxray::machine::debug {

/// The lane that is looked at.
struct Focus {
  machine::WarpName warp;
  unsigned lane = 0;
};

enum class Reason : uint8_t {
  Start,      // before the first instruction
  Step,       // as far as was asked for
  Breakpoint, // at one
  Changed,    // what is watched has changed
  Fault,      // the kernel did something wrong, or waits for ever
  Ended,      // all threads have
  Stopped,    // it was asked to, or took too long
};

struct Stop {
  Reason reason = Reason::Start;
  uint64_t time = 0;
  std::optional<size_t> watched;      // which of them has changed,
  std::vector<uint8_t> before, after; // from what to what
};

class Debugger {
public:
  /// The buffers are the memory that the launch changes, beside the variables of the module. All of it is now as it is
  /// before the launch.
  Debugger(machine::LoadedModule &module, const machine::Launch &launch,
           std::vector<llvm::MutableArrayRef<uint8_t>> buffers);

  // Movements. The warp and the lane are those of the focus, which goes to who is at a breakpoint.
  Stop start();
  Stop step();                       // to the next instruction of the lane
  Stop next();                       // the same, but calls are one instruction
  Stop finish();                     // until the function has returned
  Stop stepBack();                   // to the instruction before
  Stop go();                         // until a breakpoint, a change or the end
  Stop goBack();                     // the same backwards, or the beginning
  Stop runTo(machine::CodePlace at); // until the warp is there
  Stop goTo(uint64_t time);          // where the focus goes to who executes then

  /// Puts bytes into a register or into memory before the instruction that comes next, and forgets what was put
  /// somewhere at later times. Returns false if there are no such bytes, or the launch has ended.
  bool put(const machine::WatchedBytes &where, std::vector<uint8_t> bytes);
  /// Everything that was put somewhere, by time.
  llvm::ArrayRef<machine::Change> changes() const { return made; }
  void forgetChanges() { made.clear(); }
  /// Returns the last change of a register of the lane before a time; null: there is none.
  const machine::Change *lastChange(const machine::FunctionCode &code, LocalId local, uint64_t before) const;

  /// The instruction that wrote a register of the lane last, and when; nothing: none did.
  struct Writing {
    uint64_t time;
    machine::CodePlace at;
  };
  std::optional<Writing> lastWriting(const machine::FunctionCode &code, LocalId local, uint64_t before);
  /// Returns the text of a register of the lane at another time.
  std::string registerAt(uint64_t time, const machine::FunctionCode &code, LocalId local);

  Focus focus;
  std::vector<machine::CodePlace> breakpoints;
  /// Something whose change stops the launch, with its text for people.
  struct Watch {
    std::string text;
    machine::WatchedBytes bytes;
  };
  std::vector<Watch> watched;

  uint64_t time() const { return now; }
  const Stop &last() const { return stop; }
  /// Returns the state at this time.
  machine::HaltedLaunch &launch() const { return *halted; }
  machine::GridState &grid() const { return halted->grid(); }
  const machine::Program &program() const { return code; }
  /// Returns the warp of the focus; null: it does not exist now.
  machine::Warp *warp() const;
  /// The instruction that the lane of the focus is at, and the frame that it is in.
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
