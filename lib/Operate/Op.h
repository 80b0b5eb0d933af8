#pragma once
// One operation on the registers of a warp: a handler, and where its 32 lanes of numbers lie.
#include <cstdint>

namespace ptxray::machine {

inline constexpr unsigned warpSize = 32;
inline constexpr uint32_t allLanes = ~0u;

struct Warp;
struct Op;

/// A register: how many bytes after the first register of its warp its lanes begin. They lie one after the other, each
/// as wide as the register: 2, 4, 8 or 16 bytes. A predicate is one word with a bit for each lane.
using Slot = uint32_t;
inline constexpr Slot noSlot = 0;
/// A place in which is computed what only some lanes keep; no register begins there.
inline constexpr Slot scratchSlot = 64;
inline constexpr uint32_t scratchBytes = 512;

/// `which` are the lanes in which it computes, which are not 0: other lanes of results stay as they are. Or, where
/// `Op::whole` says so, it is the slot in which it computes all lanes of its result.
using Handler = void (*)(char *registers, const Op &op, uint32_t which, Warp &warp);

struct Op {
  Handler run = nullptr;
  Slot d = noSlot, a = noSlot, b = noSlot, c = noSlot;
  union {
    int64_t number = 0;
    const void *more; // what else the handler needs, kept by the program
  };
  uint32_t whole = allLanes; // what the handler is given where all lanes compute: these, or the slot of the result
  // Not 0 for a handler that is given slots: lanes of 1 << keeps bytes stay as they are where they do not compute.
  uint32_t keeps : 3 = 0;
  // Filled in by the program:
  uint32_t isComputation : 1 = 0; // it computes registers from registers, and does nothing else
  uint32_t isNot : 1 = 0;         // the lanes in which the guard is false
  uint32_t instruction : 27 = 0;  // number in its body
  Slot guard = noSlot;            // a predicate: only its lanes compute
};

/// Copies the lanes of the mask from the scratch to the result.
void keepSome(char *registers, const Op &op, uint32_t mask);
/// Executes an operation in the lanes of the mask, which is not 0. Other lanes of results stay as they are.
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
