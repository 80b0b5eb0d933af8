#pragma once
// The numbers that registers hold, in all threads or in one of them:
//   mov.u32 %r1, %tid.x;          0 .. 127, with `.reqntid 128`; in the last thread 127
//   mul.wide.u32 %rd1, %r1, 16;   0 .. 2032 in steps of 16
//   mov.u64 %rd2, tile;           tile
//   add.s64 %rd3, %rd2, %rd1;     tile + 0 .. 2032 in steps of 16
//   mov.u32 %r2, 0;  ...  add.u32 %r2, %r2, 4;  setp.lt.u32 %p1, %r2, 64;  @%p1 bra loop;        0 .. 64 in steps of 4
// A register that several instructions write is any of what they give, or a counter, to which the same number is added
// again and again.
#include "Flow/Analyses.h"
#include "Flow/BlockShape.h"
#include "Flow/Numbers.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {

/// One thread of a block, in one round of a loop.
struct Thread {
  std::array<int64_t, 3> place{}; // %tid
  LocalId counter = LocalId::None;
  int64_t count = 0; // what the counter holds
};

/// A register that begins as one of some numbers, to which one instruction adds the same number again and again.
struct Counter {
  Numbers first;
  int64_t added = 0;
  uint32_t adds = ~0u; // the instruction
};

class Values {
public:
  /// `Analyses::values` has those of all threads.
  Values(const Body &body, Analyses &analyses) : body(body), analyses(analyses), shape(analyses.blockShape()) {}
  /// In one thread alone.
  Values(const Body &body, Analyses &analyses, const Thread &thread)
      : body(body), analyses(analyses), shape(analyses.blockShape()), thread(thread) {}

  /// From now on others may be after what the register holds, as they may be after a variable.
  void takeAsBase(LocalId local) { known[local] = {true, 0, 0, 0, local}; }
  Numbers of(LocalId local) { return of(local, 0); }
  /// Of an operand by its node, with its offset.
  Numbers at(uint32_t instruction, uint32_t node);
  std::optional<Counter> counterOf(LocalId local);
  /// What the counter holds where control comes to the instruction, before it is added to: from the first round to the
  /// last.
  struct Counts {
    uint32_t rounds = 0; // 0: nothing is known
    int64_t first = 0, last = 0;
    bool isWhole = false; // else there may be more rounds
  };
  Counts counts(LocalId counter, uint32_t instruction);

private:
  Numbers of(LocalId local, unsigned depth);
  Numbers ofOperand(const Operand &operand, LocalId local, unsigned depth);
  Numbers special(const Operand &operand, LocalId local) const;
  Numbers written(uint32_t instruction, unsigned depth);
  Numbers broadcast(uint32_t instruction, uint32_t laneNode, unsigned depth);
  Numbers ofSeveral(LocalId local, unsigned depth);
  std::optional<int64_t> addedTo(LocalId local, uint32_t writer);

  const Body &body;
  Analyses &analyses;
  const BlockShape &shape;
  const std::optional<Thread> thread;
  llvm::DenseMap<LocalId, Numbers> known;
  size_t visits = 0;
};

} // namespace ptxray
