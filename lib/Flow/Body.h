#pragma once
// The body of one function, parsed and checked, with everything that rules, graphs and editors need. `check` fills one
// object for each function in turn. Callers that keep a body must also keep the Ast, the verdicts and the symbols.
#include "Match/Match.h"
#include "Parse/Ast.h"
#include "Resolve/Scopes.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include <algorithm>
#include <utility>

namespace ptxray {

/// The identity of a name in one function, numbered from 1. Names in nested blocks have their own ids.
enum class LocalId : uint32_t { None = 0 };

} // namespace ptxray

/// LLVM 16 has no specialisation for enumerations; later versions have one.
template <> struct llvm::DenseMapInfo<ptxray::LocalId> {
  static constexpr ptxray::LocalId getEmptyKey() { return ptxray::LocalId(~0u); }
  static constexpr ptxray::LocalId getTombstoneKey() { return ptxray::LocalId(~0u - 1); }
  static unsigned getHashValue(ptxray::LocalId id) {
    return DenseMapInfo<uint32_t>::getHashValue(static_cast<uint32_t>(id));
  }
  static bool isEqual(ptxray::LocalId a, ptxray::LocalId b) { return a == b; }
};

namespace ptxray {

struct Local {
  NameId name = NameId::None;
  uint32_t symbol = 0; // index into the symbols, plus 1; 0 for special and undeclared registers
  const isa::SpecialRegister *special = nullptr;
};

/// A statement between instructions. `index` is its index among those of its kind in the Ast; the statement precedes
/// `instruction`.
struct PlacedLabel {
  uint32_t index;
  uint32_t before;
  LocalId local;
};
struct PlacedDeclaration {
  uint32_t index;
  uint32_t before;
  Extent extent;
};
struct PlacedDirective {
  uint32_t index;
  uint32_t before;
  Slice targets; // for `.branchtargets` and similar directives: into `targets`
};

/// Records the instructions that write each register, and the names that are read before they are written, in source
/// order.
class Definitions {
public:
  static constexpr uint32_t none = ~0u;

  void clear() {
    known.assign(1, {});
    writes.clear();
    firstReads.clear();
  }
  void addName() { known.emplace_back(); }
  /// Records how the next instruction uses the names of its operands. Reads precede writes.
  [[gnu::always_inline]] void note(llvm::ArrayRef<LocalId> names, const uint8_t *uses, uint32_t instruction) {
    for (size_t i = 0; i < names.size(); ++i)
      if (uses[i] & Reads && known[static_cast<uint32_t>(names[i])].newest == none)
        noteFirstRead(names[i]);
    for (size_t i = 0; i < names.size(); ++i)
      if (uses[i] & Writes) {
        uint32_t &newest = known[static_cast<uint32_t>(names[i])].newest;
        writes.push_back({instruction, newest});
        newest = static_cast<uint32_t>(writes.size()) - 1;
      }
  }

  /// Calls `see` with the number of each instruction that writes `local`, last in the source first.
  template <typename See> void eachWriter(LocalId local, See see) const {
    for (uint32_t write = newestOf(local); write != none; write = writes[write].before)
      see(writes[write].instruction);
  }
  /// Returns the only instruction that writes `local`, or `none` if there is not exactly one.
  uint32_t only(LocalId local) const {
    const uint32_t write = newestOf(local);
    return write != none && writes[write].before == none ? writes[write].instruction : none;
  }
  /// Returns the last instruction in the source that writes `local`.
  uint32_t newest(LocalId local) const {
    const uint32_t write = newestOf(local);
    return write == none ? none : writes[write].instruction;
  }
  /// Returns whether more than `most` instructions write `local`.
  bool hasMore(LocalId local, unsigned most) const {
    uint32_t write = newestOf(local);
    for (; write != none && most; --most)
      write = writes[write].before;
    return write != none;
  }
  bool isWritten(LocalId local) const { return newestOf(local) != none; }
  bool isReadFirst(LocalId local) const { return known[static_cast<uint32_t>(local)].isReadFirst; }
  llvm::ArrayRef<LocalId> readFirst() const { return firstReads; }

private:
  struct Write {
    uint32_t instruction;
    uint32_t before; // previous write of the same register
  };
  struct Known {
    uint32_t newest = none; // index into `writes`
    bool isReadFirst = false;
  };
  uint32_t newestOf(LocalId local) const { return known[static_cast<uint32_t>(local)].newest; }
  void noteFirstRead(LocalId local) {
    if (!std::exchange(known[static_cast<uint32_t>(local)].isReadFirst, true))
      firstReads.push_back(local);
  }

