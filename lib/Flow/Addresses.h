#pragma once
// The origins of addresses: a register or a variable and a number added to it, the variable in which they are, and
// their state space.
//   mov.u32 %r1, tile;              tile, in .shared
//   add.s32 %r2, %r1, 16;           tile + 16
//   add.s32 %r3, %r2, %r9;          %r3, somewhere in tile
//   cvta.to.global.u64 %rd2, %rd1;  %rd1, in .global
//   add.s64 %rd5, %rd2, 8;          %rd1 + 8, in .global
#include "Flow/Analyses.h"
#include "Flow/Backward.h"
#include "Flow/Steps.h"

namespace ptxray {

/// Says what an address is for: a space, or all of them.
struct AddressOrigin {
  enum Kind : uint8_t { Unknown, OfSpace, Generic };
  Kind kind = Unknown;
  isa::WordId space = 0;
  uint32_t made = ~0u; // the instruction that says so
  bool operator==(const AddressOrigin &) const = default;
};

/// The variables that a value is made from by arithmetic that leaves an address in its variable.
struct Root {
  LocalId variable = LocalId::None; // if it is one
  bool areSeveral = false;
  bool isRemote = false; // it is in another block of the cluster
  bool operator==(const Root &) const = default;
};

/// A register or a variable, and what is added to it.
struct Anchor {
  LocalId local = LocalId::None;
  int64_t offset = 0;
  bool isVariable = false;
  bool isSettled = true; // each instruction on the way comes after what it reads, and no address is cut
  bool operator==(const Anchor &) const = default;
};

struct Address {
  bool isUnset = true; // nothing is known yet
  AddressOrigin origin;
  Root root;
  Anchor anchor; // without a name it is a sum with nothing else
  bool operator==(const Address &) const = default;
};

class AddressOrigins : public Backward<AddressOrigins, Address> {
public:
  AddressOrigins(const Body &body, Analyses &analyses)
      : Backward(body), body(body), analyses(analyses), definitions(body.definitions) {}

  const Address &of(LocalId local) { return valueOf(local); }
  /// Returns the register or variable that a register's value is a sum with, where an instruction reads it.
  Anchor anchorAt(LocalId local, uint32_t instruction);

private:
  friend Backward;
  using Inputs = std::array<const Address *, Step::mostSources>;

  bool isLeaf(LocalId local) const;
  bool addSources(LocalId local, llvm::SmallVectorImpl<LocalId> &sources);
  static bool isUseless(const Address &) { return false; }
  Address transfer(LocalId local);
  static Address join(const Address &a, const Address &b);
  static Address widened(const Address &address) { return address; }
  static Address unknown(LocalId local);

  Address written(uint32_t number, LocalId local);
  AddressOrigin originOf(const Step &step, const Inputs &inputs, uint32_t number) const;
  static Root rootOf(const Step &step, const Inputs &inputs);
  Anchor anchorOf(const Step &step, const Inputs &inputs, uint32_t number);

  const Body &body;
  Analyses &analyses;
  const Definitions &definitions;
};

} // namespace ptxray
