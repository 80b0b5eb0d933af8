// The requests that show the state of a launch.
#include "Adapter.h"
#include "Source/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace ptxray::dap {

using llvm::StringRef;
using namespace machine::debug;
using machine::CodePlace;
using machine::warpSize;

static Json variable(std::string name, std::string value, std::string type = "", int64_t reference = 0) {
  Json json = {{"name", std::move(name)}, {"value", std::move(value)}, {"variablesReference", reference}};
  if (!type.empty())
    json["type"] = std::move(type);
  return json;
}

// ---- threads and frames

int64_t Adapter::threadOf(const machine::WarpName &warp) const {
  const machine::GridState &grid = debugger->grid();
  const uint64_t block =
      warp.block[0] + uint64_t(grid.grid[0]) * (warp.block[1] + uint64_t(grid.grid[1]) * warp.block[2]);
  const uint64_t threads = uint64_t(grid.block[0]) * grid.block[1] * grid.block[2];
  return static_cast<int64_t>(block * ((threads + warpSize - 1) / warpSize) + warp.warp + 1);
}

void Adapter::focusOn(const Json &arguments) {
  const auto asked = arguments.find("threadId");
  if (asked == arguments.end() || !asked->is_number_integer() ||
      asked->get<int64_t>() == threadOf(debugger->focus.warp))
    return;
  for (const WarpView &warp : warpsOf(debugger->launch())) {
    if (threadOf(warp.name) != asked->get<int64_t>())
      continue;
    debugger->focus.warp = warp.name;
    if (warp.alive && !(warp.alive >> debugger->focus.lane & 1))
      debugger->focus.lane = static_cast<unsigned>(__builtin_ctz(warp.alive));
    return;
  }
}

/// Returns hexadecimal digits, with one bit for each lane.
static std::string maskOf(const std::vector<LaneGroup> &groups) {
  std::string text;
  for (const LaneGroup &group : groups)
    text += (text.empty() ? "" : " ") + maskText(group.lanes);
  return text;
}

Answer Adapter::threads(const Json &) {
  Json all = Json::array();
  if (debugger)
    for (const WarpView &warp : warpsOf(debugger->launch())) {
      if (!warp.alive)
        continue;
      all.push_back({{"id", threadOf(warp.name)},
                     {"name", "block " + tripleText(warp.name.block) + " warp " + std::to_string(warp.name.warp) +
                                  " [" + maskOf(warp.groups) + "]"}});
    }
  return Json{{"threads", std::move(all)}};
}

Json Adapter::frame(const CodePlace &at, int64_t id, const std::string &name) const {
  const FileReport &report = prepared->input.report;
  const LineColumn begin = report.source->lineColumn(instructionAt(debugger->program(), at).range.begin);
  llvm::SmallString<128> path(report.path);
  if (llvm::sys::fs::make_absolute(path))
    path = report.path;
  return {{"id", id},
          {"name", name},
          {"source", {{"name", llvm::sys::path::filename(path).str()}, {"path", path.str().str()}}},
          {"line", begin.line},
          {"column", begin.column},
          {"instructionPointerReference",
           "0x" + llvm::utohexstr(uint64_t(at.function) << 32 | at.instruction, /*LowerCase=*/true)}};
}

Answer Adapter::stackTrace(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  focusOn(arguments);
  Json all = Json::array();
  if (const auto position = debugger->position()) {
    const machine::Program &program = debugger->program();
    const auto nameOf = [&](const machine::FunctionCode &code) { return program.module->ast().text(code.name).str(); };
    int64_t id = threadOf(debugger->focus.warp) << 8;
    all.push_back(frame(position->at, id, nameOf(position->frame->code)));
    constexpr int64_t mostFrames = 200;
    for (const machine::Frame *one = position->frame; one->caller && (id & 255) < mostFrames; one = one->caller) {
      Json outer = {{"id", ++id}, {"name", nameOf(one->caller->code)}, {"line", 0}, {"column", 0}};
      all.push_back(std::move(outer));
    }
  }
  const size_t count = all.size();
  return Json{{"stackFrames", std::move(all)}, {"totalFrames", count}};
}

