// The commands that show the state of a halted launch, or change its registers and memory.
#include "Console.h"
#include "Debug/MatrixView.h"
#include "Debug/Views.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace ptxray {

using llvm::StringRef;
using namespace machine::debug;

/// Returns a changed place in words.
static std::string changeText(const machine::Program &program, const machine::Change &change) {
  using Where = machine::WatchedBytes::Where;
  const machine::WatchedBytes &where = change.where;
  const std::string address = "0x" + llvm::utohexstr(where.address, /*LowerCase=*/true);
  switch (where.where) {
  case Where::Global: return "[" + address + "]";
  case Where::Shared: return "[shared:" + address + "] of block " + tripleText(where.of.block);
  case Where::Local: return "[local:" + address + "] of " + focusText({where.of, where.lane});
  case Where::Phase:
  case Where::Register: break;
  }
  const machine::FunctionCode &code = program.functions[where.function];
  for (const auto &[local, place] : code.named)
    if (code.body->isRegister(local) && place.slot == where.address)
      return code.body->text(local).str() + " of " + focusText({where.of, where.lane});
  return "";
}

/// Returns what lanes wait for, and since when, if they do not execute anything meanwhile.
static std::string waitText(const LaneGroup &group) {
  return group.waitsFor + (group.since ? ", since time " + std::to_string(*group.since) : "");
}

std::string waiterText(const BarrierView::Waiter &waiter) {
  return "block " + tripleText(waiter.warp.block) + " warp " + std::to_string(waiter.warp.warp) + ' ' +
         maskText(waiter.lanes) + " waits" + (waiter.since ? " since time " + std::to_string(*waiter.since) : "");
}

void Console::showWarps() {
  for (const WarpView &warp : warpsOf(debugger.launch())) {
    out << (warp.name == debugger.focus.warp ? '*' : ' ') << " block " << tripleText(warp.name.block) << " warp "
        << warp.name.warp << '\n';
    for (const LaneGroup &group : warp.groups) {
      const char *state = group.state == LaneGroup::State::Running   ? "at"
                          : group.state == LaneGroup::State::Waiting ? "waits at"
                                                                     : "before";
      out << "    " << maskText(group.lanes) << ' ' << state << ' ' << placeText(group.at) << '\n';
      if (!group.waitsFor.empty())
        out << "               " << waitText(group) << '\n';
    }
    if (!warp.alive)
      out << "    has ended\n";
  }
}

void Console::showRegisters() {
  const auto position = here();
  if (!position)
    return;
  for (const RegisterView &one : registersOf(*position->frame, debugger.focus.lane))
    out << llvm::left_justify(one.name, 12) << ' ' << llvm::left_justify(one.type, 6) << ' ' << one.text << '\n';
}

void Console::info(Words words) {
  const StringRef what = words.empty() ? "warps" : words[0];
  if (StringRef("warps").starts_with(what))
    return showWarps();
  if (StringRef("registers").starts_with(what))
    return showRegisters();
  if (StringRef("breakpoints").starts_with(what) && what.size() > 2)
    return showBreakpoints();
  if (StringRef("changes").starts_with(what)) {
    for (const machine::Change &one : debugger.changes())
      out << "before time " << one.time << ": " << changeText(debugger.program(), one) << " was set to "
          << bytesText(one.bytes) << '\n';
    return;
  }
  if (StringRef("barriers").starts_with(what)) {
    for (const BarrierView &one : barriersOf(debugger.launch())) {
      const std::string variable = one.variable.empty() ? "" : " (" + one.variable + ")";
      out << "block " << tripleText(one.block) << ' ' << one.name << variable << ": " << one.state << '\n';
      for (const BarrierView::Waiter &waiter : one.waiters)
        out << "    " << waiterText(waiter) << '\n';
    }
    return;
  }
  if (StringRef("async").starts_with(what)) {
    for (const OperationView &one : operationsOf(debugger.grid()))
      out << "block " << tripleText(one.warp.block) << " warp " << one.warp.warp << ' ' << maskText(one.lanes) << ' '
          << placeText(one.at) << "\n               " << one.waiting << '\n';
    return;
  }
  if (StringRef("tensor").starts_with(what)) {
    for (const TensorView &one : tensorMemoryOf(debugger.grid()))
      out << "block " << tripleText(one.block) << " columns " << one.first << " to " << one.first + one.count - 1
          << " are allocated\n";
    return;
  }
  complain("`info` shows warps, registers, barriers, async, tensor, breakpoints or changes");
}

