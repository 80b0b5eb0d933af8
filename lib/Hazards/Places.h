#pragma once
// A place is the memory to which an address points, as far as the source shows: a variable or a register, plus an
// offset.
//   mov.u32 %r1, tiles;           tiles
//   add.s32 %r2, %r1, 16;         tiles + 16
//   mad.lo.s32 %r3, %r9, 8, %r2;  %r3, somewhere in tiles
//   ld.shared.u32 %r4, [%r1];     %r4
#include "Flow/Addresses.h"
#include "Flow/Sharing.h"
#include "Flow/Values.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {

struct MemoryPlace {
  LocalId base = LocalId::None; // None if the base is unknown
  int64_t offset = 0;
  bool isVariable = false;      // the base is a variable
  LocalId root = LocalId::None; // the only variable from which the base is computed
  bool isRemote = false;        // the place is in another block of the cluster
  uint32_t bytes = 1;           // number of accessed bytes; 0 if unknown
  // Offsets of the base in the root: a few possible ones, or a first one followed by an unknown number of steps.
  llvm::SmallVector<int64_t, 2> slots;
  bool isRing = false;          // the base runs through a ring, which starts at its only slot
  int64_t stride = 0, span = 0; // for a ring: the distance between neighbours and between its ends; 0 if unknown

  bool hasBaseOf(const MemoryPlace &other) const { return base != LocalId::None && base == other.base; }
};

/// Returns whether the two places certainly overlap.
bool isSame(const MemoryPlace &a, const MemoryPlace &b);
/// Returns whether the two places certainly do not overlap.
bool isElsewhere(const MemoryPlace &a, const MemoryPlace &b);

/// Returns whether the two places start at the same offset, which may be that of a ring.
bool beginTogether(const MemoryPlace &a, const MemoryPlace &b);

class Places {
public:
  Places(const Body &body, Analyses &analyses)
      : body(body), analyses(analyses), addresses(analyses.addresses()), values(analyses.values()) {}

  /// Returns the place of an operand, or of the name in the brackets of the operand, from its node.
  MemoryPlace at(uint32_t number, uint32_t node, uint32_t bytes = 1);
  /// Returns the place to which a register, a variable, or a sum with one of these points.
  MemoryPlace of(const Source &source, uint32_t bytes = 8);
  /// Returns the value of an operand, if it is a number or a register with a single value.
  std::optional<int64_t> numberAt(uint32_t number, int node) { return values.numberAt(number, node); }
  /// Returns whether all threads of the scope have the same value, because it is computed only from parameters and from
  /// numbers of the scope.
  bool isSameIn(isa::Scope scope, LocalId local) { return analyses.sharing().isSameIn(scope, local); }

private:
  MemoryPlace follow(LocalId local);
  void findSlots(MemoryPlace &place);

  const Body &body;
  Analyses &analyses;
  AddressOrigins &addresses;
  Values &values;
  llvm::DenseMap<LocalId, MemoryPlace> known;
};

/// Returns the name in an operand, from its node; None for other operands.
LocalId nameAt(const Body &body, uint32_t number, int node);

/// Returns whether a condition on the thread number decides whether `a` is reached, but does not decide whether `b` is
/// reached.
bool isChosen(BlockId a, BlockId b, Analyses &analyses);
/// Returns whether different threads reach the two blocks, according to conditions on the thread number.
bool areOtherThreads(BlockId a, BlockId b, Analyses &analyses);

bool isShared(isa::WordId space);

} // namespace ptxray
