#pragma once
// Data flow, backwards along registers: what a register holds follows from what the registers hold that it is made
// from. Each is computed once, after those; registers that are made from each other, in a loop, are computed together
// until nothing changes. So the result does not depend on what is asked first, and no function calls itself. A question
// about one register computes only those that it is made from. A domain derives from `Backward<Domain, Value>` and has
//   bool isLeaf(LocalId)                      nothing is known of it, whatever it is made from
//   bool addSources(LocalId, llvm::SmallVectorImpl<LocalId> &)      adds the registers that one is made from; true:
//                                             as soon as nothing is known of one of those, nothing is known of it
//   bool isUseless(const Value &)             nothing is known
//   Value transfer(LocalId)                   what it holds by what `known` says of those
//   Value join(const Value &, const Value &)  what is one or the other
//   Value widened(const Value &)              a coarser one, so that loops come to an end
//   Value unknown(LocalId)                    what is said of it when they do not
#include "Flow/Body.h"
#include <algorithm>

namespace ptxray {

// NOLINTBEGIN(misc-no-recursion): the values of one thread ask those of all threads, which ask no others.
template <typename Domain, typename Value> class Backward {
public:
  /// Good until the next register is asked for.
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
  /// Returns the value of a register that the one being computed is made from. It is unset if it is of the same loop
  /// and not yet known.
  const Value &known(LocalId local) const {
    const Entry *entry = find(local);
    return entry ? entry->value : leaf;
  }
  /// The registers that are computed now are made from each other.
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
    uint32_t slot, lowest; // its entry, and the first open one that it is known to depend on
    uint32_t firstWaiting;
    bool isCircular; // it is one of its own sources
    bool needsAll;   // all of its sources must be known
  };

  /// Finds the entry of a register that was asked for. The slot of any other register may hold any number.
  const Entry *find(LocalId local) const {
    const uint32_t slot = slotOf[static_cast<uint32_t>(local)];
    return slot < entries.size() && entries[slot].local == local ? &entries[slot] : nullptr;
  }
  /// Drops what is known from the end of `waiting`; all from `first` on if one of these makes the others useless.
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
      return open(next); // it is found known the next time, or open
    waiting.pop_back();
    const auto slot = static_cast<uint32_t>(entry - entries.data());
    frame.lowest = std::min(frame.lowest, slot);
    frame.isCircular |= slot == frame.slot;
  }
  void close() {
    const Frame frame = frames.pop_back_val();
    if (frame.lowest != frame.slot) { // the loop goes on above
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
  std::vector<uint32_t> slotOf; // by LocalId, after which a domain may have other nodes
  std::vector<Entry> entries;
  llvm::SmallVector<Frame, 16> frames;
  llvm::SmallVector<LocalId, 32> waiting; // for each frame, those that it still depends on
  llvm::SmallVector<uint32_t, 16> opened; // slots of entries that are open, ascending
  bool computesLoop = false;
};
// NOLINTEND(misc-no-recursion)

} // namespace ptxray
