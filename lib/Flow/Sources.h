#pragma once
// What a register's value is made from, followed backwards.
#include "Flow/Body.h"
#include "llvm/ADT/SmallSet.h"

namespace ptxray {

/// Calls `visit` once with the register, and with each that it adds: `visit(one, add)`. True as soon as it says so, and
/// `beyond` where there are more than so many.
template <typename Visit> bool anySource(LocalId local, size_t most, bool beyond, Visit visit) {
  llvm::SmallVector<LocalId, 16> waiting = {local};
  llvm::SmallSet<LocalId, 16> seen = {local};
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

} // namespace ptxray
