#include "Resolve/Scopes.h"
#include "Diagnostics/Nearest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>

namespace ptxray {

template <class T> static T &grownTo(std::vector<T> &list, NameId name) {
  const size_t index = static_cast<uint32_t>(name);
  if (index >= list.size())
    list.resize(std::max<size_t>(index + 1, list.size() * 2));
  return list[index];
}

void Scopes::enter() { marks.push_back({undo.size(), symbols.size()}); }

void Scopes::leave() {
  Mark mark = marks.back();
  marks.pop_back();
  while (undo.size() > mark.undo) {
    const Undo &last = undo.back();
    if (last.isFamily) {
      familyOf(last.name) = last.symbol;
    } else {
      Entry &entry = entryOf(last.name);
      entry.symbol = last.symbol;
      entry.family = last.family;
      if (entry.prefix != NameId::None)
        --grownTo(plainMembers, entry.prefix);
    }
    undo.pop_back();
  }
  symbols.resize(mark.symbols);
}

uint32_t &Scopes::familyOf(NameId prefix) { return grownTo(families, prefix); }

/// ptxas reads `%r012` as `%r12`.
Scopes::Entry &Scopes::entryOf(NameId name) {
  Entry &entry = grownTo(entries, name);
  if (entry.isRead)
    return entry;
  entry.isRead = true;
  const llvm::StringRef text = names.text(static_cast<uint32_t>(name));
  size_t length = text.size();
  while (length && llvm::isDigit(text[length - 1]))
    --length;
  uint32_t number = 0;
  if (length && !text.drop_front(length).getAsInteger(10, number)) {
    entry.number = std::min<uint32_t>(number, INT32_MAX);
    entry.prefix = static_cast<NameId>(names.intern(text.data(), length));
    familyOf(entry.prefix);
  }
  return entry;
}

void Scopes::bind(NameId name, uint32_t symbol, NameId family) {
  Entry &entry = entryOf(name);
  undo.push_back({name, entry.symbol, entry.family, /*isFamily=*/false});
  entry.symbol = symbol;
  entry.family = family;
  if (entry.prefix != NameId::None)
    ++grownTo(plainMembers, entry.prefix);
}

void Scopes::bindFamily(NameId prefix, uint32_t symbol) {
  undo.push_back({prefix, familyOf(prefix), NameId::None, /*isFamily=*/true});
  familyOf(prefix) = symbol;
}

const Symbol *Scopes::declare(NameId name, Symbol symbol) {
  symbol.depth = depth();
  const Entry entry = entryOf(name);
  if (entry.symbol && entry.family == NameId::None &&
      symbols[entry.symbol - 1].depth == symbol.depth)
    return &symbols[entry.symbol - 1];
  if (entry.prefix != NameId::None) {
    if (const uint32_t family = familyOf(entry.prefix)) {
      const Symbol &declared = symbols[family - 1];
      if (declared.depth == symbol.depth && entry.number < declared.familyCount)
        return &declared;
    }
  }
  symbols.push_back(symbol);
  bind(name, static_cast<uint32_t>(symbols.size()));
  return nullptr;
}

const Symbol *Scopes::declareFamily(NameId prefix, Symbol symbol) {
  symbol.depth = depth();
  const uint32_t before = familyOf(prefix);
  if (before && symbols[before - 1].depth == symbol.depth)
    return &symbols[before - 1];
  symbol.outerFamily = before;
  symbols.push_back(symbol);
  const auto family = static_cast<uint32_t>(symbols.size());
  // Names such as `a1` that were declared on their own: equal scope is a clash, an outer one is hidden.
  if (grownTo(plainMembers, prefix)) {
    std::string member;
    for (uint32_t i = 0; i < std::min(symbol.familyCount, 4096u); ++i) {
      member = (names.text(static_cast<uint32_t>(prefix)) + llvm::Twine(i)).str();
      std::optional<uint32_t> id = names.find(member);
      if (!id)
        continue;
      const Entry known = entryOf(static_cast<NameId>(*id));
      if (!known.symbol || known.family != NameId::None)
        continue;
      const Symbol &plainOne = symbols[known.symbol - 1];
      // A register hides a label of its name.
      if (plainOne.depth == symbol.depth && plainOne.kind != SymbolKind::Label) {
        const Symbol *clash = &plainOne;
        symbols.pop_back();
        return clash;
      }
      bind(static_cast<NameId>(*id), family, prefix);
    }
  }
  bindFamily(prefix, family);
  return nullptr;
}

const Symbol *Scopes::findNew(NameId name) {
  entryOf(name);
  return find(name);
}

/// An inner `%r<3>` leaves %r5 to an outer `%r<8>`.
const Symbol *Scopes::outerMember(const Symbol &family, uint32_t number) const {
  uint32_t outer = family.outerFamily;
  while (outer && number >= symbols[outer - 1].familyCount)
    outer = symbols[outer - 1].outerFamily;
  return outer ? &symbols[outer - 1] : nullptr;
}

llvm::StringRef Scopes::nearest(llvm::StringRef misspelt) {
  Nearest nearest(misspelt, std::max<unsigned>(1, misspelt.size() / 3) + 1);
  for (uint32_t i = 0; i < names.size(); ++i)
    if (find(static_cast<NameId>(i)))
      nearest.offer(names.text(i));
  return nearest.best();
}

} // namespace ptxray
