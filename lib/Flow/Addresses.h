#pragma once
// Determines the origin of addresses: a register or a variable plus an offset, the variable that contains the address,
// and its state space.
//|  mov.u32 %r1, tile;              tile, in .shared
//|  add.s32 %r2, %r1, 16;           tile + 16
//|  add.s32 %r3, %r2, %r9;          %r3, somewhere in tile
//|  cvta.to.global.u64 %rd2, %rd1;  %rd1, in .global
//|  add.s64 %rd5, %rd2, 8;          %rd1 + 8, in .global
#include "Flow/Analyses.h"
#include "Flow/Backward.h"
#include "Flow/Steps.h"

namespace ptxray {

/// The state space in which an address is valid, or Generic.
struct AddressOrigin {
  enum Kind : uint8_t { Unknown, OfSpace, Generic };
  Kind kind = Unknown;
  isa::WordId space = 0;
  uint32_t made = ~0u; // the instruction that determines the state space
  bool operator==(const AddressOrigin &) const = default;
};

/// The variable from which an address is computed, by arithmetic that does not leave the variable.
struct Root {
  LocalId variable = LocalId::None; // None if there is no variable, or if there are several
  bool areSeveral = false;
  bool isRemote = false; // in the shared memory of another block of the cluster
  bool operator==(const Root &) const = default;
};

/// A register or a variable, plus an offset.
struct Anchor {
  LocalId local = LocalId::None;
  int64_t offset = 0;
  bool isVariable = false;
  bool isSettled =
      true; // each instruction executes after the instructions that write its sources, and no address is truncated
  bool operator==(const Anchor &) const = default;
};

struct Address {
  bool isUnset = true; // not computed yet
  AddressOrigin origin;
  Root root;
  Anchor anchor; // None if the address is not such a sum
  bool operator==(const Address &) const = default;
};

class AddressOrigins : public Backward<AddressOrigins, Address> {
public:
  AddressOrigins(const Body &body, Analyses &analyses)
      : Backward(body), body(body), analyses(analyses), definitions(body.definitions) {}

  const Address &of(LocalId local) { return valueOf(local); }
  /// Returns the register or variable plus offset that equals a register's value where `instruction` reads it.
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