// ---- variables

int64_t Adapter::show(Shown what) {
  shown.push_back(what);
  return static_cast<int64_t>(shown.size());
}

Answer Adapter::scopes(const Json &) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  using What = Shown::What;
  Json all = Json::array();
  const auto add = [&](const char *name, What what, const char *hint) {
    all.push_back({{"name", name}, {"variablesReference", show({what, LocalId::None})}, {"expensive", false}});
    if (*hint)
      all.back()["presentationHint"] = hint;
  };
  add(("Registers of lane " + std::to_string(debugger->focus.lane)).c_str(), What::Registers, "registers");
  add("Lanes of the warp", What::Lanes, "");
  add("Thread", What::Thread, "");
  add("Memory", What::Memory, "");
  add("Barriers", What::Barriers, "");
  add("Operations in flight", What::Operations, "");
  if (!tensorMemoryOf(debugger->grid()).empty())
    add("Tensor memory", What::Tensor, "");
  return Json{{"scopes", std::move(all)}};
}

Json Adapter::registers() const {
  Json all = Json::array();
  if (const auto position = debugger->position())
    for (RegisterView &one : registersOf(*position->frame, debugger->focus.lane))
      all.push_back(variable(one.name, one.text, one.type));
  return all;
}

/// Returns each register. A client can open it to show its lanes.
Json Adapter::lanes() {
  Json all = Json::array();
  if (const auto position = debugger->position())
    for (RegisterView &one : registersOf(*position->frame, debugger->focus.lane))
      all.push_back(variable(one.name, one.text + " ...", one.type, show({Shown::What::LanesOfRegister, one.local})));
  return all;
}

Json Adapter::lanesOf(LocalId local) const {
  Json all = Json::array();
  if (const auto position = debugger->position())
    for (unsigned lane = 0; lane < warpSize; ++lane)
      all.push_back(variable(std::to_string(lane), registerText(*position->frame, local, lane)));
  return all;
}

Json Adapter::thread() const {
  const Focus &focus = debugger->focus;
  const auto &size = debugger->grid().block;
  const uint32_t flat = focus.warp.warp * warpSize + focus.lane;
  return Json::array(
      {variable("%tid", tripleText({flat % size[0], flat / size[0] % size[1], flat / size[0] / size[1]})),
       variable("%ntid", tripleText(size)), variable("%ctaid", tripleText(focus.warp.block)),
       variable("%nctaid", tripleText(debugger->grid().grid)), variable("%laneid", std::to_string(focus.lane)),
       variable("%warpid", std::to_string(focus.warp.warp)), variable("time", std::to_string(debugger->time()))});
}

/// Returns all memory that has a reference: the shared memory of the block, buffers, and variables.
Json Adapter::memory() const {
  Json all = Json::array();
  const auto add = [&](const std::string &name, uint64_t bytes, const std::string &reference) {
    all.push_back(variable(name, counted(bytes, "byte"), ""));
    all.back()["memoryReference"] = reference;
  };
  if (const machine::Warp *warp = debugger->warp(); warp && !warp->block->shared.empty())
    add("shared memory of block " + tripleText(warp->block->index), warp->block->shared.size(), "shared:0");
  for (const machine::Allocation &one : debugger->grid().memory.all())
    if (one.bytes)
      add(one.name.empty() ? "allocated by the kernel" : one.name, one.end - one.begin,
          "0x" + llvm::utohexstr(one.begin, /*LowerCase=*/true));
  return all;
}