void Console::list(Words words) {
  constexpr uint32_t around = 5;
  std::optional<machine::CodePlace> at;
  if (!words.empty()) {
    const auto places = placesNamed(debugger.program(), *report.source, origins, words[0]);
    if (places.empty())
      return complain("there is no instruction at `" + words[0].str() + "`");
    at = places.front();
  } else if (const auto position = here())
    at = position->at;
  if (!at)
    return;
  const uint32_t middle = report.source->lineColumn(instructionAt(debugger.program(), *at).range.begin).line;
  llvm::SmallVector<StringRef> lines;
  report.source->text().split(lines, '\n');
  for (uint32_t line = middle > around ? middle - around : 1; line <= middle + around && line <= lines.size(); ++line)
    out << (line == middle ? '>' : ' ') << llvm::right_justify(std::to_string(line), 4) << "  "
        << lines[line - 1].rtrim() << '\n';
}

void Console::where(Words) {
  const auto position = here();
  if (!position)
    return;
  out << placeText(position->at) << '\n';
  const machine::Frame *frame = position->frame;
  for (; frame->caller; frame = frame->caller)
    out << "  `" << debugger.program().module->ast().text(frame->code.name) << "`, called by `"
        << debugger.program().module->ast().text(frame->caller->code.name) << "`\n";
}

/// Returns all bytes of a register in a lane.
static std::vector<uint8_t> bytesOfRegister(Debugger &debugger, StringRef name, unsigned lane) {
  auto watched = watchedNamed(debugger, name, 4);
  if (!watched)
    return {};
  watched->lane = lane;
  return bytesNow(debugger.grid(), *watched);
}

/// Returns the values of a register as text in lanes from `first` on, in the requested format. Returns none after a
/// complaint.
std::vector<std::string> Console::registerTexts(Words words, unsigned first, unsigned count) {
  std::vector<std::string> texts;
  const auto position = here();
  if (!position)
    return texts;
  const auto local = words.empty() ? std::nullopt : registerNamed(*position->frame, words[0]);
  const auto format = words.size() > 1 ? formatNamed(words[1]) : std::nullopt;
  if (!local)
    complain("a register that the function uses is needed, such as `%r1`");
  else if (words.size() > 1 && !format)
    complain("`" + words[1].str() + "`: a format is needed, such as x, u8, d64, f32, bf16 or e4m3");
  else
    for (unsigned lane = first; lane < first + count; ++lane)
      texts.push_back(format ? llvm::join(numbersIn(bytesOfRegister(debugger, words[0], lane), *format), " ")
                             : registerText(*position->frame, *local, lane));
  return texts;
}

void Console::print(Words words) {
  for (const std::string &text : registerTexts(words, debugger.focus.lane, 1))
    out << words[0] << " = " << text << '\n';
}

void Console::lanes(Words words) {
  for (const auto &[lane, text] : llvm::enumerate(registerTexts(words, 0, machine::warpSize)))
    out << llvm::right_justify(std::to_string(lane), 3) << "  " << text << '\n';
}

void Console::examine(Words words) {
  uint32_t count = 8;
  constexpr uint32_t mostBytes = 1 << 16;
  ByteFormat format;
  for (const StringRef word : words.empty() ? Words() : words.drop_front()) {
    if (!word.getAsInteger(10, count))
      continue;
    const auto named = formatNamed(word);
    if (!named)
      return complain("`" + word.str() + "` is neither a count nor a format such as x, u8, f32");
    format = *named;
  }
  const uint64_t bytes = uint64_t(count) * (format.bits / 8);
  if (words.empty() || !words[0].starts_with("[") || !bytes || bytes > mostBytes)
    return complain("an address is needed, such as `[%rd1+4]` or `[shared:64]`, and at most 64 KiB");
  const auto watched = watchedNamed(debugger, words[0], static_cast<uint32_t>(bytes));
  if (!watched)
    return complain(watched.problem());
  const std::vector<uint8_t> found = bytesNow(debugger.grid(), *watched);
  if (found.empty())
    return complain("not all of these " + std::to_string(bytes) + " bytes exist");
  const std::vector<std::string> numbers = numbersIn(found, format);
  constexpr size_t inLine = 8;
  for (size_t i = 0; i < numbers.size(); i += inLine)
    out << "0x" << llvm::utohexstr(watched->address + i * (format.bits / 8), /*LowerCase=*/true) << ": "
        << llvm::join(llvm::ArrayRef(numbers).slice(i, std::min(inLine, numbers.size() - i)), " ") << '\n';
}

