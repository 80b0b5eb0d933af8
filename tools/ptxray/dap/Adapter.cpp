#include "Adapter.h"
#include "../Printed.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

namespace ptxray::dap {

using llvm::StringRef;
using namespace machine::debug;

const llvm::StringMap<Adapter::Method> &Adapter::methods() {
  static const llvm::StringMap<Method> all = {
      {"initialize", &Adapter::initialize},
      {"launch", &Adapter::launch},
      {"configurationDone", &Adapter::configurationDone},
      {"restart", &Adapter::restart},
      {"disconnect", &Adapter::disconnect},
      {"terminate", &Adapter::disconnect},
      {"setBreakpoints", &Adapter::setBreakpoints},
      {"setFunctionBreakpoints", &Adapter::setFunctionBreakpoints},
      {"setInstructionBreakpoints", &Adapter::setInstructionBreakpoints},
      {"setExceptionBreakpoints", &Adapter::setExceptionBreakpoints},
      {"dataBreakpointInfo", &Adapter::dataBreakpointInfo},
      {"setDataBreakpoints", &Adapter::setDataBreakpoints},
      {"pause", &Adapter::pause},
      {"continue", &Adapter::go},
      {"reverseContinue", &Adapter::goBack},
      {"next", &Adapter::next},
      {"stepIn", &Adapter::stepIn},
      {"stepOut", &Adapter::stepOut},
      {"stepBack", &Adapter::stepBack},
      {"threads", &Adapter::threads},
      {"stackTrace", &Adapter::stackTrace},
      {"scopes", &Adapter::scopes},
      {"variables", &Adapter::variables},
      {"evaluate", &Adapter::evaluate},
      {"exceptionInfo", &Adapter::exceptionInfo},
      {"readMemory", &Adapter::readMemory},
      {"setVariable", &Adapter::setVariable},
      {"setExpression", &Adapter::setExpression},
      {"writeMemory", &Adapter::writeMemory},
      {"disassemble", &Adapter::disassemble},
      {"ptxray/timeline", &Adapter::timeline},
      {"ptxray/warps", &Adapter::warps},
      {"ptxray/state", &Adapter::state},
  };
  return all;
}

// ---- messages

void Adapter::send(Json message) {
  message["seq"] = ++sent;
  lsp::send(out, message);
}

void Adapter::event(StringRef name, Json body) {
  send({{"type", "event"}, {"event", name.str()}, {"body", std::move(body)}});
}

void Adapter::reply(const Request &request, const Answer &answer) {
  const auto *refusal = std::get_if<Refusal>(&answer);
  Json message = {{"type", "response"},
                  {"request_seq", request.number},
                  {"command", request.command},
                  {"success", refusal == nullptr}};
  if (refusal) {
    message["message"] = refusal->why;
    message["body"] = {{"error", {{"id", 1}, {"format", refusal->why}, {"showUser", true}}}};
  } else if (const Json &body = std::get<Json>(answer); !body.is_null())
    message["body"] = body;
  send(std::move(message));
}

void Adapter::take(const Request &request) {
  const auto known = methods().find(request.command);
  Answer answer = Refusal{"there is no request `" + request.command + "`"};
  if (known != methods().end())
    try {
      answer = (this->*known->second)(request.arguments);
    } catch (const Json::exception &error) {
      answer = Refusal{std::string("invalid arguments: ") + error.what()};
    }
  reply(request, answer);
  if (request.command == "launch" && std::holds_alternative<Json>(answer))
    event("initialized");
  if (movement)
    moveNow();
}

// ---- life cycle

Answer Adapter::initialize(const Json &) {
  return Json{{"supportsConfigurationDoneRequest", true},
              {"supportsFunctionBreakpoints", true},
              {"supportsInstructionBreakpoints", true},
              {"supportsDataBreakpoints", true},
              {"supportsStepBack", true},
              {"supportsRestartRequest", true},
              {"supportsTerminateRequest", true},
              {"supportsEvaluateForHovers", true},
              {"supportsExceptionInfoRequest", true},
              {"supportsReadMemoryRequest", true},
              {"supportsWriteMemoryRequest", true},
              {"supportsSetVariable", true},
              {"supportsSetExpression", true},
              {"supportsDisassembleRequest", true}};
}

Answer Adapter::launch(const Json &arguments) {
  if (debugger)
    return Refusal{"a kernel is launched already"};
  words = {arguments.at("program").get<std::string>()};
  if (const auto more = arguments.find("args"); more != arguments.end())
    for (const Json &word : *more)
      words.push_back(word.is_string() ? word.get<std::string>() : dump(word));
  stopsOnEntry = arguments.value("stopOnEntry", false);
  if (const auto folder = arguments.find("cwd"); folder != arguments.end() && folder->is_string())
    if (const std::error_code error = llvm::sys::fs::set_current_path(folder->get<std::string>()))
      return Refusal{"cannot work in the folder `" + folder->get<std::string>() + "`: " + error.message()};
  std::vector<const char *> written;
  for (const std::string &word : words)
    written.push_back(word.c_str());
  Arguments read;
  if (std::string complaint = readArguments(debugCommand(), written, read); !complaint.empty())
    return Refusal{std::move(complaint)};
  auto launched = std::make_unique<PreparedLaunch>();
  std::string text;
  {
    const PrintedText complaints; // standard output carries the protocol
    int status = prepareEmulation(read, *launched);
    if (status == Clean)
      emulation = laidOut(*launched, read, status);
    text = complaints.text();
  }
  if (!emulation)
    return Refusal{text.empty() ? "it cannot be launched" : std::move(text)};
  prepared = std::move(launched);
  origins = std::make_unique<OriginTable>(*prepared->input.report.source);
  machine::Launch request = emulation->request();
  request.watch = &watch;
  debugger = std::make_unique<Debugger>(emulation->module(), request, emulation->buffers());
  debugger->start();
  if (const std::string &why = debugger->launch().outcome().refusal; !why.empty()) {
    std::string refusal = why;
    debugger.reset();
    return Refusal{std::move(refusal)};
  }
  return Json();
}

Answer Adapter::configurationDone(const Json &) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  isConfigured = true;
  movement = stopsOnEntry ? &Debugger::start : &Debugger::go;
  return Json();
}

