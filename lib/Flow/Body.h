#pragma once
// The body of one function, read and judged: all that a rule, a graph or an editor may ask of it. `check` fills one
// such value for each function in turn. A caller that keeps one keeps the Ast, the verdicts and the symbols with it.
#include "Match/Match.h"
#include "Parse/Ast.h"
#include "Resolve/Scopes.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include <algorithm>
#include <utility>

namespace ptxray {

/// Stands for what a name means in one function; the numbers are dense from 1. A name of a nested block is another than
/// the same one outside.
enum class LocalId : uint32_t { None = 0 };

} // namespace ptxray

/// LLVM 16 has this for no enumeration, later ones for each.
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
  uint32_t symbol = 0; // index + 1 into the symbols; 0: a special register, or declared nowhere
  const isa::SpecialRegister *special = nullptr;
};

/// The place of something between the instructions: `index` of its kind in the Ast, before that instruction.
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
  Slice targets; // of `.branchtargets` and its like: into `targets`
};

/// Knows which instructions write each register, and which names the text reads before it writes them, if it does.
class Definitions {
public:
  static constexpr uint32_t none = ~0u;

  void clear() {
    known.assign(1, {});
    writes.clear();
    firstReads.clear();
  }
  void addName() { known.emplace_back(); }
  /// Notes what the next instruction does with the names of its operands. It reads before it writes.
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

  /// Calls `see` with the number of each instruction that writes it, from the last in the text to the first.
  template <typename See> void eachWriter(LocalId local, See see) const {
    for (uint32_t write = newestOf(local); write != none; write = writes[write].before)
      see(writes[write].instruction);
  }
  /// Returns the one instruction that writes it; `none`: there is no such or there are several.
  uint32_t only(LocalId local) const {
    const uint32_t write = newestOf(local);
    return write != none && writes[write].before == none ? writes[write].instruction : none;
  }
  /// Returns the last instruction in the text that writes it.
  uint32_t newest(LocalId local) const {
    const uint32_t write = newestOf(local);
    return write == none ? none : writes[write].instruction;
  }
  /// More instructions than so many write it.
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
    uint32_t before; // the write before, of the same register
  };
  struct Known {
    uint32_t newest = none; // into `writes`
    bool isReadFirst = false;
  };
  uint32_t newestOf(LocalId local) const { return known[static_cast<uint32_t>(local)].newest; }
  void noteFirstRead(LocalId local) {
    if (!std::exchange(known[static_cast<uint32_t>(local)].isReadFirst, true))
      firstReads.push_back(local);
  }

  std::vector<Known> known; // by LocalId
  std::vector<Write> writes;
  std::vector<LocalId> firstReads;
};

/// One name among the operands of an instruction, and what the instruction does with it.
struct NamedUse {
  const Operand &operand;
  LocalId local;
  uint8_t uses; // of enum Use
};

struct Body {
  const Ast *ast = nullptr;
  const Function *function = nullptr; // its header
  bool isBroken = false;              // something in it is an error

  uint32_t firstInstruction = 0, firstName = 0; // in the arrays of the Ast
  std::vector<const Verdict *> verdicts;        // by instruction, which count from 0
  std::vector<LocalId> names;                   // what each of the Ast's `operandNames` means, those of guards included
  std::vector<uint8_t> uses;                    // of each of these names, as enum Use; 0 where nothing is known
  // Instructions by what enum Noted says of them.
  std::vector<uint32_t> accessing, joint, numeric, notable;
  std::vector<uint32_t> unknownCalls; // calls of functions that may wait for whatever the caller has started
  std::vector<Local> locals;          // by LocalId
  Definitions definitions;
  std::vector<LocalId> readFirst; // those that the text does not write before it uses them
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
  /// Returns one for each name of the instruction's operands.
  llvm::ArrayRef<LocalId> namesOf(uint32_t number) const {
    const Slice slice = instruction(number).names;
    return llvm::ArrayRef(names).slice(slice.first - firstName, slice.count);
  }
  /// Returns what the instruction does with each of its names.
  llvm::ArrayRef<uint8_t> usesOf(uint32_t number) const {
    const Slice slice = instruction(number).names;
    return llvm::ArrayRef(uses).slice(slice.first - firstName, slice.count);
  }
  llvm::StringRef opcode(uint32_t number) const { return ast->text(instruction(number).opcode); }
  bool callsUnknown(uint32_t number) const { return std::ranges::binary_search(unknownCalls, number); }
  NameId nameOf(LocalId local) const { return locals[static_cast<uint32_t>(local)].name; }
  llvm::StringRef text(LocalId local) const { return ast->text(nameOf(local)); }
  /// Returns null for a special register, and for what is declared nowhere.
  const Symbol *symbol(LocalId local) const {
    const uint32_t number = locals[static_cast<uint32_t>(local)].symbol;
    return number ? &symbols[number - 1] : nullptr;
  }
  /// Returns null if it is not a special register.
  const isa::SpecialRegister *special(LocalId local) const { return locals[static_cast<uint32_t>(local)].special; }
  bool isRegister(LocalId local) const {
    const Symbol *one = symbol(local);
    return one && one->kind == SymbolKind::Register;
  }
  /// A register of the function that it neither receives nor returns.
  bool isOwnRegister(LocalId local) const {
    const Symbol *one = symbol(local);
    return one && one->kind == SymbolKind::Register && one->depth > 0 && !one->isParameter && !one->isReturn;
  }

  /// Calls `see` with a NamedUse for each name that the instruction uses, but for its guard.
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
  /// The first use of each function and variable.
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
