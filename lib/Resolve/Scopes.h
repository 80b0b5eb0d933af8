#pragma once
// Determines which declaration a name refers to at one location.
#include "Diagnostics/Nearest.h"
#include "Isa/Tables.h"
#include "Parse/Ast.h"
#include "Parse/Interner.h"
#include "Resolve/Shape.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

namespace ptxray {

enum class SymbolKind : uint8_t {
  Register,
  Variable, // a variable in a state space, or a parameter
  Label,
  Function,
  Prototype,     // label of a .callprototype
  CallTargets,   // label of a .calltargets
  BranchTargets, // label of a .branchtargets
};

/// The size of a declared object.
struct Extent {
  uint64_t bytes = 0; // 0 for an open array; UINT64_MAX for that size or more
  uint64_t align = 1;
  bool isArray = false;
};

struct Symbol {
  Shape shape;        // shape of its name as an operand
  uint64_t print = 0; // fingerprint of the shape; 0 if the meaning of the name depends on the location
  SymbolKind kind = SymbolKind::Register;
  isa::WordId type = 0;
  isa::WordId space = 0;
  bool isParameter = false; // an input of the current function
  bool isReturn = false;    // a result of the current function
  bool isPredicate = false; // a register of type .pred
  uint16_t depth = 0;       // depth of the declaring scope; 0 for the module
  uint32_t familyCount = 0; // 10 for `%r<10>`
  uint32_t index = 0;       // for a Function or Prototype: index assigned by the caller
  uint32_t outerFamily = 0; // for a family: index plus 1 of the family with the same prefix that it partially hides
  Extent extent;            // for a Register or Variable
  Range nameRange;
};

/// Nested scopes over interned names. Each name is a member of a slot. `%r12` is member 12 of the slot for the family
/// `%r`; a name declared on its own is the only member of its own slot. A declaration binds a slot, and leaving a scope
/// undoes its bindings. A lookup therefore takes two array reads, and a family of any size needs one binding.
class Scopes {
public:
  explicit Scopes(Interner &names) : names(names) {}
  /// Resets the scopes for the names of another module. Keeps the memory of the arrays.
  void clear();
  /// Keeps the symbols of functions after their end, with their numbers.
  void keepAll() { keepsAll = true; }

  void enter();
  void leave();
  /// Returns the depth, limited to the range of the result. A text with errors may nest deeper.
  uint16_t depth() const { return static_cast<uint16_t>(std::min<size_t>(marks.size(), UINT16_MAX)); }

  /// Binds the name. Returns the symbol of the same scope that already has the name, or null.
  const Symbol *declare(NameId name, const Symbol &symbol);
  const Symbol *declareFamily(NameId prefix, Symbol symbol);
  const Symbol *find(NameId name) {
    const uint32_t number = numberOf(name);
    return number ? &symbols[number - 1] : nullptr;
  }
  /// Returns the index of the symbol plus 1, or 0 if there is none.
  uint32_t numberOf(NameId name) {
    const Slot *slot = slotOf(name);
    return slot ? slot->symbol : numberOfUnusual(name);
  }
  /// Returns all symbols of the module and of the current function, including its completed blocks, or of all
  /// functions.
  llvm::ArrayRef<Symbol> all() const { return symbols; }
  /// Returns the fingerprint of the name's shape; 0 if only `find` can determine it.
  uint64_t printOf(NameId name) const {
    const Slot *slot = slotOf(name);
    return slot ? slot->print : 0;
  }
  /// Prefetches the data for a name that will be looked up soon.
  void expect(NameId name) const {
    if (const size_t index = static_cast<uint32_t>(name); index < memberCount)
      __builtin_prefetch(&members[index]);
  }
  /// Returns the declaration, such as `%r<4>`, that declares the name's family but too few members, or null.
  const Symbol *shortFamily(NameId name);
  /// Passes all visible names for which the condition is true to `nearest`.
  void offerNames(Nearest &nearest, llvm::function_ref<bool(const Symbol &)> isWanted);
  /// Returns the meaning of a name that may not appear in the source, or null.
  const Symbol *findText(llvm::StringRef name) {
    return name.empty() ? nullptr : find(static_cast<NameId>(names.internCopy(name)));
  }

private:
  struct Slot {
    uint64_t print = 0;  // fingerprint of the symbol
    uint32_t symbol = 0; // index plus 1 in `symbols`; 0 if not bound
    uint32_t count = 0;  // number of members
  };
  struct Member {
    uint32_t slot = 0; // 0 is never bound
    uint32_t number = 0;
  };
  struct Name {
    bool isRead = false;
    NameId prefix = NameId::None; // None if the name does not end in a number
    uint32_t number = 0;
    uint32_t ownSlot = 0,
             familySlot = 0; // slots of the name, and of the family with this prefix; 0 if there is none yet
    uint32_t ownMembers = 0; // number of members, such as `a1`, that are declared on their own
  };
  struct Undo {
    uint32_t slot;
    Slot before;
    NameId name; // None if only the slot was bound
    Member member;
  };
  struct Mark {
    size_t undo, symbols;
  };

  const Slot *slotOf(NameId name) const {
    const auto index = static_cast<uint32_t>(name);
    if (index >= memberCount)
      return nullptr;
    const Member member = members[index];
    assert(member.slot < slots.size() && "slots stay until the text ends");
    const Slot &slot = slots[member.slot];
    return member.number < slot.count ? &slot : nullptr;
  }
  uint32_t numberOfUnusual(NameId name);
  /// Returns the parts of a name, which is split once.
  // NOLINTNEXTLINE(misc-no-recursion): a prefix ends in no digit, so that it has no prefix
  const Name &read(NameId name) {
    const auto index = static_cast<uint32_t>(name);
    return index < memberCount && texts[index].isRead ? texts[index] : readNew(name);
  }
  const Name &readNew(NameId name);
  NameId prefixOf(llvm::StringRef prefix);
  uint32_t slotIn(uint32_t &field);
  uint32_t familySlot(NameId prefix);
  bool isBoundOnItsOwn(NameId name);
  void move(NameId name, uint32_t slot, uint32_t number);

  Interner &names;
  std::vector<Symbol> symbols;
  bool keepsAll = false;
  std::vector<Member> members; // indexed by NameId
  uint32_t memberCount = 0;
  std::vector<Name> texts; // indexed by NameId: the parts of its text
  struct Prefix {
    llvm::StringRef text;
    NameId name = NameId::None;
  };
  std::array<Prefix, 8> lately; // recent prefixes, indexed by their last letters
  std::vector<Slot> slots = std::vector<Slot>(1);
  std::vector<Undo> undo;
  std::vector<Mark> marks;
};

} // namespace ptxray