Answer Adapter::restart(const Json &) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  debugger->forgetChanges();
  debugger->start();
  movement = stopsOnEntry ? &Debugger::start : &Debugger::go;
  return Json();
}

Answer Adapter::disconnect(const Json &) {
  hasEnded = true;
  return Json();
}

// ---- movements

Answer Adapter::move(const Json &arguments, Stop (Debugger::*how)()) {
  if (!isConfigured)
    return Refusal{"nothing runs"};
  focusOn(arguments);
  movement = how;
  return Json{{"allThreadsContinued", true}};
}

Answer Adapter::go(const Json &arguments) { return move(arguments, &Debugger::go); }
Answer Adapter::goBack(const Json &arguments) { return move(arguments, &Debugger::goBack); }
Answer Adapter::next(const Json &arguments) { return move(arguments, &Debugger::next); }
Answer Adapter::stepIn(const Json &arguments) { return move(arguments, &Debugger::step); }
Answer Adapter::stepOut(const Json &arguments) { return move(arguments, &Debugger::finish); }
Answer Adapter::stepBack(const Json &arguments) { return move(arguments, &Debugger::stepBack); }

void Adapter::moveNow() {
  const auto how = std::exchange(movement, nullptr);
  shown.clear();
  (debugger.get()->*how)();
  tellStop();
  watch.isStopped = false;
}

/// Stops a movement. The movement itself reports the stop when it ends.
Answer Adapter::pause(const Json &) {
  if (!isConfigured)
    return Refusal{"nothing runs"};
  watch.isStopped = false;
  return Json();
}

void Adapter::tellStop() {
  const Stop &stop = debugger->last();
  if (const std::string &printed = debugger->launch().outcome().printed;
      !printed.empty() && stop.reason == Reason::Ended)
    event("output", {{"category", "stdout"}, {"output", printed}});
  if (stop.reason == Reason::Ended) {
    event("exited", {{"exitCode", 0}});
    event("terminated");
    return;
  }
  Json body = {{"threadId", threadOf(debugger->focus.warp)}, {"allThreadsStopped", true}};
  switch (stop.reason) {
  case Reason::Start: body["reason"] = "entry"; break;
  case Reason::Breakpoint: body["reason"] = "breakpoint"; break;
  case Reason::Changed: body["reason"] = "data breakpoint"; break;
  case Reason::Stopped: body["reason"] = "pause"; break;
  case Reason::Fault: {
    body["reason"] = "exception";
    const std::vector<std::string> texts = faultTexts(debugger->launch(), prepared->input.report);
    if (!texts.empty())
      body["text"] = texts.front();
    for (const std::string &text : texts)
      event("output", {{"category", "stderr"}, {"output", text + "\n"}});
    break;
  }
  default: body["reason"] = "step";
  }
  event("stopped", std::move(body));
}

// ---- breakpoints

void Adapter::collectBreakpoints() {
  debugger->breakpoints.clear();
  for (const auto &[source, list] : breakpoints)
    llvm::append_range(debugger->breakpoints, list);
}

/// Returns a breakpoint in the form of the protocol.
Json Adapter::placed(StringRef where, std::vector<machine::CodePlace> &into) const {
  const SourceBuffer &source = *prepared->input.report.source;
  const auto places = placesNamed(debugger->program(), source, *origins, where);
  for (const machine::CodePlace &at : places)
    into.push_back(at);
  if (places.empty())
    return {{"verified", false}, {"message", "there is no instruction"}};
  const uint32_t begin = instructionAt(debugger->program(), places.front()).range.begin;
  Json json = {{"verified", true}};
  if (!where.contains(':'))
    json["line"] = source.lineColumn(begin).line;
  return json;
}

