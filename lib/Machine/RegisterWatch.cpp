// Registers that belong to an operation in flight: who uses them before it is complete, or changes them before it
// begins without a fence.
#include "Machine/Flight.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using isa::FactKind;

namespace {

/// Payload of what comes before an instruction that uses registers which operations may hold.
struct RegisterTouch {
  HeldLocals registers;
  bool isChange = false; // more than a plain copy into them
};

Fault *raiseRegister(Warp &warp, const Op &op, uint32_t mask, DiagId rule, const std::string &name) {
  Fault *fault = raise(warp, op.instruction, static_cast<unsigned>(__builtin_ctz(mask)));
  if (fault) {
    fault->race.rule = rule;
    fault->race.registerName = name;
  }
  return fault;
}

void touchRegisters(char *, const Op &op, uint32_t mask, Warp &warp) {
  const auto &touch = *static_cast<const RegisterTouch *>(op.more);
  if (warp.clock.empty())
    return;
  const FunctionCode *code = &warp.now.frame->code;
  for (const HeldByOperation &one : warp.held)
    for (size_t i = 0; one.code == code && i < touch.registers.locals.size(); ++i)
      if (llvm::is_contained(one.registers->locals, touch.registers.locals[i])) {
        if (Fault *fault = raiseRegister(warp, op, mask, DiagId::RegisterInFlight, touch.registers.names[i]))
          fault->race.earlier.at = one.at;
        return;
      }
  if (!touch.isChange)
    return;
  if (warp.changedIn != code) {
    warp.changedIn = code;
    warp.changed.assign(code->body->locals.size(), false);
  }
  for (const uint32_t local : touch.registers.locals)
    warp.changed[local] = true;
}

} // namespace

void holdRegisters(Warp &warp, const Op &op, const StartedOperation &start, uint32_t mask) {
  if (warp.clock.empty() || start.held.locals.empty())
    return;
  const FunctionCode *code = &warp.now.frame->code;
  for (size_t i = 0; i < start.held.locals.size(); ++i)
    if (!warp.hasFencedRegisters || (warp.changedIn == code && warp.changed[start.held.locals[i]])) {
      raiseRegister(warp, op, mask, DiagId::UnfencedRegisters, start.held.names[i]);
      return;
    }
  const auto engine = static_cast<unsigned>(start.engine);
  warp.held.push_back({code, &start.held, &code->instruction(op.instruction), engine, warp.engines[engine].started});
}

void giveBackRegisters(Warp &warp, unsigned engine, uint32_t covered) {
  llvm::erase_if(warp.held, [&](const HeldByOperation &one) { return one.engine == engine && one.number <= covered; });
}

void fenceRegisters(char *, const Op &, uint32_t, Warp &warp) {
  warp.changedIn = nullptr;
  warp.hasFencedRegisters = true;
}

// ---- lowering

static bool isHeld(const Body &body, uint32_t number, const Operand &operand) {
  const Operand *nodes = body.ast->operands.data() + body.instruction(number).operands.first;
  return llvm::any_of(body.facts(number).actions, [&](const Action &action) {
    return action.kind == FactKind::Holds && nodes + action.node <= &operand &&
           &operand < nodes + action.node + nodes[action.node].extent;
  });
}

static void add(HeldLocals &to, const Body &body, LocalId local) {
  if (llvm::is_contained(to.locals, static_cast<uint32_t>(local)))
    return;
  to.locals.push_back(static_cast<uint32_t>(local));
  to.names.push_back(body.text(local).str());
}

HeldLocals heldBy(const Body &body, uint32_t number) {
  HeldLocals result;
  if (body.facts(number).has(FactKind::Holds))
    body.eachUse(number, [&](NamedUse use) {
      if (use.uses & (Reads | Writes) && isHeld(body, number, use.operand))
        add(result, body, use.local);
    });
  return result;
}

std::vector<bool> heldLocals(const Body &body) {
  std::vector<bool> result;
  for (uint32_t number = 0; number < body.size(); ++number)
    for (const uint32_t local : heldBy(body, number).locals) {
      result.resize(body.locals.size());
      result[local] = true;
    }
  return result;
}

void lowerTouch(const Lowered &one, const Body &body, const std::vector<bool> &held, BodyLowering &lowering) {
  if (held.empty() || one.facts().has(FactKind::Holds))
    return;
  RegisterTouch touch;
  body.eachUse(one.number, [&](NamedUse use) {
    if (!(use.uses & (Reads | Writes)) || !held[static_cast<uint32_t>(use.local)])
      return;
    add(touch.registers, body, use.local);
    touch.isChange |= use.uses & Writes && !one.facts().has(FactKind::Copies);
  });
  if (!touch.registers.locals.empty())
    lowering.emit(touchRegisters, std::move(touch));
}

} // namespace ptxray::machine
