#include "Resolve/Scopes.h"
#include "Diagnostics/Nearest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cassert>

namespace ptxray {

void Scopes::clear() {
  symbols.clear();
  members.clear();
  memberCount = 0;
  texts.clear();
  slots.assign(1, {});
  undo.clear();
  marks.clear();
  lately.fill(Prefix());
}

void Scopes::enter() { marks.push_back({undo.size(), symbols.size()}); }

void Scopes::leave() {
  assert(!marks.empty() && "a scope that is left was entered");
  const Mark mark = marks.back();
  marks.pop_back();
  assert(mark.undo <= undo.size() && mark.symbols <= symbols.size() && "inner scopes were left before");
  for (; undo.size() > mark.undo; undo.pop_back()) {
    const Undo &last = undo.back();
    slots[last.slot] = last.before;
    if (last.name == NameId::None)
      continue;
    members[static_cast<uint32_t>(last.name)] = last.member;
    if (const NameId prefix = read(last.name).prefix; prefix != NameId::None)
      --texts[static_cast<uint32_t>(prefix)].ownMembers;
  }
  if (marks.empty() && !keepsAll) // names in blocks of a function stay as long as the function
    symbols.resize(mark.symbols);
}

/// Splits a name into prefix and number. ptxas treats `%r012` as `%r12`.
// NOLINTNEXTLINE(misc-no-recursion): a prefix ends in no digit, so that it has no prefix
const Scopes::Name &Scopes::readNew(NameId name) {
  const size_t index = static_cast<uint32_t>(name);
  if (index >= members.size()) {
    members.resize(std::max<size_t>(index + 1, members.size() * 2));
    texts.resize(members.size());
    memberCount = static_cast<uint32_t>(members.size());
  }
  texts[index].isRead = true;
  const llvm::StringRef text = names.text(index);
  size_t length = text.size();
  while (length && llvm::isDigit(text[length - 1]))
    --length;
  uint64_t number = 0;
  for (const char digit : text.drop_front(length))
    if (number <= UINT32_MAX)
      number = number * 10 + (digit - '0');
  if (length && length < text.size() && number <= UINT32_MAX) {
    const NameId prefix = prefixOf(text.take_front(length));
    const uint32_t slot = familySlot(prefix);
    members[index] = {slot, static_cast<uint32_t>(number)};
    texts[index].prefix = prefix;
    texts[index].number = static_cast<uint32_t>(number);
  }
  return texts[index];
}

/// Returns the id of a prefix. Consecutive names usually share a few prefixes, which are cached.
NameId Scopes::prefixOf(llvm::StringRef prefix) {
  Prefix &known = lately[static_cast<unsigned char>(prefix.back()) % lately.size()];
  if (known.text != prefix)
    known = {prefix, static_cast<NameId>(names.intern(prefix.data(), static_cast<uint32_t>(prefix.size())))};
  return known.name;
}

/// Returns the slot that a field refers to. Creates it on first use.
uint32_t Scopes::slotIn(uint32_t &field) {
  if (!field) {
    field = static_cast<uint32_t>(slots.size());
    slots.emplace_back();
  }
  return field;
}

// NOLINTNEXTLINE(misc-no-recursion): a prefix ends in no digit, so that it has no prefix
uint32_t Scopes::familySlot(NameId prefix) {
  read(prefix);
  return slotIn(texts[static_cast<uint32_t>(prefix)].familySlot);
}

bool Scopes::isBoundOnItsOwn(NameId name) {
  const uint32_t own = read(name).ownSlot;
  return own && members[static_cast<uint32_t>(name)].slot == own;
}

/// Makes a name a member of a slot.
void Scopes::move(NameId name, uint32_t slot, uint32_t number) {
  assert(static_cast<uint32_t>(name) < members.size() && "a name is read before it is bound");
  assert(slot && slot < slots.size() && "a name is bound to a slot of its own or of its family");
  Member &member = members[static_cast<uint32_t>(name)];
  undo.push_back({slot, slots[slot], name, member});
  member = {slot, number};
  if (const NameId prefix = read(name).prefix; prefix != NameId::None)
    ++texts[static_cast<uint32_t>(prefix)].ownMembers;
}

const Symbol *Scopes::declare(NameId name, const Symbol &symbol) {
  assert(name != NameId::None && !symbol.familyCount && "one name is declared");
  if (isBoundOnItsOwn(name) && find(name)->depth == depth())
    return find(name);
  const Name &known = read(name);
  if (known.prefix != NameId::None) {
    const Slot &family = slots[familySlot(known.prefix)];
    if (known.number < family.count && symbols[family.symbol - 1].depth == depth())
      return &symbols[family.symbol - 1];
  }
  const uint32_t slot = slotIn(texts[static_cast<uint32_t>(name)].ownSlot);
  move(name, slot, 0);
  symbols.push_back(symbol);
  symbols.back().depth = depth();
  slots[slot] = {symbol.print, static_cast<uint32_t>(symbols.size()), 1};
  return nullptr;
}

const Symbol *Scopes::declareFamily(NameId prefix, Symbol symbol) {
  assert(prefix != NameId::None && "a family has a prefix");
  symbol.depth = depth();
  const uint32_t slot = familySlot(prefix);
  symbol.outerFamily = slots[slot].symbol;
  if (symbol.outerFamily && symbols[symbol.outerFamily - 1].depth == symbol.depth)
    return &symbols[symbol.outerFamily - 1];
  // Names such as `a1` that were declared on their own conflict in the same scope. In an outer scope, they are hidden.
  if (texts[static_cast<uint32_t>(prefix)].ownMembers) {
    std::string member;
    for (uint32_t i = 0; i < std::min(symbol.familyCount, 4096u); ++i) {
      member = (names.text(static_cast<uint32_t>(prefix)) + llvm::Twine(i)).str();
      const std::optional<uint32_t> id = names.find(member);
      if (!id || !isBoundOnItsOwn(static_cast<NameId>(*id)))
        continue;
      const Symbol *own = find(static_cast<NameId>(*id));
      // A register hides a label with the same name.
      if (own->depth == symbol.depth && own->kind != SymbolKind::Label)
        return own;
      move(static_cast<NameId>(*id), slot, i);
    }
  }
  undo.push_back({slot, slots[slot], NameId::None, {}});
  symbols.push_back(symbol);
  slots[slot] = {symbol.print, static_cast<uint32_t>(symbols.size()), symbol.familyCount};
  return nullptr;
}

/// Returns the symbol of a name that is new or not bound, or for which an inner `%r<3>` defers to an outer `%r<8>`.
uint32_t Scopes::numberOfUnusual(NameId name) {
  read(name);
  if (const Slot *slot = slotOf(name))
    return slot->symbol;
  const Member member = members[static_cast<uint32_t>(name)];
  uint32_t symbol = slots[member.slot].symbol;
  while (symbol && member.number >= symbols[symbol - 1].familyCount)
    symbol = symbols[symbol - 1].outerFamily;
  return symbol;
}

const Symbol *Scopes::shortFamily(NameId name) {
  if (read(name).prefix == NameId::None)
    return nullptr;
  const uint32_t symbol = slots[members[static_cast<uint32_t>(name)].slot].symbol;
  return symbol ? &symbols[symbol - 1] : nullptr;
}

void Scopes::offerNames(Nearest &nearest, llvm::function_ref<bool(const Symbol &)> isWanted) {
  for (uint32_t i = 0; i < names.size(); ++i)
    if (const Symbol *symbol = find(static_cast<NameId>(i)); symbol && isWanted(*symbol))
      nearest.offer(names.text(i));
}

} // namespace ptxray
