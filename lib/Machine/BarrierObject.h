#pragma once
// An mbarrier object lies in shared memory. Its 64 bits have no documented meaning, so they are the machine's own.
#include "Machine/Access.h"
#include <optional>

namespace ptxray::machine {

inline constexpr uint32_t mostArrivals = (1 << 20) - 1;    // a phase can wait for no more
inline constexpr int32_t mostPendingBytes = (1 << 20) - 1; // no phase expects more, and no more come too early

/// A phase completes when no arrival and no byte is pending; then the next one begins.
struct BarrierObject {
  uint32_t pending = 0, expected = 0; // arrivals: of this phase, and of the next ones
  int32_t bytes = 0;                  // bytes that the phase waits for; below 0: they came before they were expected
  bool isOdd = false;                 // the phase

  uint64_t bits() const;
  /// Ends the phase if it is complete, and is true then.
  bool advance();
};
/// Nothing if the bits are no object: it was not made, or it was written over.
std::optional<BarrierObject> readBarrier(uint64_t bits);

/// Describes what an instruction does with barrier objects.
struct BarrierUse {
  enum class What : uint8_t { Init, Invalidate, Expect, Complete, Arrive, Await };
  What what = What::Init;
  AddressOf object;
  Place amount; // how many arrivals or bytes; none: `number` says it
  uint32_t number = 1;
  Place blocks;       // a mask: of which blocks of the cluster; none: of the one that the address leads to
  Place result;       // the state, or whether the phase is complete
  Place phase;        // the phase that is awaited: a state, or a parity
  bool drops = false; // the arrivals are not expected in later phases
  bool isParity = false;
  bool isRelaxed = false; // it orders by fences before and after it
};
void useBarrier(char *registers, const Op &op, uint32_t mask, Warp &warp);
/// The pending arrivals in a state.
void countPending(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// The phase of the object waits for one arrival more.
void addArrival(uint8_t *object);
/// Counts bytes that arrived at the object at an offset in a block's shared memory. Returns what is wrong.
std::string completeBytes(BlockState &block, uint64_t offset, uint32_t bytes);
/// Counts arrivals at the object. Returns what is wrong.
std::string arriveAt(BlockState &block, uint64_t offset, uint32_t count);

/// Returns the number that a register or constant of any width holds; 0 if there is none.
uint64_t numberIn(const char *registers, Place place, unsigned lane);
/// Writes a register of a lane, of any width; none: nothing happens.
void setNumber(char *registers, Place place, unsigned lane, uint64_t value);
/// A construct that cannot be executed, or that only the manual's undefined behaviour could.
void refuse(Warp &warp, const Op &op, unsigned lane, std::string why);
/// A use that the manual does not define.
void reportUndefined(Warp &warp, const Op &op, unsigned lane, std::string why);

} // namespace ptxray::machine