Answer Adapter::variables(const Json &arguments) {
  const auto reference = arguments.at("variablesReference").get<int64_t>();
  if (!debugger || reference < 1 || static_cast<size_t>(reference) > shown.size())
    return Refusal{"this reference is no longer valid"};
  using What = Shown::What;
  const Shown what = shown[static_cast<size_t>(reference - 1)];
  Json all = Json::array();
  switch (what.what) {
  case What::Registers: all = registers(); break;
  case What::Lanes: all = lanes(); break;
  case What::LanesOfRegister: all = lanesOf(what.local); break;
  case What::Thread: all = thread(); break;
  case What::Memory: all = memory(); break;
  case What::Barriers:
    for (const BarrierView &one : barriersOf(debugger->launch())) {
      std::string state = one.state;
      for (const BarrierView::Waiter &waiter : one.waiters)
        state += "; " + waiterText(waiter);
      all.push_back(variable("block " + tripleText(one.block) + " " + one.name, std::move(state)));
    }
    break;
  case What::Operations:
    for (const OperationView &one : operationsOf(debugger->grid()))
      all.push_back(variable(
          "block " + tripleText(one.warp.block) + " warp " + std::to_string(one.warp.warp),
          StringRef(instructionText(instructionAt(debugger->program(), one.at), prepared->input.report, *origins))
                  .ltrim()
                  .str() +
              " (" + one.waiting + ")"));
    break;
  case What::Tensor:
    for (const TensorView &one : tensorMemoryOf(debugger->grid()))
      all.push_back(variable("block " + tripleText(one.block), "columns " + std::to_string(one.first) + " to " +
                                                                   std::to_string(one.first + one.count - 1)));
    break;
  }
  return Json{{"variables", std::move(all)}};
}

/// Returns the value of a register, or otherwise the output of a command of the debugger.
Answer Adapter::evaluate(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  const std::string text = StringRef(arguments.at("expression").get<std::string>()).trim().str();
  const auto position = debugger->position();
  if (position)
    if (const auto local = registerNamed(*position->frame, text))
      return Json{{"result", registerText(*position->frame, *local, debugger->focus.lane)},
                  {"variablesReference", show({Shown::What::LanesOfRegister, *local})}};
  if (arguments.value("context", std::string()) == "hover")
    return Refusal{"no register"};
  const std::string command = StringRef(text).starts_with("[") ? "x " + text : text;
  const uint64_t time = debugger->time();
  std::string result;
  llvm::raw_string_ostream stream(result);
  Console(*debugger, prepared->input.report, stream).execute(command);
  if (debugger->time() != time) {
    shown.clear();
    tellStop();
  }
  return Json{{"result", StringRef(result).rtrim().str()}, {"variablesReference", 0}};
}

Answer Adapter::exceptionInfo(const Json &) {
  if (!debugger || debugger->last().reason != Reason::Fault)
    return Refusal{"nothing went wrong"};
  const machine::Outcome &outcome = debugger->launch().outcome();
  const std::string id = outcome.diagnostics.empty() ? "not-emulated" : outcome.diagnostics.front().ruleText();
  return Json{{"exceptionId", id},
              {"description", llvm::join(faultTexts(debugger->launch(), prepared->input.report), "\n")},
              {"breakMode", "always"}};
}

/// Reads memory. A reference is the text between the brackets of an address: `0x700000000000`, `shared:64`.
Answer Adapter::readMemory(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  constexpr int64_t most = 1 << 20;
  const int64_t count = std::clamp<int64_t>(arguments.at("count").get<int64_t>(), 0, most);
  const std::string reference = arguments.at("memoryReference").get<std::string>();
  auto watched = watchedNamed(*debugger, "[" + reference + "]", 1);
  if (!watched)
    return Refusal{watched.problem()};
  watched->address += static_cast<uint64_t>(arguments.value("offset", int64_t(0)));
  std::vector<uint8_t> bytes;
  for (; static_cast<int64_t>(bytes.size()) < count; ++watched->address) { // stops where memory ends
    const std::vector<uint8_t> one = bytesNow(debugger->grid(), *watched);
    if (one.empty())
      break;
    bytes.push_back(one[0]);
  }
  const uint64_t begin = watched->address - bytes.size();
  return Json{{"address", "0x" + llvm::utohexstr(begin, /*LowerCase=*/true)},
              {"unreadableBytes", count - static_cast<int64_t>(bytes.size())},
              {"data", llvm::encodeBase64(bytes)}};
}

