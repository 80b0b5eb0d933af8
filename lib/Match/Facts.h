#pragma once
// The facts of an accepted instruction say what it does: its uses of operands and memory, and the facts that its form
// states. Facts depend on the same things as the verdict, so they are found together with it, once for each shape.
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
  Reads = 1,                 // a register
  Writes = 2,                // a register, or beside Names a variable that a call returns
  Addresses = 4,             // a register that is an address
  Targets = 8,               // a label, or the name of a list of them
  Calls = 16,                // a function
  Names = 32,                // a variable, or a function whose address is taken
  Passes = 128,              // beside Reads: the value is passed on unchanged, and need not be defined
  Updates = Writes | Passes, // a register that is written, and read before unless a predicate says otherwise
};

struct NodeUse {
  uint16_t node; // of the instruction's operands
  uint8_t uses;
  bool operator==(const NodeUse &) const = default;
};

/// Memory that an address leads to, or that a descriptor describes.
struct Access {
  uint16_t node;
  isa::Access kind;
  bool isGeneric;           // a generic address, whatever is known of the space
  bool isLeast = false;     // `bytes` may be more: a register says how many
  bool isVariable;          // the address names a variable, with an offset or without
  bool isDescribed = false; // a descriptor says where it lies, which is not to be seen
  isa::WordId space;        // 0: not known
  uint16_t align = 0;       // the alignment that it needs
  uint32_t bytes = 0;       // 0: not known
  uint32_t taken = 0;       // fewer, where the last elements of a loaded vector go nowhere: `{a, b, c, _}`

  bool reads() const { return kind == isa::Access::Reads || kind == isa::Access::Updates; }
  bool writes() const { return kind == isa::Access::Writes || kind == isa::Access::Updates; }
  /// Returns whether the text alone shows which bytes of a variable these are.
  bool isOfVariable() const { return isVariable && bytes; }
  bool operator==(const Access &) const = default;
};

using isa::FactKind;

/// A fact that holds. Operands of the form have become nodes of the instruction; -1 stands for none.
struct Action {
  FactKind kind;
  uint8_t detail; // by kind: isa::End, Scope, Proxy, Ordered, Operation
  uint8_t other;
  bool isReads;
  uint16_t groups; // a bit for each of isa::Tables::groups
  isa::WordId space;
  int16_t node, amount, which, condition;
  int16_t number;

  isa::Scope scope() const { return static_cast<isa::Scope>(detail); }
  isa::Proxy proxy() const { return static_cast<isa::Proxy>(detail); }
  bool operator==(const Action &) const = default;
};

/// An integer function: the first operand is the result, the others are the sources.
struct Computation {
  bool isKnown = false;
  isa::Operation operation = isa::Operation::Mov;
  isa::TypeKind resultKind = isa::TypeKind::None, sourceKind = isa::TypeKind::None;
  uint8_t resultBits = 0, sourceBits = 0; // of predicates 1; of .b128 more than are ever known
  isa::WordId comparison = 0;             // of Setp
  bool operator==(const Computation &) const = default;
};

/// The values that are allowed for an operand, if a register is given.
struct OperandRange {
  uint16_t node;
  uint32_t firstRange, ranges; // of isa::Tables::ranges
  bool contains(int64_t number) const;
  std::string text() const;
  bool operator==(const OperandRange &) const = default;
};

using FactKinds = uint64_t; // a bit for each kind of fact
static_assert(isa::factNames.size() <= 64, "FactKinds has a bit for each kind");
constexpr FactKinds bitOf(isa::FactKind kind) { return FactKinds(1) << static_cast<unsigned>(kind); }

/// Says which rules about a body look at an instruction.
enum Noted : uint8_t {
  NotedAccess = 1, // it accesses memory
  NotedJoint = 2,  // the lanes of a warp, or several warps, execute it together
  NotedNumber = 4, // only some of the numbers that a register may hold make sense there
  NotedOther = 8,  // it does more than read and write registers and memory behind them
};

struct Facts {
  bool known = false; // false: the instruction is refused, so it may do anything
  bool hasResult = false;
  uint8_t noted = 0;             // of enum Noted
  bool hasAddress32 = false;     // it holds or makes a generic address of 32 bits
  bool convertsConstant = false; // between generic addresses and those in `.const`
  uint8_t ctas = 0;              // the blocks of a group whose tensor memory it asks for
  uint16_t occupied = 0;         // registers of a thread that it needs at the same time; 0: a few
  uint16_t bounded = 0;          // fewer registers no directive may leave it; 0: whatever
  uint32_t products = 0;         // of two elements of matrices, made by all threads that execute it together
  uint8_t uses = 0;              // of all nodes
  FactKinds kinds = 0;           // `bitOf` each fact that holds; those of a body can be joined
  Computation computation;
  llvm::SmallVector<NodeUse, 4> nodes;
  llvm::SmallVector<Access, 1> accesses;
  llvm::SmallVector<Action, 0> actions;
  llvm::SmallVector<OperandRange, 0> ranges;

  bool operator==(const Facts &) const = default;
  bool has(isa::FactKind kind) const { return kinds & bitOf(kind); }
  /// Returns the first action of a kind of which something holds; null: there is none.
  template <typename Holds> const Action *find(isa::FactKind kind, Holds holds) const {
    const auto *found =
        has(kind) ? llvm::find_if(actions, [&](const Action &a) { return a.kind == kind && holds(a); }) : actions.end();
    return found == actions.end() ? nullptr : found;
  }
  const Action *find(isa::FactKind kind) const {
    return find(kind, [](const Action &) { return true; });
  }
  /// Returns whether control never continues after the instruction, unless it is guarded.
  bool endsControl() const { return has(isa::FactKind::Ends) || has(isa::FactKind::Branches); }
};

/// The uses of an instruction's names one by one, if all it does is read and write a few registers.
struct PlainUses {
  bool known = false;
  uint8_t noted = 0; // as in Facts
  std::array<uint8_t, 6> uses{};
};
PlainUses plainUses(const Facts &facts, llvm::ArrayRef<Operand> nodes);

/// Returns the facts of an accepted instruction.
Facts factsOf(const FormView &view);
Facts factsOfRefused(llvm::ArrayRef<Shape> shapes);

} // namespace ptxray
