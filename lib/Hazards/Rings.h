#pragma once
// Recognises addresses that recur in a loop: an address that stays the same, or one that runs through the slots of a
// ring.
//   add.s32 %r2, %r1, 1;  setp.eq.s32 %p1, %r2, 4;  selp.b32 %r1, 0, %r2, %p1;      0, 1, 2, 3, 0 ...
#include "Flow/Analyses.h"

namespace ptxray {

/// How a mask of a counter in a loop is interpreted, as in `and.b32 %r2, %r1, 3`.
enum class Masks : uint8_t {
  Unknown,    // the loop may have fewer iterations than slots
  OfCounters, // a ring
};

/// Returns whether the register has the same value in each iteration of the loop, or runs through the values of a ring.
/// In both cases, a value recurs in a later iteration if there are enough iterations.
bool comesAgain(LocalId local, BlockId header, const Body &body, Analyses &analyses, Masks masks = Masks::Unknown);

/// Returns whether the loop compares a counter with a number, so that it may have few iterations.
bool isBoundedByNumber(BlockId header, const Body &body, Analyses &analyses);

/// The requirement for a register to count as the same in each iteration.
enum class Sameness : uint8_t {
  OfRounds,
  OfRoundsAndThreads, // threads that enter the loop at different points also read the same value
  UpToBound,          // iterations count only while a counter is below a bound that is unknown
};

/// Returns whether the instruction reads the same value of the register in each iteration of the loop. Returns false
/// for a flag that marks the first iteration, and for a counter.
bool isSameEachRound(LocalId local, uint32_t reader, BlockId header, const Body &body, Analyses &analyses,
                     Sameness sameness = Sameness::OfRounds);

/// Returns whether the value that the instruction reads depends on a register written in an earlier iteration of the
/// loop. Returns false if each iteration computes the value from scratch, or if too many registers are involved.
bool isOfEarlierRound(LocalId local, uint32_t reader, BlockId header, const Body &body, Analyses &analyses);

/// Returns whether threads that execute the instruction execute it in each iteration of the loop: its guard and the
/// preceding conditions are the same in each iteration.
bool comesEachRound(uint32_t number, BlockId header, const Body &body, Analyses &analyses,
                    Sameness sameness = Sameness::OfRounds);

/// Returns the length of the ring of numbers, starting at 0, through which the register runs; 0 if there is no ring.
int64_t lengthOfRing(LocalId index, const Body &body, Analyses &analyses);

} // namespace ptxray
