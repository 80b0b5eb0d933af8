#pragma once
// Some addresses come round again in a loop: one that stays the same, and one that runs through the slots of a ring.
//   add.s32 %r2, %r1, 1;  setp.eq.s32 %p1, %r2, 4;  selp.b32 %r1, 0, %r2, %p1;      0, 1, 2, 3, 0 ...
#include "Flow/Analyses.h"

namespace ptxray {

/// What the digits of a counter are in a loop: `and.b32 %r2, %r1, 3`.
enum class Masks : uint8_t {
  Unknown,    // perhaps there are fewer rounds than slots
  OfCounters, // a ring
};

/// Returns whether the register holds the same in each round of the loop, or the numbers of a ring in turn. A value of
/// one round then comes again in a later one, if there are enough of them.
bool comesAgain(LocalId local, BlockId header, const Body &body, Analyses &analyses, Masks masks = Masks::Unknown);

/// Returns whether the loop compares a counter with a number, so that it may have few rounds.
bool isBoundedByNumber(BlockId header, const Body &body, Analyses &analyses);

/// The condition on a register that is the same in each round.
enum class Sameness : uint8_t {
  OfRounds,
  OfRoundsAndThreads, // threads that enter the loop from different places read the same value, too
  UpToBound,          // rounds count as long as a counter is below a bound that the text does not know
};

/// Returns whether the instruction reads the same value from the register in each round of the loop. A flag of the
/// first round differs, and so does a counter.
bool isSameEachRound(LocalId local, uint32_t reader, BlockId header, const Body &body, Analyses &analyses,
                     Sameness sameness = Sameness::OfRounds);

/// Returns whether the value that the instruction reads depends on a register that an earlier round of the loop has
/// written. Returns false if each round computes the value from scratch, or if too many registers take part.
bool isOfEarlierRound(LocalId local, uint32_t reader, BlockId header, const Body &body, Analyses &analyses);

/// Threads that execute the instruction do so in each round of the loop: its guard and the conditions on the way, on
/// the number of the thread among others, are the same in each.
bool comesEachRound(uint32_t number, BlockId header, const Body &body, Analyses &analyses,
                    Sameness sameness = Sameness::OfRounds);

/// Counts the numbers of the ring of which the register holds one, from 0 on. Returns 0 if there is not a ring.
int64_t lengthOfRing(LocalId index, const Body &body, Analyses &analyses);

} // namespace ptxray
