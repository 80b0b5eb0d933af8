#pragma once
// Determines which values are the same in all lanes of a warp, and which blocks all lanes execute together:
//|  mov.u32 %r1, %tid.x;          %r1  Lanes 0 .. 31, 32 more in the next warp
//|  shr.u32 %r2, %r1, 5;          %r2  Same, where warps are rows of %tid.x (`.reqntid`)
//|  and.b32 %r3, %r1, 31;         %r3  Lanes 0 .. 31
//|  setp.lt.u32 %p1, %r3, 16;     %p1  Lanes 1 .. 1, 0 .. 0
//|  setp.lt.u32 %p2, %r1, 64;     %p2  Same
//|  setp.lt.u32 %p3, %r1, 48;     %p3  Splits
//|  elect.sync _|%p4, -1;         %p4  Splits
//|  ld.param.u32 %r4, [n];        %r4  Same, in a kernel
//|  setp.lt.u32 %p5, %r1, %r4;    %p5  Unknown
// If a branch may diverge, the blocks up to its reconvergence point vary. A register that is written in a varying block
// may then have different values in the lanes.
#include "Flow/Analyses.h"
#include "Flow/Backward.h"
#include "Flow/LaneValues.h"
#include "Flow/Steps.h"

namespace ptxray {

/// Determines the values of registers in the lanes of a warp.
class WarpLanes : public Backward<WarpLanes, LaneValue> {
public:
  enum Kind : uint8_t {
    Certain, // only `Lanes` and `Splits`, regardless of control flow; everything else is unknown
    Likely,  // also `Same`, considering the branches that lead to the instructions that write a register
    Distant, // also `Spread`
  };
  /// Constructs the analysis and keeps a copy of `shape`. `deciders` lists, for each block, the blocks whose branches
  /// decide whether it is reached; null if there are too many.
  WarpLanes(const Body &body, Analyses &analyses, const BlockShape &shape, Kind kind, const Adjacency *deciders);

  const LaneValue &of(LocalId local) { return valueOf(local); }
  const LanePattern &patternOf(const LaneValue &value) const { return arithmetic.patternOf(value); }
  /// Returns the value that determines the branch at the end of a block, or Same if there is no choice.
  LaneValue decision(BlockId block);
  /// Returns whether lanes of a warp may reach the block separately. Must not be called for `Certain`.
  bool varies(BlockId block) { return !deciders || differ(valueOf(nodeOf(block))); }

private:
  friend Backward;
  bool isLeaf(LocalId node) const;
  bool addSources(LocalId node, llvm::SmallVectorImpl<LocalId> &sources);
  static bool isUseless(const LaneValue &value) { return value.kind == LaneValue::Unknown; }
  LaneValue transfer(LocalId node);
  LaneValue join(const LaneValue &a, const LaneValue &b) { return arithmetic.join(a, b); }
  static LaneValue widened(const LaneValue &value) { return value; }
  static LaneValue unknown(LocalId) { return LaneValue::of(LaneValue::Unknown); }

  /// Returns the node of a block. Nodes of blocks follow those of registers.
  LocalId nodeOf(BlockId block) const { return LocalId(static_cast<uint32_t>(body.locals.size()) + indexOf(block)); }
  bool isBlock(LocalId node) const { return static_cast<uint32_t>(node) >= body.locals.size(); }
  static bool differ(const LaneValue &value) { return value.kind != LaneValue::Same; }
  void addDecision(BlockId block, llvm::SmallVectorImpl<LocalId> &sources) const;
  LaneValue written(uint32_t number, LocalId local);
  LaneValue resultAt(uint32_t number, LocalId local, const LaneValue &whole) const;
  LaneValue wholeResult(uint32_t number);
  bool areApart(const Step &step);
  LaneValue ofThread(const Source &source);
  LaneValue special(const Source &source);
  LaneValue operand(const Source &source);

  const Body &body;
  Analyses &analyses;
  const Graph &graph;
  const BlockShape &shape;
  const Kind kind;
  LaneArithmetic arithmetic;
  const Adjacency *const deciders;
};

class Uniformity {
public:
  /// Prepares queries about the instructions in `places`.
  Uniformity(const Body &body, Analyses &analyses, llvm::ArrayRef<uint32_t> places);

  /// Returns whether the lanes of a warp certainly have different values in `local`.
  bool differs(LocalId local) { return certain.of(local).differs(); }
  /// Returns whether all lanes have the same value in `local`, assuming that they enter the function together.
  bool isSame(LocalId local) { return likely().of(local).kind == LaneValue::Same; }
  /// Returns whether all lanes of a warp reach the block together, assuming that they enter the function together.
  bool isWhole(BlockId block) { return !likely().varies(block); }
  /// Returns the values for blocks of this shape, including distances between lanes whose values are unknown.
  WarpLanes distances(const BlockShape &shape) { return {body, analyses, shape, WarpLanes::Distant, known()}; }
  /// Returns a block whose branch certainly prevents some lanes of a warp from reaching `block`; None if there is no
  /// such branch.
  BlockId splitBefore(BlockId block) const { return splitter[indexOf(block)]; }
  /// Returns whether lanes that diverge at the end of the block reconverge before the function ends.
  bool meetsAgain(BlockId block) const { return after.parent[indexOf(block)] != BlockId(graph.size()); }

private:
  WarpLanes &likely() {
    return perhaps ? *perhaps : perhaps.emplace(body, analyses, analyses.blockShape(), WarpLanes::Likely, known());
  }
  const Adjacency *known() const { return isBeyond ? nullptr : &deciders; }
  void findDeciders();
  FoundBlocks decidingFor(llvm::ArrayRef<uint32_t> places) const;
  void findSplits(const FoundBlocks &deciding);

  const Body &body;
  Analyses &analyses;
  const Graph &graph;
  const DominatorTree &after; // post-dominators
  Adjacency deciders;         // indexed by block
  bool isBeyond = false;      // there are too many deciders
  WarpLanes certain;
  std::optional<WarpLanes> perhaps;
  std::vector<BlockId> splitter; // indexed by block
};

} // namespace ptxray
