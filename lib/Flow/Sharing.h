#pragma once
// This analysis finds which threads hold the same in a register, by all that decides it: the registers that it is made
// from, guards, memory.
//   mov.u32 %r1, %tid.x;          the number of the thread tells them apart
//   ld.shared.u32 %r2, [%r9];     memory may hold something else for each, at one time or another
//   ld.param.u32 %r3, [n];        all threads of the grid have the same
//   mov.u32 %r4, %ctaid.x;        all threads of a block have the same
#include "Flow/Backward.h"
#include "Isa/Tables.h"

namespace ptxray {

class Analyses;

struct Shared {
  bool isUnset = true;                 // true in a loop that is being computed
  bool isOfThread = false;             // arithmetic on the number of a thread or warp, or an election
  bool isOfThreadAnyhow = false;       // also by way of guards, and of addresses of what is loaded
  bool mayBeOfThread = false;          // also by way of memory and of what a function was given
  isa::Scope scope = isa::Scope::Lane; // all threads of it have the same, as arithmetic on their parameters shows
  LocalId counter = LocalId::None;     // the only counter of a loop that decides it
  bool areCounters = false;            // there are several
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