Answer Adapter::setBreakpoints(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  const std::string path = arguments.at("source").value("path", std::string());
  const bool isText = llvm::sys::fs::equivalent(path, prepared->input.report.path);
  std::vector<machine::CodePlace> &list = breakpoints[path];
  list.clear();
  Json all = Json::array();
  for (const Json &one : arguments.value("breakpoints", Json::array())) {
    const std::string line = std::to_string(one.at("line").get<uint32_t>());
    all.push_back(placed(isText ? line : path + ":" + line, list));
  }
  collectBreakpoints();
  return Json{{"breakpoints", std::move(all)}};
}

Answer Adapter::setFunctionBreakpoints(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  std::vector<machine::CodePlace> &list = breakpoints["functions"];
  list.clear();
  Json all = Json::array();
  for (const Json &one : arguments.value("breakpoints", Json::array()))
    all.push_back(placed(one.at("name").get<std::string>(), list));
  collectBreakpoints();
  return Json{{"breakpoints", std::move(all)}};
}

/// Returns the place that a reference to an instruction names, with an offset in instructions.
static std::optional<machine::CodePlace> placeOf(const machine::Program &program, StringRef reference, int64_t offset) {
  uint64_t number = 0;
  if (reference.getAsInteger(0, number) || number >> 32 >= program.functions.size())
    return std::nullopt;
  const auto function = static_cast<uint32_t>(number >> 32);
  const int64_t instruction = static_cast<int64_t>(number & 0xffffffff) + offset;
  const Body *body = program.functions[function].body;
  if (!body || instruction < 0 || instruction >= body->size())
    return std::nullopt;
  return machine::CodePlace{function, static_cast<uint32_t>(instruction)};
}

Answer Adapter::setInstructionBreakpoints(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  std::vector<machine::CodePlace> &list = breakpoints["instructions"];
  list.clear();
  Json all = Json::array();
  for (const Json &one : arguments.value("breakpoints", Json::array())) {
    const auto at = placeOf(debugger->program(), one.at("instructionReference").get<std::string>(),
                            one.value("offset", int64_t(0)));
    if (at)
      list.push_back(*at);
    all.push_back({{"verified", at.has_value()}});
  }
  collectBreakpoints();
  return Json{{"breakpoints", std::move(all)}};
}

/// Faults always stop the launch, so there is nothing to set.
Answer Adapter::setExceptionBreakpoints(const Json &) { return Json{{"breakpoints", Json::array()}}; }

/// Returns the name to watch for a variable. For a barrier object, this is its phase.
static std::string watchedBy(const Debugger *debugger, std::string name) {
  StringRef rest = name;
  if (debugger && rest.consume_front("block " + tripleText(debugger->focus.warp.block) + " object at "))
    return "[shared:" + rest.str() + "] phase";
  return name;
}

Answer Adapter::dataBreakpointInfo(const Json &arguments) {
  const std::string name = watchedBy(debugger.get(), arguments.at("name").get<std::string>());
  const auto watched = debugger ? watchedNamed(*debugger, name, 4) : Problem{"nothing is launched"};
  if (watched)
    return Json{{"dataId", name}, {"description", name}, {"accessTypes", {"write"}}};
  return Json{{"dataId", nullptr}, {"description", watched.problem()}};
}

Answer Adapter::setDataBreakpoints(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  debugger->watched.clear();
  Json all = Json::array();
  for (const Json &one : arguments.value("breakpoints", Json::array())) {
    const std::string name = one.at("dataId").get<std::string>();
    const auto watched = watchedNamed(*debugger, name, 4);
    if (watched)
      debugger->watched.push_back({name, *watched});
    all.push_back({{"verified", static_cast<bool>(watched)}, {"message", watched.problem()}});
  }
  return Json{{"breakpoints", std::move(all)}};
}

// ---- disassembly

Answer Adapter::disassemble(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  const std::string reference = arguments.at("memoryReference").get<std::string>();
  const int64_t first = arguments.value("instructionOffset", int64_t(0));
  constexpr int64_t most = 10'000;
  const int64_t count = std::clamp<int64_t>(arguments.at("instructionCount").get<int64_t>(), 0, most);
  const FileReport &report = prepared->input.report;
  Json all = Json::array();
  for (int64_t i = first; i < first + count; ++i) {
    const auto at = placeOf(debugger->program(), reference, i);
    if (!at) {
      all.push_back({{"address", "0x0"}, {"instruction", "(none)"}, {"presentationHint", "invalid"}});
      continue;
    }
    const Instruction &instruction = instructionAt(debugger->program(), *at);
    Json one = frame(*at, 0, "");
    all.push_back({{"address", one["instructionPointerReference"]},
                   {"instruction", StringRef(instructionText(instruction, report, *origins)).ltrim().str()},
                   {"location", one["source"]},
                   {"line", one["line"]}});
  }
  return Json{{"instructions", std::move(all)}};
}

} // namespace ptxray::dap
