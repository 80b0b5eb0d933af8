#pragma once
// The debugger in a terminal: commands by name, one method each.
#include "Debug/Places.h"
#include "Debug/Views.h"
#include "Diagnostics/Report.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

/// Writes a place as people read it: `(0, 0, 0)`, `block (0, 0, 0) warp 1 lane 3`.
std::string tripleText(const std::array<uint32_t, 3> &at);
std::string focusText(const machine::debug::Focus &focus);
/// `0x0000ffff`
std::string maskText(uint32_t lanes);
/// Says who waits at a barrier, and since when.
std::string waiterText(const machine::debug::BarrierView::Waiter &waiter);
/// Returns the line and the text of an instruction, with the line of the source that it was made from.
std::string instructionText(const Instruction &instruction, const FileReport &report, const OriginTable &origins);
/// Returns the findings of a launch, a line for each diagnostic and each of its notes.
std::vector<std::string> faultTexts(const machine::HaltedLaunch &launch, const FileReport &report);

/// Bytes as numbers that are as wide as the bytes allow.
std::string bytesText(llvm::ArrayRef<uint8_t> bytes);

class Console {
public:
  Console(machine::debug::Debugger &debugger, const FileReport &report, llvm::raw_ostream &out);

  /// Executes commands until `quit` or the end of the stream. An empty line repeats the last one.
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

  // Movements.
  void start(Words words);
  void step(Words words);
  void next(Words words);
  void stepBack(Words words);
  void finish(Words words);
  void go(Words words);
  void goBack(Words words);
  void runUntil(Words words);
  void goTo(Words words);

  // Commands that say what stops it.
  void addBreakpoint(Words words);
  void addWatch(Words words);
  void erase(Words words);

  // Commands that show something.
  void info(Words words);
  void list(Words words);
  void where(Words words);
  void print(Words words);
  void lanes(Words words);
  void examine(Words words);
  void matrix(Words words);
  void why(Words words);
  void help(Words words);

  /// A register or memory is given another value.
  void set(Words words);

  // The focus.
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
