#pragma once
// Determines which threads have the same value in a register, considering everything that it depends on: its source
// registers, guards and memory.
//|  mov.u32 %r1, %tid.x;          differs: the number of the thread
//|  ld.shared.u32 %r2, [%r9];     may differ: memory can change
//|  ld.param.u32 %r3, [n];        the same for all threads of the grid
//|  mov.u32 %r4, %ctaid.x;        the same for all threads of a block
#include "Flow/Backward.h"
#include "Isa/Tables.h"

namespace ptxray {

class Analyses;

struct Shared {
  bool isUnset = true;           // set for members of a loop that is currently analysed
  bool isOfThread = false;       // depends on the number of a thread or warp, or on an election, through arithmetic
  bool isOfThreadAnyhow = false; // also considers guards, and addresses of loads
  bool mayBeOfThread = false;    // also considers memory and parameters of functions
  isa::Scope scope = isa::Scope::Lane; // all threads in this scope have the same value, because all its sources do
  LocalId counter = LocalId::None;     // the only loop counter that it depends on
  bool areCounters = false;            // depends on several counters
  bool operator==(const Shared &) const = default;

  bool dependsOn(LocalId one) const { return one != LocalId::None && (areCounters || counter == one); }
};

class Sharing : public Backward<Sharing, Shared> {
public:
  Sharing(const Body &body, Analyses &analyses) : Backward(body), body(body), analyses(analyses) {}
  const Shared &of(LocalId local) { return valueOf(local); }
  bool isSameIn(isa::Scope scope, LocalId local) { return valueOf(local).scope >= scope; }

private:
  friend Backward;
  static bool isLeaf(LocalId) { return false; }
  bool addSources(LocalId local, llvm::SmallVectorImpl<LocalId> &sources);
  static bool isUseless(const Shared &) { return false; }
  Shared transfer(LocalId local);
  Shared written(uint32_t number, LocalId local) const;
  static Shared join(const Shared &a, const Shared &b);
  static Shared widened(const Shared &shared) { return shared; }
  static Shared unknown(LocalId) { return {false, true, true, true, isa::Scope::Lane, LocalId::None, true}; }

  const Body &body;
  Analyses &analyses;
};

} // namespace ptxray