void Console::matrix(Words words) {
  const auto position = here();
  if (!position)
    return;
  machine::CodePlace at = position->at;
  std::optional<ByteFormat> format;
  for (const StringRef word : words.empty() ? Words() : words.drop_front()) {
    if (const auto named = formatNamed(word)) {
      format = named;
      continue;
    }
    const auto places = placesNamed(debugger.program(), *report.source, origins, word);
    if (places.empty() || places.front().function != at.function)
      return complain("`" + word.str() + "` is neither a format such as x16, f16 nor an instruction of the function");
    at = places.front();
  }
  const auto view = matrixOf(debugger, at, words.empty() ? StringRef("matrix") : words[0], format);
  if (!view)
    return complain(view.problem());
  out << view->title << '\n';
  size_t width = 2;
  for (const std::string &cell : view->cells)
    width = std::max(width, cell.size());
  const auto row = [&](const std::string &name, llvm::ArrayRef<std::string> cells) {
    out << llvm::right_justify(name, 4);
    for (const std::string &cell : cells)
      out << ' ' << llvm::right_justify(cell, static_cast<unsigned>(width));
    out << '\n';
  };
  std::vector<std::string> numbers;
  for (uint32_t column = 0; column < view->columns; ++column)
    numbers.push_back(std::to_string(column));
  row("", numbers);
  for (uint32_t i = 0; i < view->rows; ++i)
    row(std::to_string(i), llvm::ArrayRef(view->cells).slice(size_t(i) * view->columns, view->columns));
}

void Console::set(Words words) {
  if (words.size() < 2)
    return complain("a register or `[ADDRESS]` is needed, and a number");
  const StringRef format = words.size() > 2 ? words[2] : StringRef();
  if (const std::string problem = putNumbers(debugger, words[0], words[1], format); !problem.empty())
    return complain(problem);
  showPlace();
}

/// Prints the instruction that last wrote each register before a time, with the registers that it read, up to a few
/// lines.
void Console::explainWriting(const machine::FunctionCode &code, LocalId local, uint64_t before) {
  struct Asked {
    LocalId local;
    uint64_t before;
    unsigned depth;
  };
  constexpr unsigned deepest = 4, most = 12;
  std::vector<Asked> left{{local, before, 0}};
  const ptxray::Body &body = *code.body;
  for (unsigned shown = 0; !left.empty() && shown <= most; ++shown) {
    const Asked one = left.back();
    left.pop_back();
    const std::string indent(2 * size_t(one.depth), ' ');
    const auto writing = debugger.lastWriting(code, one.local, one.before);
    if (const machine::Change *change = debugger.lastChange(code, one.local, one.before);
        change && (!writing || change->time > writing->time)) {
      out << indent << body.text(one.local) << " = " << debugger.registerAt(change->time, code, one.local)
          << ", set here before time " << change->time << '\n';
      continue;
    }
    if (!writing) {
      out << indent << body.text(one.local) << ": nothing has written it\n";
      continue;
    }
    out << indent << body.text(one.local) << " = " << debugger.registerAt(writing->time + 1, code, one.local)
        << ", written at time " << writing->time << " by\n"
        << indent << placeText(writing->at) << '\n';
    std::vector<Asked> sources;
    for (const auto [name, uses] :
         llvm::zip(body.namesOf(writing->at.instruction), body.usesOf(writing->at.instruction)))
      if (one.depth < deepest && body.isRegister(name) && uses & (Reads | Addresses))
        sources.push_back({name, writing->time, one.depth + 1});
    left.insert(left.end(), sources.rbegin(), sources.rend());
  }
}

void Console::why(Words words) {
  const auto position = here();
  if (!position)
    return;
  if (!words.empty()) {
    const auto local = registerNamed(*position->frame, words[0]);
    if (!local)
      return complain("there is no register `" + words[0].str() + "` here");
    const uint64_t before = debugger.last().reason == Reason::Fault ? debugger.time() + 1 : debugger.time();
    return explainWriting(functionOf(debugger.program(), position->at), *local, before);
  }
  for (const LaneGroup &group : groupsOf(debugger.launch(), *debugger.warp()))
    out << maskText(group.lanes) << ' ' << (group.waitsFor.empty() ? "can go on" : "waits: " + waitText(group)) << '\n'
        << placeText(group.at) << '\n';
}

void Console::help(Words) {
  for (const Known &one : known())
    out << llvm::left_justify(std::string(one.name) + (*one.shortName ? ", " + std::string(one.shortName) : ""), 22)
        << ' ' << (*one.syntax ? std::string(one.syntax) + ": " : "") << one.help << '\n';
  out << llvm::left_justify("quit, q", 22) << " end\n";
}

} // namespace ptxray
