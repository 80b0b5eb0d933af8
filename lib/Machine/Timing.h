#pragma once
// When asynchronous operations happen and which warp runs next: what the manual leaves open, chosen by a text that
// replays it.
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxray::machine {

class Timing {
public:
  static constexpr uint64_t never = ~uint64_t(0);

  /// The text is `eager`, `lazy`, `early`, a number, or `weak:` and a number; else there is nothing.
  static std::optional<Timing> read(llvm::StringRef text);
  /// Returns the text of the run with this number, from 0 on: lazy, early, then seeds.
  static std::string textOf(uint32_t run);

  bool isEager() const { return how == How::Eager; }
  /// Plain stores of global memory are done late, and plain loads early, too.
  bool isWeak() const { return hasWeak; }
  /// Returns after how many turns an operation happens unless a thread waits for it before. `readsShared`: what it
  /// reads may be written over.
  uint64_t delay(bool readsShared);
  /// Returns the number of the one that comes next, of so many.
  uint32_t choose(uint32_t count);
  /// Returns the order in which so many warps run; empty: one after the other.
  std::vector<uint32_t> order(uint32_t warps);
  /// Returns the length of a turn that would have so many blocks of code.
  uint32_t turn(uint32_t blocks);

private:
  enum class How : uint8_t { Eager, Lazy, Early, Random };
  uint32_t below(uint32_t limit);

  How how = How::Eager;
  uint64_t state = 0;
  bool hasWeak = false;
};

} // namespace ptxray::machine
