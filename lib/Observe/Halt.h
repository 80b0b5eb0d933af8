#pragma once
// A launch can be halted at a place, so that it can be looked at. An execution is the same each time, so that a
// debugger goes to any place of it, backwards too, by executing it again up to there.
#include "Machine/Grid.h"
#include <algorithm>

namespace ptxray::machine {

/// A warp of a grid.
struct WarpName {
  std::array<uint32_t, 3> block{};
  uint32_t warp = 0;
  bool operator==(const WarpName &) const = default;
};

/// Bytes that are watched for changes.
struct WatchedBytes {
  enum class Where : uint8_t { Global, Shared, Local, Register, Phase };
  Where where = Where::Global;
  WarpName of; // Shared, and Phase, that of a barrier object: its block; Local and Register: its lane
  unsigned lane = 0;
  uint64_t address = 0;  // Register: its slot
  uint32_t function = 0; // Register: the number of the function that has it
  uint32_t bytes = 4;    // 0: a predicate
  bool operator==(const WatchedBytes &) const = default;
};

/// An instruction of a function of the program.
struct CodePlace {
  uint32_t function = 0, instruction = 0;
  auto operator<=>(const CodePlace &) const = default;
};

/// A rule for the place at which an execution is halted. Time is counted in instructions that warps have executed.
struct HaltRule {
  static constexpr uint64_t never = ~uint64_t(0);
  uint64_t after = 0;      // nothing before this time counts
  uint64_t before = never; // nor from this time on
  bool isLast = false;     // the last match is wanted, not the first one
  // One of these is a match, if it fits what follows:
  bool isAny = false;                // any instruction
  std::vector<CodePlace> places;     // one of these, which are sorted
  std::vector<WatchedBytes> watched; // a change of one of these
  // Matches are only those
  std::optional<WarpName> warp; // of this warp,
  std::optional<unsigned> lane; // with this lane in it,
  bool isGuarded = false;       // which the guard allows,
  size_t depth = ~size_t(0);    // in at most so many calls.
};

/// The place at which a launch was halted, and what had changed there.
struct HaltedAt {
  uint64_t time = 0;
  Warp *warp = nullptr;
  CodePlace place;
  std::optional<size_t> watched; // the index of what has changed
};

/// Bytes that somebody at a debugger puts into a register or into memory before the instruction of a time.
struct Change {
  uint64_t time = 0;
  WatchedBytes where;
  std::vector<uint8_t> bytes; // of a predicate: one, 0 or 1
};

/// They are sorted by time.
using Changes = llvm::ArrayRef<Change>;

/// A time in which a warp executed instructions, one after the other.
struct Stretch {
  WarpName warp;
  uint32_t lanes = 0;
  uint64_t begin = 0, end = 0;
  CodePlace last;     // the last instruction
  bool waits = false; // it asked for a phase of a barrier object that was not complete
};
/// An asynchronous operation that has ended.
struct EndedOperation {
  WarpName warp;
  CodePlace at;
  uint64_t begin = 0, end = 0;
};
/// The newest things that were done. Older entries make room for newer ones.
template <typename Entry> class Last {
public:
  static constexpr size_t most = 1024;
  Entry *newest() { return count ? &entries[(count - 1) % most] : nullptr; }
  void add(const Entry &entry) {
    if (entries.size() < most)
      entries.push_back(entry);
    else
      entries[count % most] = entry;
    ++count;
  }
  /// Returns them from the oldest on.
  std::vector<Entry> all() const {
    std::vector<Entry> sorted = entries;
    if (count > most)
      std::rotate(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(count % most), sorted.end());
    return sorted;
  }

private:
  std::vector<Entry> entries;
  size_t count = 0;
};

/// The state of a launch that looks for the place of a rule.
struct HaltSearch {
  HaltSearch(const HaltRule &rule, Changes changes) : rule(rule), changes(changes) {}
  HaltRule rule;
  Changes changes; // those to come
  uint64_t time = 0;
  uint64_t blockBegan = 0;                // the time at which the block of code that is executed began
  std::vector<std::vector<uint8_t>> seen; // what was watched
  std::optional<HaltedAt> found;          // the match at which it is halted, or the last one
  bool isHalted = false;
  Last<Stretch> stretches;
  Last<EndedOperation> operations;
  std::map<std::pair<const Agents *, uint64_t>, uint64_t> begun; // when operations in flight began, by their id
};

/// Halts a launch at the place of a rule.
class HaltObserver final : public Observer {
public:
  explicit HaltObserver(HaltSearch &search)
      : Observer(ObserverSlot::Halt, events::Blocks | events::Operations), search(search) {}

  bool steps(Warp &warp, const FunctionCode &code, const CodeBlock &block) override;
  bool stopsBefore(Warp &warp, const FunctionCode &code, uint32_t instruction) override;
  /// Makes the time of the launch that of the instruction with the fault.
  void faults(Warp &warp, const CodeBlock &block) override;
  void asksInVain(Warp &warp, const Op &op, bool isFirst) override;
  void seesPhase(Warp &warp, uint32_t lanes, const uint8_t *object, bool isRelaxed) override;
  void starts(Warp &warp, const Op &op, uint64_t id) override;
  void ends(Warp &warp, const FunctionCode &code, const Op &op, uint64_t id) override;

private:
  uint64_t timeOf(const Warp &warp, const Op &op) const;

  HaltSearch &search;
};

/// Returns the time since which a warp of a halted launch has asked in vain for a phase of a barrier object, if it has.
std::optional<uint64_t> asksSince(const Warp &warp);

/// Returns the bytes as they are now, or nothing if they do not exist.
std::vector<uint8_t> bytesNow(GridState &grid, const WatchedBytes &watched);

} // namespace ptxray::machine
