#pragma once
// A place is the memory that an address leads to, as far as the text shows: a variable or a register and a number added
// to it.
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
  LocalId base = LocalId::None; // None: nothing is known
  int64_t offset = 0;
  bool isVariable = false;      // the base
  LocalId root = LocalId::None; // the one variable that the base is made from
  bool isRemote = false;        // it is in another block of the cluster
  uint32_t bytes = 1;           // how many are accessed; 0: not known
  // The place of the base in the root: one of a few offsets, or an unknown number after one.
  llvm::SmallVector<int64_t, 2> slots;
  bool isRing = false;          // after the only slot
  int64_t stride = 0, span = 0; // a ring's distance of neighbours, and of its ends; 0: not known

  bool hasBaseOf(const MemoryPlace &other) const { return base != LocalId::None && base == other.base; }
};

/// The text shows that they are the same bytes, or some of them are.
bool isSame(const MemoryPlace &a, const MemoryPlace &b);
/// It shows that they are not.
bool isElsewhere(const MemoryPlace &a, const MemoryPlace &b);

/// They begin at the same offset, which may be that of a ring.
bool beginTogether(const MemoryPlace &a, const MemoryPlace &b);

class Places {
public:
  Places(const Body &body, Analyses &analyses)
      : body(body), analyses(analyses), addresses(analyses.addresses()), values(analyses.values()) {}

  /// Returns the place of an operand's name, by its node, or of the name in the brackets that the node is.
  MemoryPlace at(uint32_t number, uint32_t node, uint32_t bytes = 1);
  /// Returns the place to which a register, a variable or a sum with one leads.
  MemoryPlace of(const Source &source, uint32_t bytes = 8);
  /// Returns the number that an operand is, or that its register holds all along.
  std::optional<int64_t> numberAt(uint32_t number, int node) { return values.numberAt(number, node); }
  /// All threads of the scope have the same value: it comes from parameters and numbers of the scope alone.
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

/// Returns the name that an operand is, by its node; None: it is something else.
LocalId nameAt(const Body &body, uint32_t number, int node);

/// Some condition on the number of the thread decides whether a is reached, and not whether b is.
bool isChosen(BlockId a, BlockId b, Analyses &analyses);
/// Different threads come to the one block and to the other, as far as conditions say that depend on their number.
bool areOtherThreads(BlockId a, BlockId b, Analyses &analyses);

bool isShared(isa::WordId space);

} // namespace ptxray
