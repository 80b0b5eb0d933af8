#include "Resolve/Scopes.h"
#include "Diagnostics/Nearest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>

namespace ptxray {

void Scopes::enter() { marks.push_back({undo.size(), symbols.size()}); }

void Scopes::leave() {
  Mark mark = marks.back();
  marks.pop_back();
  while (undo.size() > mark.undo) {
    const Undo &last = undo.back();
    at(last.isFamily ? families : plain, last.name) = last.before;
    undo.pop_back();
  }
  symbols.resize(mark.symbols);
}

Scopes::Binding &Scopes::at(std::vector<Binding> &list, NameId name) {
  size_t index = static_cast<uint32_t>(name);
  if (index >= list.size())
    list.resize(std::max<size_t>(index + 1, list.size() * 2));
  return list[index];
}

void Scopes::bind(std::vector<Binding> &list, NameId name, Binding binding) {
  Binding &slot = at(list, name);
  undo.push_back({name, slot, &list == &families});
  slot = binding;
}

/// ptxas reads `%r012` as `%r12`.
Scopes::Member Scopes::memberName(NameId name) {
  const size_t index = static_cast<uint32_t>(name);
  if (index < members.size() && members[index].known)
    return members[index];
  const llvm::StringRef text = names.text(index);
  size_t length = text.size();
  while (length && llvm::isDigit(text[length - 1]))
    --length;
  Member member;
  member.known = true;
  if (length && !text.drop_front(length).getAsInteger(10, member.number))
    member.prefix = static_cast<NameId>(names.intern(text.data(), length));
  if (index >= members.size())
    members.resize(std::max<size_t>(names.size(), members.size() * 2));
  return members[index] = member;
}

const Symbol *Scopes::declare(NameId name, Symbol symbol) {
  symbol.depth = depth();
  Binding before = at(plain, name);
  if (before.symbol && before.family == NameId::None &&
      symbols[before.symbol - 1].depth == symbol.depth)
    return &symbols[before.symbol - 1];
  if (const Member member = memberName(name); member.prefix != NameId::None) {
    if (Binding family = at(families, member.prefix); family.symbol) {
      const Symbol &declared = symbols[family.symbol - 1];
      if (declared.depth == symbol.depth && member.number < declared.familyCount)
        return &declared;
    }
    size_t index = static_cast<uint32_t>(member.prefix);
    if (index >= hasPlainMember.size())
      hasPlainMember.resize(index + 1);
    hasPlainMember[index] = true;
  }
  symbols.push_back(symbol);
  bind(plain, name, {static_cast<uint32_t>(symbols.size()), NameId::None});
  return nullptr;
}

const Symbol *Scopes::declareFamily(NameId prefix, Symbol symbol) {
  symbol.depth = depth();
  if (Binding before = at(families, prefix);
      before.symbol && symbols[before.symbol - 1].depth == symbol.depth)
    return &symbols[before.symbol - 1];
  size_t index = static_cast<uint32_t>(prefix);
  symbol.outerFamily = at(families, prefix).symbol;
  symbols.push_back(symbol);
  Binding family{static_cast<uint32_t>(symbols.size()), prefix};
  // Names such as `a1` that were declared on their own: equal scope is a clash, an outer one is hidden.
  if (index < hasPlainMember.size() && hasPlainMember[index]) {
    std::string member;
    for (uint32_t i = 0; i < std::min(symbol.familyCount, 4096u); ++i) {
      member = (names.text(index) + llvm::Twine(i)).str();
      std::optional<uint32_t> id = names.find(member);
      if (!id)
        continue;
      Binding before = at(plain, static_cast<NameId>(*id));
      if (!before.symbol || before.family != NameId::None)
        continue;
      if (symbols[before.symbol - 1].depth == symbol.depth) {
        const Symbol *clash = &symbols[before.symbol - 1];
        symbols.pop_back();
        return clash;
      }
      bind(plain, static_cast<NameId>(*id), family);
    }
  }
  bind(families, prefix, family);
  return nullptr;
}

const Symbol *Scopes::find(NameId name) {
  Binding known = at(plain, name);
  if (known.symbol &&
      (known.family == NameId::None || at(families, known.family).symbol == known.symbol))
    return &symbols[known.symbol - 1];
  return memberOf(name);
}

const Symbol *Scopes::memberOf(NameId name) {
  const Member member = memberName(name);
  if (member.prefix == NameId::None)
    return nullptr;
  Binding family = at(families, member.prefix);
  if (family.symbol && member.number < symbols[family.symbol - 1].familyCount) {
    bind(plain, name, family);
    return &symbols[family.symbol - 1];
  }
  // An inner `%r<3>` leaves %r5 to an outer `%r<8>`.
  uint32_t outer = family.symbol;
  while (outer && member.number >= symbols[outer - 1].familyCount)
    outer = symbols[outer - 1].outerFamily;
  return outer ? &symbols[outer - 1] : nullptr;
}

llvm::StringRef Scopes::nearest(llvm::StringRef misspelt) const {
  Nearest nearest(misspelt, std::max<unsigned>(1, misspelt.size() / 3) + 1);
  for (uint32_t i = 0; i < plain.size(); ++i)
    if (plain[i].symbol)
      nearest.offer(names.text(i));
  return nearest.best();
}

} // namespace ptxray
