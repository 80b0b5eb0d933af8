#pragma once
// Which declaration a name means at one place of the text.
#include "Isa/Tables.h"
#include "Parse/Ast.h"
#include "Parse/Interner.h"
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
  SymbolKind kind = SymbolKind::Register;
  isa::WordId type = 0;
  isa::WordId space = 0;
  uint8_t vector = 0;          // components of a `.v2` or `.v4` declaration
  bool isParameter = false;    // an input of the function at hand
  bool isOpaque = false;       // .texref and its like
  uint16_t depth = 0;          // of the scope it was declared in; 0 is the module
  uint32_t familyCount = 0;    // of `%r<10>`: 10
  uint32_t index = 0;          // Function, Prototype: which one, for the caller
  uint32_t outerFamily = 0;    // of a family: index + 1 of the one with its prefix that it hides in part
  Extent extent;               // of a Register or Variable
  Range nameRange;
};

/// Nested scopes over interned names. A lookup is two array reads: a binding is undone when its scope
/// is left, and a member of a family `%r<10>` is bound when it is first used.
class Scopes {
public:
  explicit Scopes(Interner &names) : names(names) {}

  void enter();
  void leave();
  uint16_t depth() const { return static_cast<uint16_t>(marks.size()); }

  /// The symbol of the same scope that has the name already, or null when the name was free.
  const Symbol *declare(NameId name, Symbol symbol);
  const Symbol *declareFamily(NameId prefix, Symbol symbol);
  const Symbol *find(NameId name);
  /// The name in reach that is closest to a misspelt one, or an empty text.
  llvm::StringRef nearest(llvm::StringRef misspelt) const;

private:
  struct Binding {
    uint32_t symbol = 0;             // index + 1 into `symbols`; 0: free
    NameId family = NameId::None;    // the prefix, when the binding is a remembered member
  };
  struct Undo {
    NameId name;
    Binding before;
    bool isFamily;
  };
  Binding &at(std::vector<Binding> &list, NameId name);
  void bind(std::vector<Binding> &list, NameId name, Binding binding);
  const Symbol *memberOf(NameId name);
  /// `%r12` as member 12 of the prefix `%r`; taken apart once for each name.
  struct Member {
    NameId prefix = NameId::None; // None: the name has no number at its end
    uint32_t number = 0;
    bool known = false;
  };
  Member memberName(NameId name);

  Interner &names;
  std::vector<Symbol> symbols;
  std::vector<Binding> plain;       // by NameId
  std::vector<Binding> families;    // by NameId of the prefix
  std::vector<Member> members;      // by NameId
  std::vector<bool> hasPlainMember; // by NameId of a prefix: `a1` was declared on its own
  std::vector<Undo> undo;
  struct Mark {
    size_t undo, symbols;
  };
  std::vector<Mark> marks;
};

} // namespace ptxray
