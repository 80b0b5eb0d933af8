#pragma once
// Limits the cost of analyses of one body. Compiled programs hardly ever reach a limit; the limits keep unusual files
// from making a check slow. Beyond a limit, an analysis is less precise: rules may miss offences, but never report
// false ones.
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <iterator>

namespace ptxray {

/// The limits: name, maximum, and what is counted.
#define PTXRAY_LIMITS(LIMIT)                                                                                           \
  LIMIT(Rounds, 64, "rounds in which what is known of a loop changes")                                                 \
  LIMIT(States, 1 << 25, "states of operations at the places where they change")                                       \
  LIMIT(WrittenSets, 1 << 20, "sets of registers that are written before a block")                                     \
  LIMIT(Ways, 2'000'000, "blocks on ways to reads of registers that may be unwritten")                                 \
  LIMIT(Threads, 256, "threads whose addresses are computed one by one")                                               \
  LIMIT(Nested, 64, "loops around a block")                                                                            \
  LIMIT(OuterLoops, 8, "loops around an asynchronous operation")                                                       \
  LIMIT(StageLoops, 16, "loops that wait for groups of an earlier round")                                              \
  LIMIT(Patterns, 200, "patterns of numbers in the lanes of a warp")                                                   \
  LIMIT(Dominators, 200, "blocks that every way to an instruction passes")                                             \
  LIMIT(BaseRegisters, 64, "registers through which an address is followed")                                           \
  LIMIT(LoopRegisters, 64, "registers that a loop computes from each other")                                           \
  LIMIT(Operations, 512, "asynchronous operations")                                                                    \
  LIMIT(Completions, 128, "signals that complete asynchronous operations")                                             \
  LIMIT(BarrierUses, 1000, "uses of barrier objects")                                                                  \
  LIMIT(BarrierInits, 64, "initialisations of barrier objects")                                                        \
  LIMIT(Allocations, 16, "allocations of tensor memory")                                                               \
  LIMIT(Writes, 2048, "writes to shared memory that an asynchronous operation may read")

enum class Limit : uint8_t {
#define LIMIT(name, most, what) name,
  PTXRAY_LIMITS(LIMIT)
#undef LIMIT
};

struct LimitInfo {
  uint32_t most;
  llvm::StringLiteral what; // description of what is counted
};
inline constexpr LimitInfo limitInfos[] = {
#define LIMIT(name, most, what) {most, what},
    PTXRAY_LIMITS(LIMIT)
#undef LIMIT
};

constexpr uint32_t mostOf(Limit limit) { return limitInfos[static_cast<size_t>(limit)].most; }

/// Records which limits were reached.
class Budget {
public:
  /// Returns whether `count` is within the limit.
  bool allows(Limit limit, uint64_t count) {
    if (count <= mostOf(limit)) [[likely]]
      return true;
    reached |= uint32_t(1) << static_cast<unsigned>(limit);
    return false;
  }
  bool wasReached(Limit limit) const { return reached >> static_cast<unsigned>(limit) & 1; }
  bool wasAnyReached() const { return reached != 0; }

private:
  static_assert(std::size(limitInfos) <= 32);
  uint32_t reached = 0;
};

} // namespace ptxray
