#pragma once
// Which values are the same in all lanes of a warp, and which blocks all lanes come to together. What is known of a
// register is a LaneValue. Only what decides where control goes is followed, backwards from there:
//   mov.u32 %r1, %tid.x;          %r1  Lanes 0 .. 31, 32 more in the next warp
//   shr.u32 %r2, %r1, 5;          %r2  Same, where warps are rows of %tid.x (`.reqntid`)
//   and.b32 %r3, %r1, 31;         %r3  Lanes 0 .. 31
//   setp.lt.u32 %p1, %r3, 16;     %p1  Lanes 1 .. 1, 0 .. 0
//   setp.lt.u32 %p2, %r1, 64;     %p2  Same
//   setp.lt.u32 %p3, %r1, 48;     %p3  Splits
//   elect.sync _|%p4, -1;         %p4  Splits
//   ld.param.u32 %r4, [n];        %r4  Same, in a kernel
//   setp.lt.u32 %p5, %r1, %r4;    %p5  Unknown
// If a branch may part a warp, the blocks up to the one where all ways meet again vary: a register that is written
// there, or in several places of which one varies, may be another in each lane afterwards.
#include "Flow/Analyses.h"
#include "Flow/LaneValues.h"
#include "Flow/Steps.h"

namespace ptxray {

class Uniformity {
public:
  /// `places` are instructions that are asked about.
  Uniformity(const Body &body, Analyses &analyses, llvm::ArrayRef<uint32_t> places);

  /// Only of their guards, and of what decides who comes to them.
  const LaneValue &of(LocalId local) const { return values[static_cast<uint32_t>(local)]; }
  /// All lanes of a warp come to the block together, if they come to the function so.
  bool isWhole(BlockId block) const { return !varies[indexOf(block)]; }
  /// A block whose end certainly keeps some lanes of a warp from this one; None: it is not certain that there is one.
  BlockId splitBefore(BlockId block) const { return splitter[indexOf(block)]; }
  /// The lanes that a block parts come together again before the end.
  bool meetsAgain(BlockId block) const { return after.parent[indexOf(block)] != BlockId(graph.size()); }

private:
  struct User {
    uint32_t instruction, next;
  };
  /// Blocks that are marked from the bottom of the tree of post-dominators up, each once.
  struct Marks {
    std::vector<BlockId> unmarked; // by block: the nearest above that may not be marked
    BlockId from(BlockId block);
  };

  void want(LocalId local);
  void addUses(uint32_t number);
  void findSlice(llvm::ArrayRef<uint32_t> places);
  void evaluate(uint32_t number);
  LaneValue resultAt(uint32_t number, uint32_t node, const LaneValue &whole) const;
  LaneValue wholeResult(uint32_t number);
  LaneValue valueOf(const Source &source);
  LaneValue special(const Source &source);
  void assign(LocalId local, LaneValue value, BlockId block, bool isGuarded);
  void wait(uint32_t number);
  LaneValue decision(BlockId block);
  template <typename Mark> void eachParted(BlockId block, Marks &marks, Mark mark);
  void part(BlockId block);
  void findSplits();

  const Body &body;
  const Graph &graph;
  const BlockShape &shape;
  LaneArithmetic arithmetic;
  const DominatorTree &after; // post-dominators
  Marks marks;
  std::vector<LaneValue> values; // by LocalId
  std::vector<bool> isWanted;    // by LocalId
  std::vector<LocalId> wanted;
  std::vector<uint32_t> firstUse; // by LocalId: into `users`; none: ~0u
  std::vector<User> users;
  std::vector<bool> isInSlice, isWaiting; // by instruction
  std::vector<uint32_t> slice, waiting;
  std::vector<std::vector<uint32_t>> sliceOf; // by block
  std::vector<bool> varies;                   // by block
  std::vector<BlockId> splitter;              // by block
};

} // namespace ptxray
