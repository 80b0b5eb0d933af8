#pragma once
// The Debug Adapter Protocol for the debugger, with one method per request. Threads of the protocol are warps; their
// frames are those of the selected lane.
#include "../Emulate.h"
#include "../debug/Console.h"
#include "Debug/Views.h"
#include "Inbox.h"
#include "llvm/ADT/StringMap.h"
#include <variant>

namespace ptxray::dap {

/// The reason why a request fails.
struct Refusal {
  std::string why;
};
using Answer = std::variant<Json, Refusal>;

class Adapter {
public:
  /// Constructs an adapter. `watch` interrupts execution.
  Adapter(machine::Watch &watch, llvm::raw_ostream &out) : watch(watch), out(out) {}
  /// Answers a request, and continues the launch if it requests that.
  void take(const Request &request);
  /// Returns whether the client has disconnected.
  bool isOver() const { return hasEnded; }

private:
  using Method = Answer (Adapter::*)(const Json &arguments);
  static const llvm::StringMap<Method> &methods();

  // Lifecycle.
  Answer initialize(const Json &arguments);
  Answer launch(const Json &arguments);
  Answer configurationDone(const Json &arguments);
  Answer restart(const Json &arguments);
  Answer disconnect(const Json &arguments);

  // Requests that set breakpoints.
  Answer setBreakpoints(const Json &arguments);
  Answer setFunctionBreakpoints(const Json &arguments);
  Answer setInstructionBreakpoints(const Json &arguments);
  Answer setExceptionBreakpoints(const Json &arguments);
  Answer dataBreakpointInfo(const Json &arguments);
  Answer setDataBreakpoints(const Json &arguments);
  Answer pause(const Json &arguments);

  // Requests that continue the launch.
  Answer go(const Json &arguments);
  Answer goBack(const Json &arguments);
  Answer next(const Json &arguments);
  Answer stepIn(const Json &arguments);
  Answer stepOut(const Json &arguments);
  Answer stepBack(const Json &arguments);

  // Requests for information.
  Answer threads(const Json &arguments);
  Answer stackTrace(const Json &arguments);
  Answer scopes(const Json &arguments);
  Answer variables(const Json &arguments);
  Answer evaluate(const Json &arguments);
  Answer exceptionInfo(const Json &arguments);
  Answer readMemory(const Json &arguments);
  Answer disassemble(const Json &arguments);
  Answer timeline(const Json &arguments);
  Answer warps(const Json &arguments);
  Answer state(const Json &arguments);

  // Requests that modify a register or memory.
  Answer setVariable(const Json &arguments);
  Answer setExpression(const Json &arguments);
  Answer writeMemory(const Json &arguments);

  /// An object whose parts the client may request until the launch continues.
  struct Shown {
    enum class What : uint8_t { Registers, Lanes, LanesOfRegister, Thread, Memory, Barriers, Operations, Tensor };
    What what = What::Registers;
    LocalId local = LocalId::None; // for LanesOfRegister
  };

  void send(Json message);
  void event(llvm::StringRef name, Json body = Json::object());
  void reply(const Request &request, const Answer &answer);
  Answer move(const Json &arguments, machine::debug::Stop (machine::debug::Debugger::*movement)());
  void moveNow();
  void tellStop();
  void collectBreakpoints();
  Json placed(llvm::StringRef where, std::vector<machine::CodePlace> &into) const;
  int64_t threadOf(const machine::WarpName &warp) const;
  /// Moves the focus to the warp in the field `threadId`.
  void focusOn(const Json &arguments);
  int64_t show(Shown what);
  Answer setNamed(llvm::StringRef name, llvm::StringRef value);
  Json registers() const;
  Json lanes();
  Json lanesOf(LocalId local) const;
  Json thread() const;
  uint32_t lineOf(const machine::CodePlace &at) const;
  Json warpsNow() const;
  Json registersNow() const;
  Json barriersNow() const;
  Json operationsNow() const;
  Json memory() const;
  Json frame(const machine::CodePlace &at, int64_t id, const std::string &name) const;

  machine::Watch &watch;
  llvm::raw_ostream &out;
  int64_t sent = 0;
  bool hasEnded = false, stopsOnEntry = false, isConfigured = false;
  std::vector<std::string> words; // words of the launch
  std::unique_ptr<PreparedLaunch> prepared;
  std::unique_ptr<Emulation> emulation;
  std::unique_ptr<machine::debug::Debugger> debugger;
  std::unique_ptr<OriginTable> origins;
  std::map<std::string, std::vector<machine::CodePlace>> breakpoints; // keyed by source, or by kind
  std::vector<Shown> shown;
  machine::debug::Stop (machine::debug::Debugger::*movement)() = nullptr; // executed after the request is answered
};

} // namespace ptxray::dap
