// Lowers instructions that use registers of pending operations.
#include "Machine/Flight.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using isa::FactKind;

/// Payload of a report before an instruction that may use registers of pending operations.
struct RegisterTouch {
  HeldLocals registers;
  bool isChange = false; // the instruction is not a plain copy into the registers
};

static void touchRegisters(char *, const Op &op, uint32_t mask, Warp &warp) {
  const auto &touch = *static_cast<const RegisterTouch *>(op.more);
  observersOf(warp).notify(events::Order,
                           [&](Observer &one) { one.touches(warp, op, touch.registers, touch.isChange, mask); });
}

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
  if (!lowering.isObserved() || held.empty() || one.facts().has(FactKind::Holds))
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
