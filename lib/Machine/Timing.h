#pragma once
// Schedules decide when asynchronous operations complete and which warp runs next, if the manual does not specify it.
// The name of a schedule reproduces it.
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxray::machine {

class Timing {
public:
  static constexpr uint64_t never = ~uint64_t(0);

  /// Parses `eager`, `lazy`, `early`, a number, or `weak:` and a number. Returns nothing for other strings.
  static std::optional<Timing> read(llvm::StringRef text);
  /// Returns the name of the schedule for the run with this number, from 0: lazy, early, then seeds.
  static std::string textOf(uint32_t run);

  bool isEager() const { return how == How::Eager; }
  /// Returns whether plain stores to global memory are delayed, and plain loads may return older values.
  bool isWeak() const { return hasWeak; }
  /// Returns the number of turns until an operation completes, unless a thread waits for it earlier. `readsShared`: the
  /// operation reads memory that may be overwritten.
  uint64_t delay(bool readsShared);
  /// Returns a number below `count`.
  uint32_t choose(uint32_t count);
  /// Returns the order in which warps run; empty for ascending order.
  std::vector<uint32_t> order(uint32_t warps);
  /// Returns the length of a turn whose default length is `blocks` code blocks.
  uint32_t turn(uint32_t blocks);

private:
  enum class How : uint8_t { Eager, Lazy, Early, Random };
  uint32_t below(uint32_t limit);

  How how = How::Eager;
  uint64_t state = 0;
  bool hasWeak = false;
};

} // namespace ptxray::machine
