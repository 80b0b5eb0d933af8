#pragma once
// The debugger for terminals. Each command is one method.
#include "Debug/Places.h"
#include "Debug/Views.h"
#include "Diagnostics/Report.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

/// Return a location as text: `(0, 0, 0)`, `block (0, 0, 0) warp 1 lane 3`.
std::string tripleText(const std::array<uint32_t, 3> &at);
std::string focusText(const machine::debug::Focus &focus);
/// Returns a lane mask as text: `0x0000ffff`.
std::string maskText(uint32_t lanes);
/// Returns the description of a thread that waits at a barrier, and since when.
std::string waiterText(const machine::debug::BarrierView::Waiter &waiter);
/// Returns the line and the text of an instruction, with the line of the original source.
std::string instructionText(const Instruction &instruction, const FileReport &report, const OriginTable &origins);
/// Returns the findings of a launch: one line for each diagnostic and each of its notes.
std::vector<std::string> faultTexts(const machine::HaltedLaunch &launch, const FileReport &report);

/// Returns bytes as numbers of the largest possible width.
std::string bytesText(llvm::ArrayRef<uint8_t> bytes);

class Console {
public:
  Console(machine::debug::Debugger &debugger, const FileReport &report, llvm::raw_ostream &out);

  /// Executes commands until `quit` or the end of the stream. An empty line repeats the last command.
  void run(std::FILE *in, bool prompts);
  void execute(llvm::StringRef line);

private:
  using Words = llvm::ArrayRef<llvm::StringRef>;
  using Action = void (Console::*)(Words words);
  struct Known {
    const char *name, *shortName, *syntax, *help;
    Action action;
  };
  static llvm::ArrayRef<Known> known();

  // Commands that continue the launch.
  void start(Words words);
  void step(Words words);
  void next(Words words);
  void stepBack(Words words);
  void finish(Words words);
  void go(Words words);
  void goBack(Words words);
  void runUntil(Words words);
  void goTo(Words words);

  // Commands that set breakpoints and watches.
  void addBreakpoint(Words words);
  void addWatch(Words words);
  void erase(Words words);

  // Commands that display information.
  void info(Words words);
  void list(Words words);
  void where(Words words);
  void print(Words words);
  void lanes(Words words);
  void examine(Words words);
  void matrix(Words words);
  void why(Words words);
  void help(Words words);

  /// Modifies a register or memory.
  void set(Words words);

  // Commands that change the focus.
  void chooseBlock(Words words);
  void chooseWarp(Words words);
  void chooseLane(Words words);
  void chooseThread(Words words);

  void showWarps();
  void showRegisters();
  void showBreakpoints();
  void show(const machine::debug::Stop &stop);
  void showPlace();
  void explainWriting(const machine::FunctionCode &code, LocalId local, uint64_t before);
  void repeat(Words words, machine::debug::Stop (machine::debug::Debugger::*movement)());
  std::vector<std::string> registerTexts(Words words, unsigned first, unsigned count);
  void complain(const std::string &problem);
  std::optional<machine::debug::Debugger::Position> here();
  std::string placeText(const machine::CodePlace &at);

  machine::debug::Debugger &debugger;
  const FileReport &report;
  const OriginTable origins;
  llvm::raw_ostream &out;
  bool isOver = false;
};

} // namespace ptxray
