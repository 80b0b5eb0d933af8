#pragma once
// The facts of an accepted instruction describe its effects: its uses of operands and memory, and the facts that its
// form states. They depend on the same data as the verdict, so they are computed together with it, once for each shape.
#include "Isa/FactNames.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <string>

namespace ptxray {

struct FormView;
struct Operand;
struct Shape;

enum Use : uint8_t {
  Reads = 1,                 // reads a register
  Writes = 2,                // writes a register, or with Names a variable that a call returns
  Addresses = 4,             // uses a register as an address
  Targets = 8,               // uses a label, or the name of a list of labels
  Calls = 16,                // calls a function
  Names = 32,                // names a variable, or a function whose address is taken
  Passes = 128,              // with Reads: passes the value on unchanged, so that it may be undefined
  Updates = Writes | Passes, // writes a register, and reads its old value unless a predicate shows otherwise
};

struct NodeUse {
  uint16_t node; // index among the instruction's operand nodes
  uint8_t uses;
  bool operator==(const NodeUse &) const = default;
};

/// Memory to which an address points, or that a descriptor describes.
struct Access {
  uint16_t node;
  isa::Access kind;
  bool isGeneric;           // a generic address, even if the space is known
  bool isLeast = false;     // `bytes` is a minimum, because a register determines the number
  bool isVariable;          // the address names a variable, with or without an offset
  bool isDescribed = false; // a descriptor determines the address, which is therefore unknown
  isa::WordId space;        // 0 if unknown
  uint16_t align = 0;       // required alignment
  uint32_t bytes = 0;       // 0 if unknown
  uint32_t taken = 0; // number of loaded bytes that are used: fewer than `bytes` if the last elements of a vector are
                      // discarded: `{a, b, c, _}`

  bool reads() const { return kind == isa::Access::Reads || kind == isa::Access::Updates; }
  bool writes() const { return kind == isa::Access::Writes || kind == isa::Access::Updates; }
  /// Returns whether the text alone determines the bytes of a variable.
  bool isOfVariable() const { return isVariable && bytes; }
  bool operator==(const Access &) const = default;
};

using isa::FactKind;

/// A fact that holds. Operands of the form are replaced by nodes of the instruction, or by -1.
struct Action {
  FactKind kind;
  uint8_t detail; // depends on the kind: isa::End, Scope, Proxy, Ordered, Operation
  uint8_t other;
  bool isReads;
  uint16_t groups; // one bit for each of isa::Tables::groups
  isa::WordId space;
  int16_t node, amount, which, condition;
  int16_t number;

  isa::Scope scope() const { return static_cast<isa::Scope>(detail); }
  isa::Proxy proxy() const { return static_cast<isa::Proxy>(detail); }
  bool operator==(const Action &) const = default;
};

/// A computation by an integer function. The first operand is the result, the others are the sources.
struct Computation {
  bool isKnown = false;
  isa::Operation operation = isa::Operation::Mov;
  isa::TypeKind resultKind = isa::TypeKind::None, sourceKind = isa::TypeKind::None;
  uint8_t resultBits = 0, sourceBits = 0; // 1 for predicates; for .b128, more than any known value has
  isa::WordId comparison = 0;             // comparison of a Setp
  bool operator==(const Computation &) const = default;
};

/// The allowed values for an operand, which are checked if it is a register.
struct OperandRange {
  uint16_t node;
  uint32_t firstRange, ranges; // range of isa::Tables::ranges
  bool contains(int64_t number) const;
  std::string text() const;
  bool operator==(const OperandRange &) const = default;
};

using FactKinds = uint64_t; // one bit for each kind of fact
static_assert(isa::factNames.size() <= 64, "FactKinds has a bit for each kind");
constexpr FactKinds bitOf(isa::FactKind kind) { return FactKinds(1) << static_cast<unsigned>(kind); }

/// The rules about bodies for which an instruction is relevant.
enum Noted : uint8_t {
  NotedAccess = 1, // accesses memory
  NotedJoint = 2,  // executed by the lanes of a warp, or by several warps, together
  NotedNumber = 4, // some values of its registers are invalid
  NotedOther = 8,  // has effects other than on registers and the memory they point to
};

struct Facts {
  bool known = false; // false if the instruction was rejected, so that it may have any effect
  bool hasResult = false;
  uint8_t noted = 0;             // mask of Noted
  bool hasAddress32 = false;     // contains or produces a 32-bit generic address
  bool convertsConstant = false; // converts between generic addresses and addresses in `.const`
  uint8_t ctas = 0;              // the number of blocks whose tensor memory it requires
  uint16_t occupied = 0;         // registers per thread that it needs at the same time; 0 for a small number
  uint16_t bounded = 0;          // minimum register limit that directives must leave; 0 for none
  uint32_t products = 0;         // products of two matrix elements, by all threads that execute it together
  uint8_t uses = 0;              // the union of the uses of all nodes
  FactKinds kinds = 0;           // contains `bitOf` for each fact that holds; the masks of a body can be combined
  Computation computation;
  llvm::SmallVector<NodeUse, 4> nodes;
  llvm::SmallVector<Access, 1> accesses;
  llvm::SmallVector<Action, 0> actions;
  llvm::SmallVector<OperandRange, 0> ranges;

  bool operator==(const Facts &) const = default;
  bool has(isa::FactKind kind) const { return kinds & bitOf(kind); }
  /// Returns the first action of a kind for which `holds` is true, or null.
  template <typename Holds> const Action *find(isa::FactKind kind, Holds holds) const {
    const auto *found =
        has(kind) ? llvm::find_if(actions, [&](const Action &a) { return a.kind == kind && holds(a); }) : actions.end();
    return found == actions.end() ? nullptr : found;
  }
  const Action *find(isa::FactKind kind) const {
    return find(kind, [](const Action &) { return true; });
  }
  /// Returns whether execution never continues after the instruction, unless it is guarded.
  bool endsControl() const { return has(isa::FactKind::Ends) || has(isa::FactKind::Branches); }
};

/// The uses of names in an instruction that only reads and writes registers.
struct PlainUses {
  bool known = false;
  uint8_t noted = 0; // see Facts
  std::array<uint8_t, 6> uses{};
};
PlainUses plainUses(const Facts &facts, llvm::ArrayRef<Operand> nodes);

/// Returns the facts of an accepted instruction.
Facts factsOf(const FormView &view);
Facts factsOfRefused(llvm::ArrayRef<Shape> shapes);

} // namespace ptxray
