#include "Console.h"
#include "Debug/Views.h"
#include "Source/Escape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace ptxray {

using llvm::StringRef;
using namespace machine::debug;

// ---- words

std::string tripleText(const std::array<uint32_t, 3> &at) {
  return "(" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]) + ")";
}

std::string focusText(const Focus &focus) {
  return "block " + tripleText(focus.warp.block) + " warp " + std::to_string(focus.warp.warp) + " lane " +
         std::to_string(focus.lane);
}

std::string maskText(uint32_t lanes) { return "0x" + llvm::utohexstr(lanes, /*LowerCase=*/true, 8); }

std::string instructionText(const Instruction &instruction, const FileReport &report, const OriginTable &origins) {
  std::string line = std::to_string(report.source->lineColumn(instruction.range.begin).line);
  line.insert(0, line.size() < 5 ? 5 - line.size() : 0, ' ');
  line += "  " + inOneLine(report.source->text().slice(instruction.range.begin, instruction.range.end));
  if (const std::optional<Origin> origin = origins.at(instruction.range.begin))
    line += "  // " + origin->path + ":" + std::to_string(origin->line);
  return line;
}

std::vector<std::string> faultTexts(const machine::HaltedLaunch &launch, const FileReport &report) {
  std::vector<std::string> all;
  const machine::Outcome &outcome = launch.outcome();
  if (!outcome.refusal.empty())
    all.push_back("it cannot be executed: " + outcome.refusal);
  for (const Diagnostic &one : outcome.diagnostics) {
    all.push_back("line " + std::to_string(report.source->lineColumn(one.range.begin).line) + ": " + one.message() +
                  " [" + one.ruleText() + "]");
    for (const Note &note : one.notes)
      all.push_back("  " + note.message.str() +
                    (note.range ? " (line " + std::to_string(report.source->lineColumn(note.range->begin).line) + ")"
                                : std::string()));
  }
  return all;
}

std::string bytesText(llvm::ArrayRef<uint8_t> bytes) {
  ByteFormat format;
  format.bits = static_cast<unsigned>(bytes.size() == 1 || bytes.size() == 2 || bytes.size() == 8 ? bytes.size() * 8
                                      : bytes.size() % 4 == 0                                     ? 32
                                                                                                  : 8);
  return llvm::join(numbersIn(bytes, format), " ");
}

Console::Console(Debugger &debugger, const FileReport &report, llvm::raw_ostream &out)
    : debugger(debugger), report(report), origins(*report.source), out(out) {}

void Console::complain(const std::string &problem) { out << problem << '\n'; }

std::optional<Debugger::Position> Console::here() {
  std::optional<Debugger::Position> position = debugger.position();
  if (!position)
    complain(focusText(debugger.focus) + " is not alive");
  return position;
}

std::string Console::placeText(const machine::CodePlace &at) {
  return instructionText(instructionAt(debugger.program(), at), report, origins);
}

// ---- commands

llvm::ArrayRef<Console::Known> Console::known() {
  static constexpr Known all[] = {
      {"run", "r", "", "go back to the first instruction", &Console::start},
      {"step", "s", "[N]", "execute the lane's next instruction", &Console::step},
      {"next", "n", "[N]", "the same, over calls", &Console::next},
      {"finish", "fin", "", "execute until the function has returned", &Console::finish},
      {"continue", "c", "", "execute until a breakpoint, a change, a fault or the end", &Console::go},
      {"until", "u", "PLACE", "execute until the lane reaches a line, a label or a function", &Console::runUntil},
      {"reverse-step", "rs", "[N]", "go back to the lane's previous instruction", &Console::stepBack},
      {"reverse-continue", "rc", "", "go back to a breakpoint, a change or the beginning", &Console::goBack},
      {"goto", "g", "TIME", "go to a time, counted in warp instructions", &Console::goTo},
      {"break", "b", "PLACE",
       "stop at a line, a label, a function, N instructions after it (`LABEL+N`), or `file.cu:LINE`",
       &Console::addBreakpoint},
      {"watch", "w", "%REGISTER|[ADDRESS] [BYTES|phase]",
       "stop when this value or the phase of a barrier object changes", &Console::addWatch},
      {"delete", "d", "[N]", "delete a breakpoint or watchpoint; without a number, delete all", &Console::erase},
      {"info", "i", "warps|registers|barriers|async|tensor|breakpoints|changes", "show them", &Console::info},
      {"list", "l", "[PLACE]", "show the source around the lane, or around a location", &Console::list},
      {"where", "bt", "", "show the lane's location and its callers", &Console::where},
      {"print", "p", "%REGISTER [FORMAT]", "show a register of the lane", &Console::print},
      {"lanes", "", "%REGISTER [FORMAT]", "show a register of all lanes", &Console::lanes},
      {"x", "", "[ADDRESS] [COUNT] [FORMAT]", "show memory", &Console::examine},
      {"matrix", "", "a|b|c|d|matrix [FORMAT] [PLACE]", "show the registers of a matrix instruction as a matrix",
       &Console::matrix},
      {"set", "", "%REGISTER|[ADDRESS] NUMBER[,NUMBER...] [FORMAT]", "change the value of a register or memory",
       &Console::set},
      {"why", "", "[%REGISTER]", "show why the warp waits, or which instructions computed a register", &Console::why},
      {"block", "", "X[,Y,Z]", "look at another block", &Console::chooseBlock},
      {"warp", "", "N", "look at another warp", &Console::chooseWarp},
      {"lane", "", "N", "look at another lane", &Console::chooseLane},
      {"thread", "t", "X[,Y,Z]", "select a thread of the block", &Console::chooseThread},
      {"help", "h", "", "show these commands", &Console::help},
  };
  return all;
}

