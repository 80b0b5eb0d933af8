// Detects wrong uses of registers that belong to an operation in flight: uses before it is complete, and changes before
// its start without a fence.
#include "Machine/Agents.h"
#include "Observe/RaceState.h"
#include "Observe/Watch.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

static Fault *raiseRegister(Warp &warp, const Op &op, uint32_t mask, DiagId rule, const std::string &name) {
  Fault *fault = raise(warp, op.instruction, static_cast<unsigned>(__builtin_ctz(mask)));
  if (fault) {
    fault->race.rule = rule;
    fault->race.registerName = name;
  }
  return fault;
}

void RaceObserver::touches(Warp &warp, const Op &op, const HeldLocals &registers, bool isChange, uint32_t lanes) {
  RaceWarp &race = raceOf(warp);
  const FunctionCode *code = &warp.now.frame->code;
  for (const HeldByOperation &one : race.held)
    for (size_t i = 0; one.code == code && i < registers.locals.size(); ++i)
      if (llvm::is_contained(one.registers->locals, registers.locals[i])) {
        if (Fault *fault = raiseRegister(warp, op, lanes, DiagId::RegisterInFlight, registers.names[i]))
          fault->race.earlier.at = one.at;
        return;
      }
  if (!isChange)
    return;
  if (race.changedIn != code) {
    race.changedIn = code;
    race.changed.assign(code->body->locals.size(), false);
  }
  for (const uint32_t local : registers.locals)
    race.changed[local] = true;
}

void RaceObserver::holds(Warp &warp, const Op &op, const HeldLocals &registers, unsigned engine, uint32_t lanes) {
  RaceWarp &race = raceOf(warp);
  const FunctionCode *code = &warp.now.frame->code;
  for (size_t i = 0; i < registers.locals.size(); ++i)
    if (!race.hasFencedRegisters || (race.changedIn == code && race.changed[registers.locals[i]])) {
      raiseRegister(warp, op, lanes, DiagId::UnfencedRegisters, registers.names[i]);
      return;
    }
  race.held.push_back({code, &registers, &code->instruction(op.instruction), engine, warp.engines[engine].started});
}

void giveBackRegisters(Warp &warp, unsigned engine, uint32_t covered) {
  llvm::erase_if(raceOf(warp).held,
                 [&](const HeldByOperation &one) { return one.engine == engine && one.number <= covered; });
}

void fenceRegisters(Warp &warp) {
  RaceWarp &race = raceOf(warp);
  race.changedIn = nullptr;
  race.hasFencedRegisters = true;
}

} // namespace ptxray::machine