  std::vector<Known> known; // indexed by LocalId
  std::vector<Write> writes;
  std::vector<LocalId> firstReads;
};

/// A name among the operands of an instruction, and how the instruction uses it.
struct NamedUse {
  const Operand &operand;
  LocalId local;
  uint8_t uses; // bits of enum Use
};

struct Body {
  const Ast *ast = nullptr;
  const Function *function = nullptr; // its head
  bool isBroken = false;              // the body contains an error

  uint32_t firstInstruction = 0, firstName = 0; // indices into the arrays of the Ast
  std::vector<const Verdict *> verdicts;        // indexed by instruction, counting from 0
  std::vector<LocalId> names;                   // ids of the Ast's `operandNames`, including those of guards
  std::vector<uint8_t> uses;                    // for each of these names, bits of enum Use; 0 if unknown
  // Instructions with each property of enum Noted.
  std::vector<uint32_t> accessing, joint, numeric, notable;
  std::vector<uint32_t> unknownCalls; // calls of functions that may wait for any operation that the caller started
  std::vector<Local> locals;          // indexed by LocalId
  Definitions definitions;
  std::vector<LocalId> readFirst; // names that are used before they are written, in source order
  std::vector<PlacedLabel> labels;
  std::vector<PlacedDeclaration> declarations;
  std::vector<PlacedDirective> directives;
  std::vector<LocalId> targets;
  llvm::ArrayRef<Symbol> symbols;

  uint32_t size() const { return static_cast<uint32_t>(verdicts.size()); }
  const Instruction &instruction(uint32_t number) const { return ast->instructions[firstInstruction + number]; }
  const Facts &facts(uint32_t number) const { return *verdicts[number]->facts; }
  llvm::ArrayRef<Operand> operands(uint32_t number) const { return ast->operandsOf(instruction(number).operands); }
  LocalId guard(uint32_t number) const {
    const Instruction &one = instruction(number);
    return one.guard == NameId::None ? LocalId::None : names[one.names.first - firstName - 1];
  }
  /// Returns the ids of the names in the instruction's operands.
  llvm::ArrayRef<LocalId> namesOf(uint32_t number) const {
    const Slice slice = instruction(number).names;
    return llvm::ArrayRef(names).slice(slice.first - firstName, slice.count);
  }
  /// Returns how the instruction uses each of its names.
  llvm::ArrayRef<uint8_t> usesOf(uint32_t number) const {
    const Slice slice = instruction(number).names;
    return llvm::ArrayRef(uses).slice(slice.first - firstName, slice.count);
  }
  llvm::StringRef opcode(uint32_t number) const { return ast->text(instruction(number).opcode); }
  bool callsUnknown(uint32_t number) const { return std::ranges::binary_search(unknownCalls, number); }
  NameId nameOf(LocalId local) const { return locals[static_cast<uint32_t>(local)].name; }
  llvm::StringRef text(LocalId local) const { return ast->text(nameOf(local)); }
  /// Returns null for special registers and undeclared names.
  const Symbol *symbol(LocalId local) const {
    const uint32_t number = locals[static_cast<uint32_t>(local)].symbol;
    return number ? &symbols[number - 1] : nullptr;
  }
  /// Returns null for names other than special registers.
  const isa::SpecialRegister *special(LocalId local) const { return locals[static_cast<uint32_t>(local)].special; }
  bool isRegister(LocalId local) const {
    const Symbol *one = symbol(local);
    return one && one->kind == SymbolKind::Register;
  }
  /// Returns whether `local` is a register of the function, except parameters and results.
  bool isOwnRegister(LocalId local) const {
    const Symbol *one = symbol(local);
    return one && one->kind == SymbolKind::Register && one->depth > 0 && !one->isParameter && !one->isReturn;
  }

  /// Calls `see` with a NamedUse for each name that the instruction uses, except its guard.
  template <typename See> void eachUse(uint32_t number, See see) const {
    const Instruction &one = instruction(number);
    const Operand *nodes = ast->operands.data() + one.operands.first;
    const LocalId *local = names.data() + (one.names.first - firstName);
    uint32_t node = 0;
    for (const NodeUse use : facts(number).nodes) {
      for (; node < use.node; ++node)
        local += nodes[node].kind == OperandKind::Name;
      see(NamedUse{nodes[node], *local, use.uses});
    }
  }
  /// Calls `see` with the first use of each function and variable.
  template <typename See> void eachNamed(See see) const {
    llvm::SmallBitVector seen(locals.size());
    for (const uint32_t number : notable) {
      if (!(facts(number).uses & (Calls | Names)))
        continue;
      eachUse(number, [&](NamedUse use) {
        const auto local = static_cast<unsigned>(use.local);
        if (!(use.uses & (Calls | Names)) || seen.test(local))
          return;
        seen.set(local);
        see(use);
      });
    }
  }
};

} // namespace ptxray