void Console::execute(StringRef line) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(line, words, " \t\r\n");
  if (words.empty())
    return;
  if (words[0] == "quit" || words[0] == "q") {
    isOver = true;
    return;
  }
  for (const Known &one : known())
    if (words[0] == one.name || words[0] == one.shortName)
      return (this->*one.action)(llvm::ArrayRef(words).drop_front());
  complain("there is no command `" + words[0].str() + "`; `help` shows all");
}

void Console::run(std::FILE *in, bool prompts) {
  std::string line, last;
  show(debugger.start());
  while (!isOver) {
    if (prompts)
      out << "(ptxray) ";
    out.flush();
    line.clear();
    int read;
    while ((read = std::fgetc(in)) != EOF && read != '\n')
      line += static_cast<char>(read);
    if (read == EOF && line.empty())
      return;
    if (StringRef(line).trim().empty())
      line = last;
    last = line;
    execute(line);
  }
}

// ---- movements

void Console::showPlace() {
  const std::optional<Debugger::Position> position = debugger.position();
  if (position)
    out << placeText(position->at) << '\n';
}

void Console::show(const Stop &stop) {
  const std::string where = focusText(debugger.focus) + ", time " + std::to_string(stop.time);
  switch (stop.reason) {
  case Reason::Start:
  case Reason::Step: out << where << '\n'; break;
  case Reason::Breakpoint: out << "breakpoint: " << where << '\n'; break;
  case Reason::Changed:
    out << "changed: " << debugger.watched[*stop.watched].text;
    if (!stop.before.empty())
      out << " from " << bytesText(stop.before) << " to " << bytesText(stop.after);
    out << '\n' << where << '\n';
    break;
  case Reason::Fault:
    for (const std::string &text : faultTexts(debugger.launch(), report))
      out << text << '\n';
    out << where << '\n';
    break;
  case Reason::Ended: out << "all threads have ended, time " << stop.time << '\n'; return;
  case Reason::Stopped: out << "it was stopped, time " << stop.time << '\n'; return;
  }
  showPlace();
}

void Console::repeat(Words words, Stop (Debugger::*movement)()) {
  uint32_t count = 1;
  if (!words.empty() && words[0].getAsInteger(10, count))
    return complain("`" + words[0].str() + "`: a number is needed");
  Stop stop = debugger.last();
  while (count--) {
    stop = (debugger.*movement)();
    if (stop.reason == Reason::Fault || stop.reason == Reason::Ended || stop.reason == Reason::Start)
      break;
  }
  show(stop);
}

void Console::start(Words) {
  debugger.forgetChanges();
  show(debugger.start());
}
void Console::step(Words words) { repeat(words, &Debugger::step); }
void Console::next(Words words) { repeat(words, &Debugger::next); }
void Console::stepBack(Words words) { repeat(words, &Debugger::stepBack); }
void Console::finish(Words) { show(debugger.finish()); }
void Console::go(Words) { show(debugger.go()); }
void Console::goBack(Words) { show(debugger.goBack()); }

void Console::goTo(Words words) {
  uint64_t time = 0;
  if (words.empty() || words[0].getAsInteger(10, time))
    return complain("a time is needed: a number of instructions");
  show(debugger.goTo(time));
}

void Console::runUntil(Words words) {
  const auto places = words.empty() ? std::vector<machine::CodePlace>()
                                    : placesNamed(debugger.program(), *report.source, origins, words[0]);
  if (places.empty())
    return complain("a location is needed: a line, a label or a function");
  show(debugger.runTo(places.front()));
}

