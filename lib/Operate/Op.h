#pragma once
// One operation on the registers of a warp: a handler, and the location of its 32 lanes of numbers.
#include <cstdint>

namespace ptxray::machine {

inline constexpr unsigned warpSize = 32;
inline constexpr uint32_t allLanes = ~0u;

struct Warp;
struct Op;

/// A register: the offset in bytes of its lanes from the first register of its warp. Lanes are consecutive and have the
/// width of the register: 2, 4, 8 or 16 bytes. A predicate is one word with a bit per lane.
using Slot = uint32_t;
inline constexpr Slot noSlot = 0;
/// Scratch register for results that are kept only in some lanes. No other register has this slot.
inline constexpr Slot scratchSlot = 64;
inline constexpr uint32_t scratchBytes = 512;

/// Executes an operation. `which` is the non-empty mask of active lanes; results in other lanes are unchanged. If
/// `Op::whole` is a slot, `which` is that slot instead, and the handler computes all lanes there.
using Handler = void (*)(char *registers, const Op &op, uint32_t which, Warp &warp);

struct Op {
  Handler run = nullptr;
  Slot d = noSlot, a = noSlot, b = noSlot, c = noSlot;
  union {
    int64_t number = 0;
    const void *more; // further parameters, kept alive by the program
  };
  uint32_t whole = allLanes; // value of `which` if all lanes are active: allLanes, or the slot of the result
  // For handlers that receive a slot: log2 of the lane size in bytes if inactive lanes must keep their values,
  // otherwise 0.
  uint32_t keeps : 3 = 0;
  // Set by the program:
  uint32_t isComputation : 1 = 0; // computes registers from registers, without other effects
  uint32_t isNot : 1 = 0;         // the operation executes in lanes where the guard is false
  uint32_t instruction : 27 = 0;  // index in its body
  Slot guard = noSlot;            // a predicate; only its lanes execute
};

/// Copies the lanes of the mask from the scratch register to the result.
void keepSome(char *registers, const Op &op, uint32_t mask);
/// Executes an operation in the lanes of `mask`, which is not empty. Results in other lanes are unchanged.
inline void execute(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  if (mask == allLanes)
    return op.run(registers, op, op.whole, warp);
  if (!op.keeps)
    return op.run(registers, op, op.whole == allLanes ? mask : op.whole, warp);
  op.run(registers, op, scratchSlot, warp);
  keepSome(registers, op, mask);
}

template <class T> T *lanesOf(char *registers, Slot slot) { return reinterpret_cast<T *>(registers + slot); }

} // namespace ptxray::machine
