// undefined-value, unwritten-register: registers that are read but never written.
#include "BodyRules/BodyRules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

/// Tracks the values of registers that were never written, in source order. Reports a use if the value matters: as an
/// address, a guard, or in an instruction without a result. Copies propagate undefined values.
class Undefined {
public:
  Undefined(const Body &body, DiagnosticSink &sink) : body(body), sink(sink) {}
  bool findUnwritten();
  void instruction(uint32_t number);

private:
  LocalId read(LocalId local, Range range, bool matters);
  bool isPartOfWritten(uint32_t number, const Operand &element) const;

  const Body &body;
  DiagnosticSink &sink;
  llvm::DenseMap<LocalId, LocalId> origins; // keyed by register: the unwritten register from which its value originates
  enum : uint8_t { Noted = 1, Warned = 2 };
  llvm::DenseMap<LocalId, uint8_t> reported;
};

} // namespace

bool Undefined::findUnwritten() {
  for (const LocalId local : body.readFirst)
    if (body.isOwnRegister(local) && !body.definitions.isWritten(local))
      origins[local] = local;
  return !origins.empty();
}

/// Reports the read of a register with an undefined value. Returns the register from which the value originates; None
/// if the value is defined.
LocalId Undefined::read(LocalId local, Range range, bool matters) {
  const auto origin = origins.find(local);
  if (origin == origins.end())
    return LocalId::None;
  uint8_t &before = reported[origin->second];
  if (before & (matters ? Warned : Noted | Warned))
    return origin->second;
  before |= matters ? Warned : Noted;
  if (matters)
    sink.report(DiagId::UndefinedValue, range, body.text(local), body.text(origin->second));
  else
    sink.report(DiagId::UnwrittenRegister, range, body.text(origin->second));
  return origin->second;
}

/// Returns whether another element of the same vector is written, because a program that fills only a part of a
/// structure stores all of it.
bool Undefined::isPartOfWritten(uint32_t number, const Operand &element) const {
  bool isPart = false;
  for (const Operand &vector : body.operands(number)) {
    const auto contains = [&](const Operand &one) { return &vector < &one && &one < &vector + vector.extent; };
    if (vector.kind == OperandKind::Vector && contains(element))
      body.eachUse(number, [&](NamedUse use) { isPart |= contains(use.operand) && !origins.contains(use.local); });
  }
  return isPart;
}

void Undefined::instruction(uint32_t number) {
  const Facts &facts = body.facts(number);
  const LocalId guard = body.guard(number);
  if (guard != LocalId::None)
    read(guard, body.instruction(number).guardRange, true);
  LocalId carried = LocalId::None;
  bool passes = !facts.known;
  body.eachUse(number, [&](NamedUse use) {
    if (!(use.uses & Reads))
      return;
    passes |= (use.uses & Passes) != 0;
    if (!origins.contains(use.local))
      return;
    const bool isNeeded = (use.uses & Addresses) || (!facts.hasResult && !isPartOfWritten(number, use.operand));
    const bool matters = !passes && isNeeded;
    if (const LocalId origin = read(use.local, use.operand.range, matters); origin != LocalId::None)
      carried = origin;
  });
  if (carried == LocalId::None || passes || guard != LocalId::None)
    return;
  body.eachUse(number, [&](NamedUse use) {
    if ((use.uses & Writes) && !body.definitions.hasMore(use.local, 1))
      origins.try_emplace(use.local, carried);
  });
}

void checkDefinedness(const Body &body, const BodyContext &context) {
  if (body.readFirst.empty())
    return;
  Undefined undefined(body, context.sink);
  if (undefined.findUnwritten())
    for (uint32_t number = 0; number < body.size(); ++number)
      undefined.instruction(number);
}

} // namespace ptxray
