#pragma once
// Solves data-flow problems backwards along registers: the value of a register depends on the values of its source
// registers. Each register is computed once, after its sources. Registers in a cycle are computed together until
// nothing changes. The result therefore does not depend on the order of queries, and there is no recursion. A query
// computes only the registers on which its result depends. A domain derives from `Backward<Domain, Value>` and defines
//|  bool isLeaf(LocalId)                      whether its value is unknown, whatever its sources are
//|  bool addSources(LocalId, llvm::SmallVectorImpl<LocalId> &)      adds the sources of a register; returns true if
//|                                            one useless source makes its value useless
//|  bool isUseless(const Value &)             whether the value carries no information
//|  Value transfer(LocalId)                   the value, computed from those that `known` returns for the sources
//|  Value join(const Value &, const Value &)  the union of two values
//|  Value widened(const Value &)              a coarser value, so that cycles terminate
//|  Value unknown(LocalId)                    the value if a cycle does not terminate
#include "Flow/Body.h"
#include <algorithm>

namespace ptxray {

// NOLINTBEGIN(misc-no-recursion): the values of one thread ask those of all threads, which ask no others.
template <typename Domain, typename Value> class Backward {
public:
  /// Returns the value of a register. The reference is valid until the next query.
  const Value &valueOf(LocalId local) {
    if (const Entry *entry = find(local))
      return entry->value;
    if (static_cast<Domain *>(this)->isLeaf(local))
      return leaf;
    open(local);
    while (!frames.empty())
      advance();
    return find(local)->value;
  }

protected:
  /// Returns the value of a source of the register that is being computed. The value is unset if the source is in the
  /// same cycle and not computed yet.
  const Value &known(LocalId local) const {
    const Entry *entry = find(local);
    return entry ? entry->value : leaf;
  }
  /// Returns whether the registers that are being computed form a cycle.
  bool isInLoop() const { return computesLoop; }
  void forget() { entries.clear(); }

private:
  friend Domain;
  explicit Backward(const Body &body, size_t others = 0) : slotOf(body.locals.size() + others) {}

  static constexpr unsigned gentleRounds = 3, mostRounds = 48;

  struct Entry {
    LocalId local = LocalId::None;
    bool isOpen = true;
    Value value{};
  };
  struct Frame {
    uint32_t slot, lowest; // its entry, and the first open entry on which it is known to depend
    uint32_t firstWaiting;
    bool isCircular; // the register is one of its own sources
    bool needsAll;   // the result is useless unless all sources are known
  };

  /// Returns the entry of a register, or null. Slots of registers without an entry may have any value, so the entry's
  /// register is compared.
  const Entry *find(LocalId local) const {
    const uint32_t slot = slotOf[static_cast<uint32_t>(local)];
    return slot < entries.size() && entries[slot].local == local ? &entries[slot] : nullptr;
  }
  /// Removes known registers from the end of `waiting`, down to index `first`. Removes all of them if one makes the
  /// result useless. Returns false at the first unknown register.
  bool areKnown(size_t first, bool needsAll) {
    while (waiting.size() != first) {
      const LocalId next = waiting.back();
      const Entry *entry = find(next);
      if (entry ? entry->isOpen : !static_cast<Domain *>(this)->isLeaf(next))
        return false;
      waiting.pop_back();
      if (needsAll && Domain::isUseless(entry ? entry->value : leaf))
        waiting.truncate(first);
    }
    return true;
  }
  void open(LocalId local) {
    const auto slot = static_cast<uint32_t>(entries.size());
    const auto first = static_cast<uint32_t>(waiting.size());
    slotOf[static_cast<uint32_t>(local)] = slot;
    entries.push_back({local, true, {}});
    const bool needsAll = static_cast<Domain *>(this)->addSources(local, waiting);
    if (areKnown(first, needsAll)) {
      store(slot, static_cast<Domain *>(this)->transfer(local));
      entries[slot].isOpen = false;
      return;
    }
    frames.push_back({slot, slot, first, false, needsAll});
    opened.push_back(slot);
  }
  void advance() {
    Frame &frame = frames.back();
    if (areKnown(frame.firstWaiting, frame.needsAll))
      return close();
    const LocalId next = waiting.back();
    const Entry *entry = find(next);
    if (!entry)
      return open(next); // the next call finds the register known or open
    waiting.pop_back();
    const auto slot = static_cast<uint32_t>(entry - entries.data());
    frame.lowest = std::min(frame.lowest, slot);
    frame.isCircular |= slot == frame.slot;
  }
  void close() {
    const Frame frame = frames.pop_back_val();
    if (frame.lowest != frame.slot) { // the register is part of a larger cycle
      frames.back().lowest = std::min(frames.back().lowest, frame.lowest);
      return;
    }
    const auto *first = std::ranges::lower_bound(opened, frame.slot);
    const bool isLoop = frame.isCircular || opened.end() - first > 1;
    if (isLoop)
      computeLoop(first);
    else
      store(frame.slot, static_cast<Domain *>(this)->transfer(entries[frame.slot].local));
    for (const auto *slot = first; slot != opened.end(); ++slot)
      entries[*slot].isOpen = false;
    opened.truncate(static_cast<size_t>(first - opened.begin()));
  }
  void store(uint32_t slot, Value value) { entries[slot].value = std::move(value); }
  void computeLoop(const uint32_t *first) {
    llvm::SmallVector<uint32_t, 16> members(first, static_cast<const uint32_t *>(opened.end()));
    llvm::sort(members, [this](uint32_t a, uint32_t b) { return entries[a].local < entries[b].local; });
    auto &domain = *static_cast<Domain *>(this);
    bool changes = true;
    computesLoop = true;
    for (unsigned round = 0; changes && round < mostRounds; ++round) {
      changes = false;
      for (const uint32_t slot : members) {
        const Value before = entries[slot].value;
        Value after = domain.join(before, domain.transfer(entries[slot].local));
        if (after == before)
          continue;
        changes = true;
        store(slot, round < gentleRounds ? after : domain.widened(after));
      }
    }
    computesLoop = false;
    for (const uint32_t slot : members)
      if (changes || entries[slot].value.isUnset)
        store(slot, domain.unknown(entries[slot].local));
  }

  const Value leaf = Domain::unknown(LocalId::None);
  std::vector<uint32_t> slotOf; // indexed by LocalId, followed by the domain's additional nodes
  std::vector<Entry> entries;
  llvm::SmallVector<Frame, 16> frames;
  llvm::SmallVector<LocalId, 32> waiting; // for each frame, the sources that are still to be computed
  llvm::SmallVector<uint32_t, 16> opened; // slots of open entries, ascending
  bool computesLoop = false;
};
// NOLINTEND(misc-no-recursion)

} // namespace ptxray
