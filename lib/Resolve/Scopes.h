#pragma once
// Which declaration a name means at one place of the text.
#include "Isa/Tables.h"
#include "Parse/Ast.h"
#include "Parse/Interner.h"
#include "Resolve/Shape.h"
#include <vector>

namespace ptxray {

enum class SymbolKind : uint8_t {
  Register,
  Variable,  // in a state space, parameters included
  Label,
  Function,
  Prototype,     // label of a .callprototype
  CallTargets,   // label of a .calltargets
  BranchTargets, // label of a .branchtargets
};

/// The room a declaration takes.
struct Extent {
  uint64_t bytes = 0; // 0: an open array
  uint64_t align = 1;
  bool isArray = false;
};

struct Symbol {
  Shape shape; // of its name as an operand
  SymbolKind kind = SymbolKind::Register;
  isa::WordId type = 0;
  isa::WordId space = 0;
  bool isParameter = false;    // an input of the function at hand
  bool isReturn = false;       // what the function at hand returns
  uint16_t depth = 0;          // of the scope it was declared in; 0 is the module
  uint32_t familyCount = 0;    // of `%r<10>`: 10
  uint32_t index = 0;          // Function, Prototype: which one, for the caller
  uint32_t outerFamily = 0;    // of a family: index + 1 of the one with its prefix that it hides in part
  Extent extent;               // of a Register or Variable
  Range nameRange;
};

/// Nested scopes over interned names. A lookup is two array reads: a binding is undone when its scope
/// is left, and a name such as `%r12` is taken apart once, so that a member of a family `%r<10>` needs no binding.
class Scopes {
public:
  explicit Scopes(Interner &names) : names(names) {}

  void enter();
  void leave();
  uint16_t depth() const { return static_cast<uint16_t>(marks.size()); }

  /// The symbol of the same scope that has the name already, or null when the name was free.
  const Symbol *declare(NameId name, Symbol symbol);
  const Symbol *declareFamily(NameId prefix, Symbol symbol);
  const Symbol *find(NameId name) {
    const size_t index = static_cast<uint32_t>(name);
    if (index >= entries.size() || !entries[index].isRead) [[unlikely]]
      return findNew(name);
    const Entry &entry = entries[index];
    if (entry.symbol && (entry.family == NameId::None ||
                         families[static_cast<uint32_t>(entry.family)] == entry.symbol))
      return &symbols[entry.symbol - 1];
    if (entry.prefix == NameId::None)
      return nullptr;
    const uint32_t family = families[static_cast<uint32_t>(entry.prefix)];
    if (!family)
      return nullptr;
    const Symbol &symbol = symbols[family - 1];
    return entry.number < symbol.familyCount ? &symbol : outerMember(symbol, entry.number);
  }
  /// The name will be asked for soon.
  void expect(NameId name) const {
    if (const size_t index = static_cast<uint32_t>(name); index < entries.size())
      __builtin_prefetch(&entries[index]);
  }
  /// The name in reach that is closest to a misspelt one, or an empty text.
  llvm::StringRef nearest(llvm::StringRef misspelt);

private:
  /// All that is known of a name; `%r12` is taken apart once, into member 12 of the prefix `%r`.
  struct Entry {
    uint32_t symbol = 0;             // index + 1 into `symbols`; 0: free
    NameId family = NameId::None;    // the prefix, when a family hides a name that was declared on its own
    NameId prefix = NameId::None;    // None: the name has no number at its end
    uint32_t number : 31 = 0;
    uint32_t isRead : 1 = false;     // prefix and number are known
  };
  struct Undo {
    NameId name;
    uint32_t symbol; // before
    NameId family;
    bool isFamily;
  };
  Entry &entryOf(NameId name);
  uint32_t &familyOf(NameId prefix);
  void bind(NameId name, uint32_t symbol, NameId family = NameId::None);
  void bindFamily(NameId prefix, uint32_t symbol);
  const Symbol *findNew(NameId name);
  const Symbol *outerMember(const Symbol &family, uint32_t number) const;

  Interner &names;
  std::vector<Symbol> symbols;
  std::vector<Entry> entries;       // by NameId
  std::vector<uint32_t> families;   // by NameId of the prefix: index + 1 into `symbols`
  std::vector<uint32_t> plainMembers; // by NameId of a prefix: how many such as `a1` are bound on their own
  std::vector<Undo> undo;
  struct Mark {
    size_t undo, symbols;
  };
  std::vector<Mark> marks;
};

} // namespace ptxray
