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
/// A place in which handlers compute what only some lanes keep; no register begins there.
inline constexpr Slot scratchSlot = 64;
inline constexpr uint32_t scratchBytes = 512;

/// Computes in the lanes of the mask, which is not 0. Other lanes of results stay as they are.
using Handler = void (*)(char *registers, const Op &op, uint32_t mask, Warp &warp);

struct Op {
  Handler run = nullptr;
  Slot d = noSlot, a = noSlot, b = noSlot, c = noSlot;
  union {
    int64_t number = 0;
    const void *more; // what else the handler needs, kept by the program
  };
  uint32_t isTemporary : 1 = 0; // the result is: its other lanes may become anything
  // Filled in by the program:
  uint32_t isComputation : 1 = 0; // it computes registers from registers, and does nothing else
  uint32_t isNot : 1 = 0;         // the lanes in which the guard is false
  uint32_t instruction : 29 = 0;  // number in its body
  Slot guard = noSlot;            // a predicate: only its lanes compute
};

template <class T> T *lanesOf(char *registers, Slot slot) { return reinterpret_cast<T *>(registers + slot); }

} // namespace ptxray::machine
