#include "Pictures/EventTexts.h"
#include "Isa/FactNames.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

using isa::FactKind;

std::optional<Meaning> meaningOf(const Body &body, uint32_t number) {
  static constexpr std::pair<FactKind, EventKind> kinds[] = {{FactKind::Async, EventKind::Operation},
                                                             {FactKind::Commits, EventKind::Commit},
                                                             {FactKind::Waits, EventKind::Wait},
                                                             {FactKind::Inits, EventKind::Init},
                                                             {FactKind::Invalidates, EventKind::Invalidate},
                                                             {FactKind::Expects, EventKind::Expect},
                                                             {FactKind::Completes, EventKind::Complete},
                                                             {FactKind::Syncs, EventKind::Barrier},
                                                             {FactKind::Arrives, EventKind::Arrive},
                                                             {FactKind::Awaits, EventKind::Await},
                                                             {FactKind::Allocates, EventKind::Allocate},
                                                             {FactKind::Relinquishes, EventKind::Relinquish},
                                                             {FactKind::Frees, EventKind::Free},
                                                             {FactKind::Orders, EventKind::Fence}};
  for (const auto &[fact, kind] : kinds)
    for (const Action &action : body.facts(number).actions) {
      if (action.kind != fact)
        continue;
      const bool isScope =
          action.node < 0 && (kind == EventKind::Barrier || kind == EventKind::Arrive || kind == EventKind::Await);
      if (isScope && action.scope() < isa::Scope::Warpgroup)
        continue;
      return Meaning{isScope ? EventKind::Barrier : kind, &action};
    }
  return body.callsUnknown(number) ? std::optional(Meaning{EventKind::Call, nullptr}) : std::nullopt;
}

/// Abbreviates a text, because mangled names are long.
static std::string shortened(llvm::StringRef text, size_t most = 32) {
  return text.size() <= most ? text.str() : (text.take_front(most / 2) + "..." + text.take_back(most / 4)).str();
}

std::string EventTexts::name(LocalId local) const { return shortened(body.text(local)); }

llvm::StringRef EventTexts::mnemonic(uint32_t number) const {
  const isa::Mnemonic *known = body.verdicts[number]->opcode ? body.verdicts[number]->opcode->mnemonic : nullptr;
  return known ? llvm::StringRef(known->text()) : context.opcode(number);
}

std::string EventTexts::operand(uint32_t number, int node) const {
  return shortened(
      source.text(body.ast->operands[body.instruction(number).operands.first + static_cast<uint32_t>(node)].range));
}

std::string EventTexts::amount(uint32_t number, const Action &action) {
  if (const auto known = context.places.numberAt(number, action.amount))
    return std::to_string(*known);
  if (action.amount >= 0)
    return operand(number, action.amount);
  return action.number ? std::to_string(action.number) : "";
}

static std::string plus(int64_t offset) {
  return offset ? (offset < 0 ? "" : "+") + std::to_string(offset) : std::string();
}

std::string EventTexts::place(const MemoryPlace &place) const {
  if (place.base == LocalId::None)
    return "";
  std::string text;
  if (place.isVariable || (place.root != LocalId::None && !place.slots.empty() && place.slots.size() <= 4)) {
    text = name(place.isVariable ? place.base : place.root);
    if (place.isVariable)
      return text + plus(place.offset);
    llvm::SmallVector<int64_t, 2> slots = place.slots;
    llvm::sort(slots);
    for (const auto &[i, slot] : llvm::enumerate(slots))
      text += (i ? " or " : "") + plus(slot + place.offset);
    text += place.isRing ? " + ..." : "";
  } else {
    text = name(place.base) + plus(place.offset) + (place.isRing ? " + ..." : "");
    if (place.root != LocalId::None)
      text += " in " + name(place.root);
  }
  return text + (place.isRemote ? " of another block" : "");
}

