#pragma once
// What a register's value is made from, followed backwards.
#include "Flow/Analyses.h"
#include "Isa/Isa.h"
#include "llvm/ADT/SmallSet.h"

namespace ptxray {

/// Calls `visit` once with the register, and with each that it adds: `visit(one, add)`. True as soon as it says so, and
/// `beyond` where there are more than so many.
template <typename Visit> bool anySource(LocalId local, size_t most, bool beyond, Visit visit) {
  llvm::SmallVector<LocalId, 16> waiting = {local};
  llvm::SmallSet<LocalId, 16> seen;
  seen.insert(local);
  const auto add = [&](LocalId source) {
    if (source != LocalId::None && seen.insert(source).second)
      waiting.push_back(source);
  };
  while (!waiting.empty()) {
    if (seen.size() >= most)
      return beyond;
    if (visit(waiting.pop_back_val(), add))
      return true;
  }
  return false;
}

/// Whether a register tells the threads of a block apart: it is their number, or some are elected for it. `follow` is
/// called with each instruction that writes it, and may say so, too.
template <typename Follow> bool tellsThreadsApart(LocalId local, const Body &body, Analyses &analyses, Follow follow) {
  if (!body.symbol(local)) {
    const isa::SpecialRegister *special = isa::findSpecialRegister(body.text(local));
    return special && special->scope < isa::Scope::Cta;
  }
  bool found = false;
  analyses.definitions().eachWriter(
      local, [&](uint32_t number) { found |= body.facts(number).has(isa::FactKind::Elects) || follow(number); });
  return found;
}

/// What is found in memory may be something else for each thread, but for constants and what a kernel was given.
bool readsMemory(const Body &body, uint32_t number);

} // namespace ptxray