// ---- changing values

/// Sets a register, or one lane of a register. The name is that of the register, or the number of the lane if the lanes
/// of a register are shown.
Answer Adapter::setVariable(const Json &arguments) {
  const auto reference = arguments.at("variablesReference").get<int64_t>();
  if (!debugger || reference < 1 || static_cast<size_t>(reference) > shown.size())
    return Refusal{"this reference is no longer valid"};
  using What = Shown::What;
  const Shown what = shown[static_cast<size_t>(reference - 1)];
  if (what.what != What::Registers && what.what != What::LanesOfRegister)
    return Refusal{"only registers can be set here"};
  std::string name = arguments.at("name").get<std::string>();
  const unsigned lane = debugger->focus.lane;
  if (what.what == What::LanesOfRegister) {
    const auto position = debugger->position();
    if (!position || StringRef(name).getAsInteger(10, debugger->focus.lane) || debugger->focus.lane >= warpSize) {
      debugger->focus.lane = lane;
      return Refusal{"there is no lane `" + name + "`"};
    }
    name = position->frame->code.body->text(what.local).str();
  }
  Answer answer = setNamed(name, arguments.at("value").get<std::string>());
  debugger->focus.lane = lane;
  return answer;
}

/// Sets a register or memory, and answers with its new value.
Answer Adapter::setNamed(StringRef name, StringRef value) {
  if (const std::string problem = putNumbers(*debugger, name, value.trim(), ""); !problem.empty())
    return Refusal{problem};
  const auto position = debugger->position();
  const auto local = position ? registerNamed(*position->frame, name) : std::nullopt;
  return Json{{"value", local ? registerText(*position->frame, *local, debugger->focus.lane) : value.str()}};
}

Answer Adapter::setExpression(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  return setNamed(StringRef(arguments.at("expression").get<std::string>()).trim().str(),
                  arguments.at("value").get<std::string>());
}

/// Decodes base 64. Returns nothing if the text is not valid.
static std::optional<std::vector<uint8_t>> decoded(StringRef text) {
  static constexpr StringRef letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr unsigned bitsOfLetter = 6, bitsOfByte = 8;
  std::vector<uint8_t> bytes;
  uint32_t bits = 0;
  unsigned count = 0;
  if (text.size() % 4)
    return std::nullopt;
  for (const char letter : text.rtrim('=')) {
    const size_t value = letters.find(letter);
    if (value == StringRef::npos)
      return std::nullopt;
    bits = bits << bitsOfLetter | static_cast<uint32_t>(value);
    count += bitsOfLetter;
    if (count >= bitsOfByte) {
      count -= bitsOfByte;
      bytes.push_back(static_cast<uint8_t>(bits >> count));
    }
  }
  return bytes;
}

Answer Adapter::writeMemory(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  const std::optional<std::vector<uint8_t>> data = decoded(arguments.at("data").get<std::string>());
  if (!data)
    return Refusal{"`data` is not in base 64"};
  auto where = watchedNamed(*debugger, "[" + arguments.at("memoryReference").get<std::string>() + "]",
                            static_cast<uint32_t>(data->size()));
  if (!where)
    return Refusal{where.problem()};
  where->address += static_cast<uint64_t>(arguments.value("offset", int64_t(0)));
  if (data->empty() || !debugger->put(*where, *data))
    return Refusal{"not all of these " + std::to_string(data->size()) + " bytes exist"};
  return Json{{"bytesWritten", data->size()}};
}

} // namespace ptxray::dap
