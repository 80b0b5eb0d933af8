#include "Flow/Sharing.h"
#include "Flow/Analyses.h"
#include "Flow/Values.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

bool Sharing::addSources(LocalId local, llvm::SmallVectorImpl<LocalId> &sources) {
  if (!body.isRegister(local))
    return false;
  body.definitions.eachWriter(local, [&](uint32_t number) {
    if (body.guard(number) != LocalId::None)
      sources.push_back(body.guard(number));
    for (const LocalId one : body.namesOf(number))
      if (one != local)
        sources.push_back(one);
  });
  return false;
}

/// Returns a value that is the same for all threads of the grid.
static Shared common() {
  Shared shared;
  shared.isUnset = false;
  shared.scope = isa::Scope::Grid;
  return shared;
}

Shared Sharing::join(const Shared &a, const Shared &b) {
  if (a.isUnset || b.isUnset)
    return a.isUnset ? b : a;
  Shared both = a;
  both.isOfThread |= b.isOfThread;
  both.isOfThreadAnyhow |= b.isOfThreadAnyhow;
  both.mayBeOfThread |= b.mayBeOfThread;
  both.scope = std::min(a.scope, b.scope);
  both.areCounters |=
      b.areCounters || (a.counter != LocalId::None && b.counter != LocalId::None && a.counter != b.counter);
  if (a.counter == LocalId::None)
    both.counter = b.counter;
  return both;
}

Shared Sharing::written(uint32_t number, LocalId local) const {
  const Facts &facts = body.facts(number);
  const bool isParameter = !facts.accesses.empty() && llvm::all_of(facts.accesses, [](const Access &access) {
    return access.isVariable && access.kind == isa::Access::Reads;
  });
  const LocalId guard = body.guard(number);
  Shared names = common();
  for (const LocalId one : body.namesOf(number))
    if (one != local)
      names = join(names, known(one));
  const Shared all = guard == LocalId::None ? names : join(names, known(guard));
  // When a barrier is complete, all threads observe the same state.
  const bool isAwaited = facts.has(FactKind::Awaits), elects = facts.has(FactKind::Elects);
  Shared result = all;
  result.isOfThread = elects || (facts.accesses.empty() && names.isOfThread);
  result.isOfThreadAnyhow = elects || (!isAwaited && all.isOfThreadAnyhow);
  result.mayBeOfThread = elects || all.mayBeOfThread || (!isAwaited && readsMemory(body, number));
  if (guard != LocalId::None || !(facts.computation.isKnown || isParameter))
    result.scope = isa::Scope::Lane;
  return result;
}

Shared Sharing::transfer(LocalId local) {
  const Symbol *symbol = body.symbol(local);
  Shared shared = common();
  if (!symbol) {
    const isa::SpecialRegister *special = body.special(local);
    const bool isOfThread = special && special->scope < isa::Scope::Cta;
    shared.isOfThread = shared.isOfThreadAnyhow = shared.mayBeOfThread = isOfThread;
    shared.scope = special ? special->scope : isa::Scope::Lane;
    return shared;
  }
  if (symbol->kind != SymbolKind::Register) {
    if (symbol->kind != SymbolKind::Variable || !symbol->isParameter)
      shared.scope = isa::Scope::Lane;
    return shared;
  }
  if (!body.definitions.isWritten(local)) {
    shared.mayBeOfThread = true;
    shared.scope = isa::Scope::Lane;
    return shared;
  }
  body.definitions.eachWriter(local, [&](uint32_t number) { shared = join(shared, written(number, local)); });
  // A loop may end earlier for some threads.
  if (isInLoop())
    shared.scope = isa::Scope::Lane;
  if (analyses.values().isCounter(local)) {
    shared.areCounters |= shared.counter != LocalId::None && shared.counter != local;
    shared.counter = local;
  }
  return shared;
}

} // namespace ptxray
