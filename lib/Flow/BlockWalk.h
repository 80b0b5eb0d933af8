#pragma once
// Simulates some threads of a block together, as long as known numbers determine their path. Data are unknown. Each
// parameter is assumed to have one value. The difference of two numbers that depend on the same parameter is exact for
// any value:
//|  mov.u32 %r1, %tid.x;            0, 1, 2 ...
//|  ld.param.u32 %r2, [n];          assumed
//|  setp.lt.u32 %p1, %r1, %r2;      decides which threads continue
//|  add.s32 %r3, %r1, %r2;          exact except for the parameter
//|  ld.global.u32 %r4, [%rd1];      unknown: a branch on it leads to the join of its paths, or ends the walk
#include "Flow/Analyses.h"
#include "Flow/Steps.h"
#include <bitset>
#include <map>
#include <memory>

namespace ptxray {

constexpr size_t mostBlockThreads = 1024;
using ThreadMask = std::bitset<mostBlockThreads>;

/// The values of a register in the simulated threads.
struct ThreadNumbers {
  static constexpr uint32_t assumed = ~0u; // value of `relativeTo` for numbers that depend on an assumption
  bool isUnset = true, isKnown = false;
  // 0 if the numbers are exact. Otherwise, only differences between numbers with the same `relativeTo` are exact.
  uint32_t relativeTo = 0;
  uint64_t number = 0;                                // the value in every thread, if there is no table
  std::shared_ptr<const std::vector<uint64_t>> table; // the value in each thread

  uint64_t of(size_t thread) const { return table ? (*table)[thread] : number; }
  bool isExact() const { return isKnown && relativeTo == 0; }
};

struct WalkEvent {
  enum Kind : uint8_t { Access, WarpBarrier, Barrier, Arrival };
  Kind kind;
  uint32_t instruction;
  uint16_t access = 0; // index of the access in the instruction
  ThreadMask threads;
  ThreadNumbers address;               // address of an access
  int64_t barrier = 0, count = 0;      // number of a barrier, and its thread count; 0 stands for all threads
  LocalId somewhereIn = LocalId::None; // the variable that contains the address; None if unknown
};

struct Walk {
  std::vector<WalkEvent> events;
  bool isComplete = false; // all threads were simulated until they exit
};

struct WalkOptions {
  uint32_t first = 0, count = 0; // first thread, and number of threads
  uint64_t assumed = 0;          // value of 32-bit parameters
  bool isWholeBlock = true;      // a barrier that only some threads execute ends the walk
  bool isSizeKnown = true;       // if false, `%ntid` is treated like a parameter
};

Walk walkThreads(const Body &body, Analyses &analyses, const std::array<uint64_t, 3> &block, WalkOptions options);

} // namespace ptxray