// ---- breakpoints

void Console::addBreakpoint(Words words) {
  std::vector<machine::CodePlace> places;
  if (words.empty()) {
    if (const auto position = here())
      places.push_back(position->at);
  } else
    places = placesNamed(debugger.program(), *report.source, origins, words[0]);
  if (places.empty())
    return complain("there is no instruction at `" + (words.empty() ? "" : words[0].str()) + "`");
  for (const machine::CodePlace &at : places) {
    debugger.breakpoints.push_back(at);
    out << "breakpoint " << debugger.breakpoints.size() << ": " << placeText(at) << '\n';
  }
}

void Console::addWatch(Words words) {
  uint32_t bytes = 4;
  const bool isPhase = words.size() > 1 && words[1] == "phase";
  if (words.empty() || (words.size() > 1 && !isPhase && words[1].getAsInteger(10, bytes)) || !bytes)
    return complain("a register or `[ADDRESS]` is needed; for memory, also a number of bytes or `phase`");
  const std::string name = words[0].str() + (isPhase ? " phase" : "");
  const auto watched = watchedNamed(debugger, name, bytes);
  if (!watched)
    return complain(watched.problem());
  if (bytesNow(debugger.grid(), *watched).empty())
    return complain("there are no such bytes");
  debugger.watched.push_back({name, *watched});
  out << "watch " << debugger.watched.size() << ": " << name << " is " << bytesText(bytesNow(debugger.grid(), *watched))
      << '\n';
}

void Console::erase(Words words) {
  if (words.empty()) {
    debugger.breakpoints.clear();
    debugger.watched.clear();
    return;
  }
  StringRef written = words[0];
  const bool isWatch = written.consume_front("w");
  size_t number = 0;
  const size_t count = isWatch ? debugger.watched.size() : debugger.breakpoints.size();
  if (written.getAsInteger(10, number) || !number || number > count)
    return complain("there is no such breakpoint; what is watched has numbers such as `w1`");
  const auto at = static_cast<long>(number - 1);
  if (isWatch)
    debugger.watched.erase(debugger.watched.begin() + at);
  else
    debugger.breakpoints.erase(debugger.breakpoints.begin() + at);
}

void Console::showBreakpoints() {
  for (size_t i = 0; i < debugger.breakpoints.size(); ++i)
    out << i + 1 << ": " << placeText(debugger.breakpoints[i]) << '\n';
  for (size_t i = 0; i < debugger.watched.size(); ++i)
    out << 'w' << i + 1 << ": " << debugger.watched[i].text << '\n';
}

// ---- the focus

static std::optional<std::array<uint32_t, 3>> tripleIn(llvm::ArrayRef<StringRef> words) {
  std::array<uint32_t, 3> at{};
  llvm::SmallVector<StringRef, 3> numbers;
  if (words.empty())
    return std::nullopt;
  words[0].split(numbers, ',');
  if (numbers.size() > at.size())
    return std::nullopt;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i].getAsInteger(10, at[i]))
      return std::nullopt;
  return at;
}

void Console::chooseBlock(Words words) {
  const auto at = tripleIn(words);
  if (!at)
    return complain("a block is needed, such as `1` or `0,2`");
  debugger.focus = {{*at, 0}, 0};
  out << focusText(debugger.focus) << '\n';
  if (here())
    showPlace();
}

void Console::chooseWarp(Words words) {
  uint32_t number = 0;
  if (words.empty() || words[0].getAsInteger(10, number))
    return complain("the number of a warp is needed");
  debugger.focus.warp.warp = number;
  out << focusText(debugger.focus) << '\n';
  if (here())
    showPlace();
}

void Console::chooseLane(Words words) {
  unsigned number = 0;
  if (words.empty() || words[0].getAsInteger(10, number) || number >= machine::warpSize)
    return complain("the number of a lane is needed, 0 to 31");
  debugger.focus.lane = number;
  out << focusText(debugger.focus) << '\n';
  if (here())
    showPlace();
}

void Console::chooseThread(Words words) {
  const auto at = tripleIn(words);
  if (!at)
    return complain("a thread is needed, such as `5` or `0,3`");
  const auto &size = debugger.grid().block;
  const uint32_t flat = (*at)[0] + size[0] * ((*at)[1] + size[1] * (*at)[2]);
  debugger.focus.warp.warp = flat / machine::warpSize;
  debugger.focus.lane = flat % machine::warpSize;
  out << focusText(debugger.focus) << '\n';
  if (here())
    showPlace();
}

} // namespace ptxray
