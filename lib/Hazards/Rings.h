#pragma once
// Recognises addresses that recur in a loop: an address that stays the same, or one that runs through the slots of a
// ring.
//   add.s32 %r2, %r1, 1;  setp.eq.s32 %p1, %r2, 4;  selp.b32 %r1, 0, %r2, %p1;      0, 1, 2, 3, 0 ...
#include "Flow/Analyses.h"

namespace ptxray {

/// How to read a mask of a counter in a loop, as in `and.b32 %r2, %r1, 3`.
enum class Masks : uint8_t {
  Unknown,    // the loop may have fewer iterations than slots
  OfCounters, // a ring
};

/// Returns whether the register has the same value in each iteration of the loop, or runs through the values of a ring.
/// Then a value recurs in a later iteration, if there are enough of them.
bool comesAgain(LocalId local, BlockId header, const Body &body, Analyses &analyses, Masks masks = Masks::Unknown);

/// Returns whether the loop compares a counter with a number, so that it may have few iterations.
bool isBoundedByNumber(BlockId header, const Body &body, Analyses &analyses);

/// The requirement for a register to count as the same in each iteration.
enum class Sameness : uint8_t {
  OfRounds,
  OfRoundsAndThreads, // threads that enter the loop at different points also read the same value
  UpToBound,          // iterations only count as long as a counter is below a bound that the text does not show
};

/// Returns whether the instruction reads the same value of the register in each iteration of the loop. A flag for the
/// first iteration differs, and so does a counter.
bool isSameEachRound(LocalId local, uint32_t reader, BlockId header, const Body &body, Analyses &analyses,
                     Sameness sameness = Sameness::OfRounds);

/// Returns whether the value that the instruction reads depends on a register written in an earlier iteration of the
/// loop. Returns false if each iteration computes the value from scratch, or if too many registers are involved.
bool isOfEarlierRound(LocalId local, uint32_t reader, BlockId header, const Body &body, Analyses &analyses);

/// Returns whether threads that execute the instruction do so in each iteration of the loop: its guard, and the
/// conditions before it, are the same in each iteration.
bool comesEachRound(uint32_t number, BlockId header, const Body &body, Analyses &analyses,
                    Sameness sameness = Sameness::OfRounds);

/// Returns the length of the ring of numbers from 0 on that the register runs through, or 0 if there is none.
int64_t lengthOfRing(LocalId index, const Body &body, Analyses &analyses);

} // namespace ptxray
