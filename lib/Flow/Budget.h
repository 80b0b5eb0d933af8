#pragma once
// The analyses of one body may cost so much and no more. Hardly a limit is met by what a compiler makes of people's
// programs; each keeps some text from making a check slow. Beyond it an analysis knows less: a rule may miss what it
// would report, and never reports what is not so.
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>

namespace ptxray {

enum class Limit : uint8_t {
  Rounds,
  States,
  WrittenSets,
  Ways,
  Threads,
  Nested,
  OuterLoops,
  StageLoops,
  Patterns,
  Dominators,
  BaseRegisters,
  LoopRegisters,
  Operations,
  Completions,
  BarrierUses,
  BarrierInits,
  Allocations,
  Writes,
};

struct LimitInfo {
  uint32_t most;
  llvm::StringLiteral what; // of which there are more
};
inline constexpr std::array limitInfos = {
    LimitInfo{64, "rounds in which what is known of a loop changes"},
    LimitInfo{1 << 25, "states of operations at the places where they change"},
    LimitInfo{1 << 20, "sets of registers that are written before a block"},
    LimitInfo{2'000'000, "blocks on ways to reads of registers that may be unwritten"},
    LimitInfo{256, "threads whose addresses are computed one by one"},
    LimitInfo{64, "loops around a block"},
    LimitInfo{8, "loops around an asynchronous operation"},
    LimitInfo{16, "loops that wait for groups of an earlier round"},
    LimitInfo{200, "patterns of numbers in the lanes of a warp"},
    LimitInfo{200, "blocks that every way to an instruction passes"},
    LimitInfo{64, "registers through which an address is followed"},
    LimitInfo{64, "registers that a loop computes from each other"},
    LimitInfo{512, "asynchronous operations"},
    LimitInfo{128, "signals that complete asynchronous operations"},
    LimitInfo{1000, "uses of barrier objects"},
    LimitInfo{64, "initialisations of barrier objects"},
    LimitInfo{16, "allocations of tensor memory"},
    LimitInfo{2048, "writes to shared memory that an asynchronous operation may read"},
};
static_assert(limitInfos.size() == static_cast<size_t>(Limit::Writes) + 1);

constexpr uint32_t mostOf(Limit limit) { return limitInfos[static_cast<size_t>(limit)].most; }

/// Remembers which limits were reached.
class Budget {
public:
  /// Is true if there may be so many.
  bool allows(Limit limit, uint64_t count) {
    if (count <= mostOf(limit)) [[likely]]
      return true;
    reached |= uint32_t(1) << static_cast<unsigned>(limit);
    return false;
  }
  bool wasReached(Limit limit) const { return reached >> static_cast<unsigned>(limit) & 1; }
  bool wasAnyReached() const { return reached != 0; }

private:
  static_assert(limitInfos.size() <= 32);
  uint32_t reached = 0;
};

} // namespace ptxray
