#pragma once
// Scopes tell which declaration a name means at one place of the text.
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
  Variable, // in a state space, parameters included
  Label,
  Function,
  Prototype,     // label of a .callprototype
  CallTargets,   // label of a .calltargets
  BranchTargets, // label of a .branchtargets
};

/// The room a declaration takes.
struct Extent {
  uint64_t bytes = 0; // 0: an open array; UINT64_MAX: as many or more
  uint64_t align = 1;
  bool isArray = false;
};

struct Symbol {
  Shape shape;        // of its name as an operand
  uint64_t print = 0; // of the shape; 0: the place of the name decides what it means
  SymbolKind kind = SymbolKind::Register;
  isa::WordId type = 0;
  isa::WordId space = 0;
  bool isParameter = false; // an input of the function at hand
  bool isReturn = false;    // what the function at hand returns
  bool isPredicate = false; // a register of type .pred
  uint16_t depth = 0;       // of the scope it was declared in; 0 is the module
  uint32_t familyCount = 0; // of `%r<10>`: 10
  uint32_t index = 0;       // Function, Prototype: which one, for the caller
  uint32_t outerFamily = 0; // of a family: index + 1 of the one with its prefix that it hides in part
  Extent extent;            // of a Register or Variable
  Range nameRange;
};

/// Nested scopes over interned names. A name stands for a member of a slot: `%r12` for member 12 of the slot of the
/// family `%r`, a name declared on its own for the only member of its own slot. What is declared binds slots, and a
/// binding is undone when its scope is left, so a lookup is two array reads, and a family of any size one binding.
class Scopes {
public:
  explicit Scopes(Interner &names) : names(names) {}
  /// The names are those of another text now. The arrays keep their room.
  void clear();
  /// The symbols of functions that are left stay, with their numbers.
  void keepAll() { keepsAll = true; }

  void enter();
  void leave();
  /// Returns the depth as far as it can be told apart: a text with an error may nest deeper.
  uint16_t depth() const { return static_cast<uint16_t>(std::min<size_t>(marks.size(), UINT16_MAX)); }

  /// Returns the symbol of the same scope that has the name already, or null when the name was free.
  const Symbol *declare(NameId name, const Symbol &symbol);
  const Symbol *declareFamily(NameId prefix, Symbol symbol);
  const Symbol *find(NameId name) {
    const uint32_t number = numberOf(name);
    return number ? &symbols[number - 1] : nullptr;
  }
  /// Its index + 1 into all symbols; 0: none.
  uint32_t numberOf(NameId name) {
    const Slot *slot = slotOf(name);
    return slot ? slot->symbol : numberOfUnusual(name);
  }
  /// Returns all symbols of the module and of the function at hand, those of blocks that were left included; or of all
  /// functions.
  llvm::ArrayRef<Symbol> all() const { return symbols; }
  /// Returns the fingerprint of the name's shape; 0 when `find` has to tell.
  uint64_t printOf(NameId name) const {
    const Slot *slot = slotOf(name);
    return slot ? slot->print : 0;
  }
  /// The name will be asked for soon.
  void expect(NameId name) const {
    if (const size_t index = static_cast<uint32_t>(name); index < memberCount)
      __builtin_prefetch(&members[index]);
  }
  /// Returns the declaration, such as `%r<4>`, that would have to declare more to declare the name, or null.
  const Symbol *shortFamily(NameId name);
  /// Offers all names in reach that are wanted.
  void offerNames(Nearest &nearest, llvm::function_ref<bool(const Symbol &)> isWanted);
  /// Finds what a name means that may be nowhere in the text; null: nothing.
  const Symbol *findText(llvm::StringRef name) {
    return name.empty() ? nullptr : find(static_cast<NameId>(names.internCopy(name)));
  }

private:
  struct Slot {
    uint64_t print = 0;  // of the symbol
    uint32_t symbol = 0; // index + 1 into `symbols`; 0: not bound
    uint32_t count = 0;  // of its members
  };
  struct Member {
    uint32_t slot = 0; // never bound
    uint32_t number = 0;
  };
  struct Name {
    bool isRead = false;
    NameId prefix = NameId::None; // None: there is no number at its end
    uint32_t number = 0;
    uint32_t ownSlot = 0, familySlot = 0; // of the name, and of those that it is the prefix of; 0: none yet
    uint32_t ownMembers = 0;              // how many such as `a1` are bound on their own
  };
  struct Undo {
    uint32_t slot;
    Slot before;
    NameId name; // None: only the slot was bound
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
  /// Returns what the text of a name says; it is taken apart once.
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
  std::vector<Member> members; // by NameId
  uint32_t memberCount = 0;
  std::vector<Name> texts; // by NameId: what its text says
  struct Prefix {
    llvm::StringRef text;
    NameId name = NameId::None;
  };
  std::array<Prefix, 8> lately; // prefixes that were asked for, by their last letters
  std::vector<Slot> slots = std::vector<Slot>(1);
  std::vector<Undo> undo;
  std::vector<Mark> marks;
};

} // namespace ptxray
