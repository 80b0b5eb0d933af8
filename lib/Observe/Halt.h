#pragma once
// Halts a launch at a point, so that its state can be inspected. Execution is deterministic, so a debugger reaches any
// point, also backwards, by executing the launch again up to that point.
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
  WarpName of; // for Shared, and Phase (of a barrier object), the block; for Local and Register, the lane
  unsigned lane = 0;
  uint64_t address = 0;  // address; for Register, the slot
  uint32_t function = 0; // number of the function, for Register
  uint32_t bytes = 4;    // 0 for a predicate
  bool operator==(const WatchedBytes &) const = default;
};

/// An instruction of a function of the program.
struct CodePlace {
  uint32_t function = 0, instruction = 0;
  auto operator<=>(const CodePlace &) const = default;
};

/// A rule that determines where an execution is halted. Time is counted in executed warp instructions.
struct HaltRule {
  static constexpr uint64_t never = ~uint64_t(0);
  uint64_t after = 0;      // earliest time of a match
  uint64_t before = never; // a match must be earlier than this time
  bool isLast = false;     // selects the last match instead of the first
  // An execution matches at one of these:
  bool isAny = false;                // any instruction
  std::vector<CodePlace> places;     // one of these instructions, in ascending order
  std::vector<WatchedBytes> watched; // a change of one of these bytes
  // A match must also satisfy:
  std::optional<WarpName> warp; // this warp,
  std::optional<unsigned> lane; // executed by this lane, if given
  bool isGuarded = false;       // the guard of the instruction is true
  size_t depth = ~size_t(0);    // maximum call depth
};

/// The point where a launch was halted, and the change there.
struct HaltedAt {
  uint64_t time = 0;
  Warp *warp = nullptr;
  CodePlace place;
  std::optional<size_t> watched; // index of the watched bytes that changed
};

/// Bytes that a user of a debugger writes to a register or to memory, before the instruction at a time.
struct Change {
  uint64_t time = 0;
  WatchedBytes where;
  std::vector<uint8_t> bytes; // for a predicate: one byte, 0 or 1
};

/// Changes in order of time.
using Changes = llvm::ArrayRef<Change>;

/// A period in which a warp executed instructions without interruption.
struct Stretch {
  WarpName warp;
  uint32_t lanes = 0;
  uint64_t begin = 0, end = 0;
  CodePlace last;     // the last instruction
  bool waits = false; // the warp tested an incomplete phase of a barrier object
};
/// An asynchronous operation that has ended.
struct EndedOperation {
  WarpName warp;
  CodePlace at;
  uint64_t begin = 0, end = 0;
};
/// The newest entries, up to a limit. New entries replace old ones.
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
  /// Returns the entries, the oldest first.
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

/// The state of the search for a matching point.
struct HaltSearch {
  HaltSearch(const HaltRule &rule, Changes changes) : rule(rule), changes(changes) {}
  HaltRule rule;
  Changes changes; // remaining changes
  uint64_t time = 0;
  uint64_t blockBegan = 0;                // time at which the current code block started
  std::vector<std::vector<uint8_t>> seen; // values of the watched bytes
  std::optional<HaltedAt> found;          // the match at which the launch was halted, or the last match
  bool isHalted = false;
  Last<Stretch> stretches;
  Last<EndedOperation> operations;
  std::map<std::pair<const Agents *, uint64_t>, uint64_t> begun; // start times of operations in flight, keyed by id
};

/// Halts a launch at a point that a rule determines.
class HaltObserver final : public Observer {
public:
  explicit HaltObserver(HaltSearch &search)
      : Observer(ObserverSlot::Halt, events::Blocks | events::Operations), search(search) {}

  bool steps(Warp &warp, const FunctionCode &code, const CodeBlock &block) override;
  bool stopsBefore(Warp &warp, const FunctionCode &code, uint32_t instruction) override;
  /// Sets the time of the launch to that of the instruction with the fault.
  void faults(Warp &warp, const CodeBlock &block) override;
  void asksInVain(Warp &warp, const Op &op, bool isFirst) override;
  void seesPhase(Warp &warp, uint32_t lanes, const uint8_t *object, bool isRelaxed) override;
  void starts(Warp &warp, const Op &op, uint64_t id) override;
  void ends(Warp &warp, const FunctionCode &code, const Op &op, uint64_t id) override;

private:
  uint64_t timeOf(const Warp &warp, const Op &op) const;

  HaltSearch &search;
};

/// If a warp of a halted launch has been testing an incomplete phase of a barrier object, returns the time since which
/// it has.
std::optional<uint64_t> asksSince(const Warp &warp);

/// Returns the current bytes, or nothing if they do not exist.
std::vector<uint8_t> bytesNow(GridState &grid, const WatchedBytes &watched);

} // namespace ptxray::machine
