#pragma once
// This analysis finds which values are the same in all lanes of a warp, and which blocks all lanes come to together:
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
#include "Flow/Backward.h"
#include "Flow/LaneValues.h"
#include "Flow/Steps.h"

namespace ptxray {

/// Finds the values that registers hold in the lanes of a warp.
class WarpLanes : public Backward<WarpLanes, LaneValue> {
public:
  enum Kind : uint8_t {
    Certain, // numbers, `Lanes` and `Splits`, wherever control goes; all else is unknown
    Likely,  // `Same`, too, by the branches that decide who comes to where a register is written
    Distant, // and `Spread`
  };
  /// `deciders`: by block, those whose ends decide who comes to it; null: there are too many.
  /// `shape`: of the block; it is kept.
  WarpLanes(const Body &body, Analyses &analyses, const BlockShape &shape, Kind kind, const Adjacency *deciders);

  const LaneValue &of(LocalId local) { return valueOf(local); }
  const LanePattern &patternOf(const LaneValue &value) const { return arithmetic.patternOf(value); }
  /// Returns the value that decides how control leaves a block; Same, if there is nothing to decide.
  LaneValue decision(BlockId block);
  /// The lanes of a warp may come to the block one without the other. Not of `Certain`.
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

  /// Blocks are nodes, too, after the registers.
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
  /// `places` are instructions that are asked about.
  Uniformity(const Body &body, Analyses &analyses, llvm::ArrayRef<uint32_t> places);

  /// The lanes of a warp certainly have other values of it.
  bool differs(LocalId local) { return certain.of(local).differs(); }
  /// All lanes have the same value of it, if they come to the function together.
  bool isSame(LocalId local) { return likely().of(local).kind == LaneValue::Same; }
  /// All lanes of a warp come to the block together, if they come to the function so.
  bool isWhole(BlockId block) { return !likely().varies(block); }
  /// Returns the values again, in blocks of this shape, and the distances between lanes where no more is known.
  WarpLanes distances(const BlockShape &shape) { return {body, analyses, shape, WarpLanes::Distant, known()}; }
  /// Returns a block whose end certainly keeps some lanes of a warp from this one; None: it is not certain that there
  /// is one.
  BlockId splitBefore(BlockId block) const { return splitter[indexOf(block)]; }
  /// The lanes that a block parts come together again before the end.
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
  Adjacency deciders;         // by block
  bool isBeyond = false;      // there are too many of those
  WarpLanes certain;
  std::optional<WarpLanes> perhaps;
  std::vector<BlockId> splitter; // by block
};

} // namespace ptxray