std::string EventTexts::operation(uint32_t number) {
  std::string text;
  for (const Access &access : body.facts(number).accesses) {
    const bool isWrite = access.kind == isa::Access::Writes || access.kind == isa::Access::Updates;
    const bool isRead = access.kind == isa::Access::Reads;
    const bool isOwn = isShared(access.space) || access.space == isa::words::tmem;
    if (access.isDescribed || !isOwn || !(isWrite || isRead))
      continue;
    const std::string where = place(context.places.at(number, access.node, access.bytes));
    if (where.empty())
      continue;
    text += (text.empty() ? "" : ", ") + std::string(isWrite ? "to " : "from ") + where;
    text += access.bytes ? " (" + std::to_string(access.bytes) + " bytes)" : "";
  }
  return text;
}

static std::string groupsText(uint16_t groups) {
  std::string text;
  for (const auto &[i, group] : llvm::enumerate(isa::tables().groups))
    if (groups >> i & 1)
      text += (text.empty() ? "" : ", ") + std::string(group());
  return text;
}

std::string EventTexts::wait(uint32_t number, const Action &action) {
  const std::string left = amount(number, action);
  return groupsText(action.groups) + (left.empty() || left == "0" ? "" : ", " + left + " may be pending") +
         (action.isReads ? ", until they have read" : "");
}

std::string EventTexts::barrier(uint32_t number, const Action &action) {
  const char *const verb = action.kind == FactKind::Arrives  ? "arrives, barrier of the "
                           : action.kind == FactKind::Awaits ? "waits, barrier of the "
                                                             : "all threads of the ";
  std::string text = verb + std::string(isa::scopeNames[action.detail]);
  if (const std::string threads = action.amount >= 0 ? amount(number, action) : ""; !threads.empty())
    text = (action.kind == FactKind::Arrives ? "arrives, with " : "") + threads + " threads";
  if (action.which >= 0) {
    const auto which = context.places.numberAt(number, action.which);
    text += ", number " + (which ? std::to_string(*which) : operand(number, action.which));
  }
  return text;
}

std::string EventTexts::fence(uint32_t number) const {
  std::string text;
  for (const Action &action : body.facts(number).actions) {
    if (action.kind != FactKind::Orders)
      continue;
    text += (text.empty() ? "" : ", ") + std::string(isa::orderedNames[action.detail]);
    if (action.other)
      text += " before " + std::string(isa::orderedNames[action.other]);
    if (action.space && &action == &body.facts(number).actions.front())
      text += " on " + std::string(isa::word(action.space).text());
  }
  return text;
}

std::string EventTexts::allocation(uint32_t number, EventKind kind, const Action &action) {
  const std::string columns = amount(number, action) + " columns";
  return kind == EventKind::Allocate
             ? columns + ", their address to " + place(context.places.at(number, static_cast<uint32_t>(action.node)))
             : columns + " at " + operand(number, action.node);
}

std::string EventTexts::of(uint32_t number, Meaning meaning) {
  switch (meaning.kind) {
  case EventKind::Operation: return operation(number);
  case EventKind::Commit: return groupsText(meaning.action->groups);
  case EventKind::Wait: return wait(number, *meaning.action);
  case EventKind::Init: return "count " + amount(number, *meaning.action);
  case EventKind::Expect:
  case EventKind::Complete: return amount(number, *meaning.action) + " bytes";
  case EventKind::Await: {
    if (meaning.action->which < 0)
      return "";
    const auto parity = context.places.numberAt(number, meaning.action->which);
    return "phase " + (parity ? std::to_string(*parity) : operand(number, meaning.action->which));
  }
  case EventKind::Barrier: return barrier(number, *meaning.action);
  case EventKind::Fence: return fence(number);
  case EventKind::Allocate:
  case EventKind::Free: return allocation(number, meaning.kind, *meaning.action);
  case EventKind::Call: return "a function that may wait for any operation";
  default: return "";
  }
}

} // namespace ptxray
