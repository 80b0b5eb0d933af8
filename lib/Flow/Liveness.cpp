#include "Flow/Liveness.h"
#include "Isa/Isa.h"
#include "llvm/ADT/bit.h"

namespace ptxray {

constexpr size_t mostWordsOfLiveness = 1 << 22;
constexpr unsigned mostRoundsOfLiveness = 256;

Liveness::Liveness(const Body &body, const Graph &graph)
    : body(body), graph(graph), words((body.locals.size() + 63) / 64), live(graph.size()) {
  if (words * graph.size() <= mostWordsOfLiveness)
    solve();
}

void Liveness::stepBack(Set &set, uint32_t instruction) const {
  const auto bit = [](LocalId local) { return uint64_t(1) << (static_cast<uint32_t>(local) % 64); };
  const auto word = [&](LocalId local) -> uint64_t & { return set[static_cast<uint32_t>(local) / 64]; };
  const LocalId guard = body.guard(instruction);
  if (guard == LocalId::None) // otherwise, the previous value may remain
    body.eachUse(instruction, [&](NamedUse use) {
      if (use.uses & Writes)
        word(use.local) &= ~bit(use.local);
    });
  body.eachUse(instruction, [&](NamedUse use) {
    if ((use.uses & (Reads | Addresses) || (use.uses & Updates) == Updates) && body.isRegister(use.local))
      word(use.local) |= bit(use.local);
  });
  if (guard != LocalId::None && body.isRegister(guard))
    word(guard) |= bit(guard);
}

Liveness::Set Liveness::atEnd(BlockId block) const {
  Set set(words);
  for (const BlockId next : graph.successors.of(block))
    for (size_t word = 0; word < words && !live[indexOf(next)].empty(); ++word)
      set[word] |= live[indexOf(next)][word];
  return set;
}

/// Iterates backwards over blocks with changed successors, until nothing changes.
void Liveness::solve() {
  std::vector<bool> isDue(graph.size(), true);
  for (unsigned round = 0; !complete && round < mostRoundsOfLiveness; ++round) {
    complete = true;
    for (auto block = graph.order.rbegin(); block != graph.order.rend(); ++block) {
      if (!isDue[indexOf(*block)])
        continue;
      isDue[indexOf(*block)] = false;
      Set set = atEnd(*block);
      for (uint32_t number = graph[*block].end; number-- > graph[*block].first;)
        stepBack(set, number);
      if (live[indexOf(*block)] == set)
        continue;
      complete = false;
      live[indexOf(*block)] = std::move(set);
      for (const BlockId before : graph.predecessors.of(*block))
        isDue[indexOf(before)] = true;
    }
  }
}

template <typename See> static void eachIn(llvm::ArrayRef<uint64_t> set, See see) {
  for (uint32_t word = 0; word < set.size(); ++word)
    for (uint64_t left = set[word]; left; left &= left - 1)
      see(LocalId(word * 64 + static_cast<uint32_t>(llvm::countr_zero(left))));
}

std::vector<LocalId> Liveness::before(BlockId block) const {
  std::vector<LocalId> found;
  eachIn(live[indexOf(block)], [&](LocalId local) { found.push_back(local); });
  return found;
}

/// Returns the number of 32-bit registers for a set. Predicates have their own registers.
uint32_t Liveness::widthOf(const Set &set) const {
  uint32_t width = 0;
  eachIn(set, [&](LocalId local) {
    const Symbol &symbol = *body.symbol(local);
    width += symbol.isPredicate ? 0 : std::max(1u, (isa::word(symbol.type).bits + 31u) / 32);
  });
  return width;
}

Pressure Liveness::widest() const {
  Pressure widest;
  for (const BlockId block : graph.order) {
    Set set = atEnd(block);
    for (uint32_t number = graph[block].end; number-- > graph[block].first;) {
      if (const uint32_t width = widthOf(set);
          width > widest.registers || (width == widest.registers && number < widest.instruction))
        widest = {width, number};
      stepBack(set, number);
    }
  }
  return widest;
}

} // namespace ptxray
