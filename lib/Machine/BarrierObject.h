#pragma once
// The mbarrier objects in shared memory. The contents of their 64 bits are not documented, so the emulator uses its own
// representation.
#include "Machine/Access.h"
#include <optional>

namespace ptxray::machine {

inline constexpr uint32_t mostArrivals = (1 << 20) - 1; // maximum pending arrivals of a phase
// Maximum pending bytes, and maximum bytes that arrive too early.
inline constexpr int32_t mostPendingBytes = (1 << 20) - 1;

/// The state of an mbarrier object. A phase completes when no arrivals and bytes are pending; then the next phase
/// begins.
struct BarrierObject {
  uint32_t pending = 0, expected = 0; // numbers of arrivals: of this phase, and of later phases
  int32_t bytes = 0;                  // pending bytes of the phase; negative if bytes arrived before they were expected
  bool isOdd = false;                 // parity of the phase

  uint64_t bits() const;
  /// Completes the phase if nothing is pending. Returns whether it did.
  bool advance();
};
/// Decodes an mbarrier object. Returns nothing if it was not initialised, or was overwritten.
std::optional<BarrierObject> readBarrier(uint64_t bits);

/// The use of an mbarrier object by an instruction.
struct BarrierUse {
  enum class What : uint8_t { Init, Invalidate, Expect, Complete, Arrive, Await };
  What what = What::Init;
  AddressOf object;
  Place amount; // number of arrivals or bytes; if it is no register, `number` is used
  uint32_t number = 1;
  Place blocks;       // mask of blocks in the cluster; if it is no register, the address selects the block
  Place result;       // the state, or whether the phase is complete
  Place phase;        // the phase to wait for, as a state or a parity
  bool drops = false; // later phases no longer expect the arrivals
  bool isParity = false;
  bool isRelaxed = false; // ordered only by preceding and following fences
};
void useBarrier(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// Computes the number of pending arrivals in a state.
void countPending(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Adds one pending arrival to the current phase.
void addArrival(uint8_t *object);
/// Counts bytes that arrived at the mbarrier object with this offset in a block's shared memory. Returns the problem,
/// or an empty string.
std::string completeBytes(BlockState &block, uint64_t offset, uint32_t bytes);
/// Counts arrivals at the mbarrier object. Returns the problem, or an empty string.
std::string arriveAt(BlockState &block, uint64_t offset, uint32_t count);

/// Returns the value of a register or constant of any width; 0 without a register.
uint64_t numberIn(const char *registers, Place place, unsigned lane);
/// Writes a register of any width in one lane. Does nothing without a register.
void setNumber(char *registers, Place place, unsigned lane, uint64_t value);
/// Reports an operation that is not supported, or that only undefined behaviour could execute.
void refuse(Warp &warp, const Op &op, unsigned lane, std::string why);
/// Reports undefined behaviour.
void reportUndefined(Warp &warp, const Op &op, unsigned lane, std::string why);

} // namespace ptxray::machine
