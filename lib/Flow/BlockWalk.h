#pragma once
// Follows some threads of a block through a kernel together, as far as numbers decide where they go. Data is not known,
// parameters are assumed to be one number each, and the difference of two numbers that come from the same parameter is
// exact whatever that number is:
//   mov.u32 %r1, %tid.x;            0, 1, 2 ...
//   ld.param.u32 %r2, [n];          assumed
//   setp.lt.u32 %p1, %r1, %r2;      decides which threads go on
//   add.s32 %r3, %r1, %r2;          certain but for the parameter
//   ld.global.u32 %r4, [%rd1];      not known: a branch by it leads to where its paths meet, or ends the walk
#include "Flow/Analyses.h"
#include "Flow/Steps.h"
#include <bitset>
#include <map>
#include <memory>

namespace ptxray {

constexpr size_t mostBlockThreads = 1024;
using ThreadMask = std::bitset<mostBlockThreads>;

/// The numbers that a register holds in the threads.
struct ThreadNumbers {
  static constexpr uint32_t assumed = ~0u; // as `relativeTo`: the numbers depend on what was assumed
  bool isUnset = true, isKnown = false;
  uint32_t relativeTo = 0; // 0: the numbers are exact; else differences of numbers with the same value of it are
  uint64_t number = 0;     // of each thread, if there is no table
  std::shared_ptr<const std::vector<uint64_t>> table; // by thread

  uint64_t of(size_t thread) const { return table ? (*table)[thread] : number; }
  bool isExact() const { return isKnown && relativeTo == 0; }
};

struct WalkEvent {
  enum Kind : uint8_t { Access, WarpBarrier, Barrier, Arrival };
  Kind kind;
  uint32_t instruction;
  uint16_t access = 0; // number of the access of the instruction
  ThreadMask threads;
  ThreadNumbers address;               // of an access
  int64_t barrier = 0, count = 0;      // of a barrier: its number, and how many threads; 0: all
  LocalId somewhereIn = LocalId::None; // the variable that the address is in, if that is known
};

struct Walk {
  std::vector<WalkEvent> events;
  bool isComplete = false; // all threads were followed to their end
};

/// `assumed`: what parameters of 32 bits are taken to be. Threads that execute a barrier without the others end the
/// walk if `isWholeBlock`.
struct WalkOptions {
  uint32_t first = 0, count = 0; // the threads
  uint64_t assumed = 0;
  bool isWholeBlock = true;
};

Walk walkThreads(const Body &body, Analyses &analyses, const std::array<uint64_t, 3> &block, WalkOptions options);

} // namespace ptxray
