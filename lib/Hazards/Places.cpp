#include "Hazards/Places.h"
#include "Flow/Addresses.h"
#include "Flow/Sources.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "llvm/ADT/SmallSet.h"

namespace ptxray {

constexpr unsigned mostSteps = 64;

bool isSame(const MemoryPlace &a, const MemoryPlace &b) {
  return a.hasBaseOf(b) && a.offset < b.offset + std::max<int64_t>(b.bytes, 1) &&
         b.offset < a.offset + std::max<int64_t>(a.bytes, 1);
}

/// Where a place may be in its root. Two rings may run into each other: what begins one element later may be the same.
static bool areSlotsApart(const MemoryPlace &a, const MemoryPlace &b) {
  return llvm::all_of(a.slots, [&](int64_t one) {
    return llvm::all_of(b.slots, [&](int64_t other) {
      const int64_t from = one + a.offset, to = other + b.offset;
      return (from + a.bytes <= to && !a.isRing) || (to + b.bytes <= from && !b.isRing);
    });
  });
}

bool isElsewhere(const MemoryPlace &a, const MemoryPlace &b) {
  if (a.hasBaseOf(b))
    return !isSame(a, b) && a.bytes && b.bytes;
  if (a.root == LocalId::None || b.root == LocalId::None)
    return false;
  return a.root != b.root || (!a.slots.empty() && !b.slots.empty() && a.bytes && b.bytes && areSlotsApart(a, b));
}

bool beginTogether(const MemoryPlace &a, const MemoryPlace &b) {
  if (a.hasBaseOf(b))
    return a.offset == b.offset;
  return a.root != LocalId::None && a.root == b.root &&
         llvm::any_of(a.slots, [&](int64_t one) { return llvm::is_contained(b.slots, one + a.offset - b.offset); });
}

/// What a register holds, where the value of one operand goes through: that operand.
static bool goesThrough(isa::Operation operation) {
  switch (operation) {
  case isa::Operation::Mov:
  case isa::Operation::Cvt:
  case isa::Operation::ToGeneric:
  case isa::Operation::FromGeneric: return true;
  default: return false;
  }
}

/// An address stays in its variable.
static bool staysInside(isa::Operation operation) {
  switch (operation) {
  case isa::Operation::Add:
  case isa::Operation::Sub:
  case isa::Operation::Mad:
  case isa::Operation::And:
  case isa::Operation::Or:
  case isa::Operation::Xor:
  case isa::Operation::Selp:
  case isa::Operation::Mapa: return true;
  default: return goesThrough(operation);
  }
}

namespace {

/// A register or variable and a number, which together are the result of an instruction; or with another register that
/// is not an address.
struct Step {
  LocalId source = LocalId::None;
  int64_t added = 0;
  LocalId index = LocalId::None;
};

} // namespace

static Step stepOf(const Body &body, uint32_t number) {
  const Computation &computation = body.facts(number).computation;
  const bool isSum = computation.operation == isa::Operation::Add || computation.operation == isa::Operation::Sub;
  const bool isProduct = computation.operation == isa::Operation::Mad;
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(number).operands);
  const bool isMask = computation.operation == isa::Operation::And && nodes.back().kind == OperandKind::Integer &&
                      !(~nodes.back().value & 0xffffc0);
  if (isMask && computation.isKnown && nodes.size() == 3 && nodes[1].kind == OperandKind::Name &&
      nodes.front().kind == OperandKind::Name && body.guard(number) == LocalId::None)
    return {body.namesOf(number)[1], 0, LocalId::None};
  if (!computation.isKnown || body.guard(number) != LocalId::None || nodes.front().kind != OperandKind::Name ||
      !(isSum || isProduct || goesThrough(computation.operation)) ||
      nodes.size() != (isProduct ? 4
                       : isSum   ? 3
                                 : 2))
    return {};
  Step step;
  const LocalId *name = body.namesOf(number).data();
  for (const Operand &node : nodes.drop_front()) {
    const bool isNegative = computation.operation == isa::Operation::Sub && &node == &nodes.back();
    const bool isFactor = isProduct && &node != &nodes.back();
    if (node.kind == OperandKind::Name && node.suffix == SpellingId::None) {
      LocalId &place = isNegative || isFactor || step.source != LocalId::None ? step.index : step.source;
      place = *++name;
      step.added += node.flags & HasOffset ? node.value : 0;
    } else if (node.kind == OperandKind::Integer) {
      const int64_t value = computation.resultBits == 32 ? static_cast<int32_t>(node.value) : node.value;
      step.added += isFactor ? 0 : isNegative ? -value : value;
    } else {
      return {};
    }
  }
  return step;
}

MemoryPlace Places::follow(LocalId local) {
  const auto [entry, isNew] = known.try_emplace(local);
  if (!isNew)
    return entry->second;
  MemoryPlace place;
  place.base = local;
  for (unsigned count = 0; count < mostSteps; ++count) {
    const Symbol *symbol = body.symbol(place.base);
    place.isVariable = symbol && symbol->kind == SymbolKind::Variable;
    const uint32_t number =
        symbol && symbol->kind == SymbolKind::Register ? analyses.definitions().only(place.base) : Definitions::none;
    const Step step = number == Definitions::none ? Step() : stepOf(body, number);
    if (step.source == LocalId::None || step.index != LocalId::None)
      break;
    place.base = step.source;
    place.offset += step.added;
  }
  const Root root = place.isVariable ? Root{place.base} : rootOf(place.base);
  place.root = root.variable;
  place.isRemote = root.isRemote;
  if (place.root != LocalId::None)
    findSlots(place);
  return known[local] = place;
}

/// Of the base: through all instructions that write it.
void Places::findSlots(MemoryPlace &place) {
  llvm::SmallVector<std::pair<LocalId, int64_t>, 8> waiting = {{place.base, 0}};
  llvm::SmallDenseMap<LocalId, int64_t, 8> seen = {{place.base, 0}};
  bool isKnown = true;
  while (!waiting.empty() && isKnown) {
    const auto [local, offset] = waiting.pop_back_val();
    if (local == place.root) {
      place.slots.push_back(offset);
      continue;
    }
    isKnown = analyses.definitions().isWritten(local) && seen.size() < mostSteps;
    analyses.definitions().eachWriter(local, [&, offset = offset](uint32_t number) {
      Step step = stepOf(body, number);
      if (step.index != LocalId::None && rootOf(step.source).variable == LocalId::None && step.source != place.root)
        std::swap(step.source, step.index);
      place.isRing |= step.index != LocalId::None;
      isKnown = isKnown && step.source != LocalId::None;
      if (!isKnown)
        return;
      const auto [before, isNew] = seen.try_emplace(step.source, offset + step.added);
      if (isNew)
        waiting.push_back({step.source, offset + step.added});
      isKnown = before->second == offset + step.added; // else it runs through the variable
    });
  }
  if (!isKnown || (place.isRing && place.slots.size() > 1)) {
    place.slots.clear();
    place.isRing = false;
  }
}

void Places::Root::addVariable(LocalId one) {
  areSeveral |= variable != LocalId::None && variable != one;
  variable = areSeveral ? LocalId::None : one;
}

void Places::Root::add(const Root &other) {
  isRemote |= other.isRemote;
  areSeveral |= other.areSeveral;
  if (areSeveral)
    variable = LocalId::None;
  else if (other.variable != LocalId::None)
    addVariable(other.variable);
}

/// Notes the variables that the instruction computes with, and calls `other` for registers.
template <typename See> void Places::eachOrigin(uint32_t number, Root &root, See other) {
  const Computation &computation = body.facts(number).computation;
  if (!computation.isKnown || !staysInside(computation.operation))
    return;
  root.isRemote |= computation.operation == isa::Operation::Mapa;
  body.eachUse(number, [&](NamedUse use) {
    const Symbol *symbol = use.uses & (Reads | Names) ? body.symbol(use.local) : nullptr;
    if (symbol && symbol->kind == SymbolKind::Variable)
      root.addVariable(use.local);
    else if (symbol)
      other(use.local);
  });
}

/// The one variable that a register is made from, by whatever arithmetic.
Places::Root Places::rootOf(LocalId local, unsigned depth) {
  const auto [entry, isNew] = roots.try_emplace(local);
  if (!isNew)
    return entry->second;
  Root root;
  if (const uint32_t only = analyses.definitions().only(local); only != Definitions::none && depth < mostSteps) {
    eachOrigin(only, root, [&](LocalId source) { root.add(rootOf(source, depth + 1)); });
    return roots[local] = root;
  }
  // Written in a loop, perhaps: all that it comes from at once.
  root.areSeveral = anySource(local, 4 * mostSteps, /*beyond=*/true, [&](LocalId one, auto add) {
    analyses.definitions().eachWriter(one, [&](uint32_t number) { eachOrigin(number, root, add); });
    return root.areSeveral;
  });
  if (root.areSeveral)
    root.variable = LocalId::None;
  return roots[local] = root;
}

LocalId nameAt(const Body &body, uint32_t number, int node) {
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(number).operands);
  if (node < 0 || static_cast<size_t>(node) >= nodes.size() || nodes[node].kind != OperandKind::Name)
    return LocalId::None;
  const auto before =
      llvm::count_if(nodes.take_front(node), [](const Operand &one) { return one.kind == OperandKind::Name; });
  return body.namesOf(number)[static_cast<size_t>(before)];
}

MemoryPlace Places::at(uint32_t number, uint32_t node, uint32_t bytes) {
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(number).operands);
  node += nodes[node].kind == OperandKind::Address;
  const LocalId name = nameAt(body, number, static_cast<int>(node));
  if (name == LocalId::None)
    return {};
  MemoryPlace place = follow(name);
  place.offset += nodes[node].flags & HasOffset ? nodes[node].value : 0;
  place.bytes = bytes;
  return place;
}

/// What the instruction writes is the same where all that it reads is.
bool Places::isResultSameIn(isa::Scope scope, LocalId result, uint32_t number, unsigned depth) {
  const Facts &facts = body.facts(number);
  const bool isParameter = !facts.accesses.empty() && llvm::all_of(facts.accesses, [](const Access &access) {
    return access.isVariable && access.kind == isa::Access::Reads;
  });
  if (body.guard(number) != LocalId::None || !(facts.computation.isKnown || isParameter))
    return false;
  return llvm::all_of(body.namesOf(number),
                      [&](LocalId one) { return one == result || isSameIn(scope, one, depth + 1); });
}

bool Places::isSameIn(isa::Scope scope, LocalId local, unsigned depth) {
  const Symbol *symbol = body.symbol(local);
  if (!symbol) {
    const isa::SpecialRegister *special = isa::findSpecialRegister(body.text(local));
    return special && special->scope >= scope;
  }
  if (symbol->kind == SymbolKind::Variable)
    return symbol->isParameter;
  if (symbol->kind != SymbolKind::Register || depth > mostSteps / 2 || !analyses.definitions().isWritten(local))
    return false;
  // One that depends on itself is not the same in all threads as long as its loop may end sooner for some.
  const auto [entry, isNew] = same.try_emplace({local, static_cast<unsigned>(scope)}, false);
  if (!isNew)
    return entry->second;
  bool isSame = true;
  analyses.definitions().eachWriter(
      local, [&](uint32_t number) { isSame = isSame && isResultSameIn(scope, local, number, depth); });
  return same[{local, static_cast<unsigned>(scope)}] = isSame;
}

bool dependsOnThread(LocalId local, const Body &body, Analyses &analyses) {
  return anySource(local, mostSteps, /*beyond=*/false, [&](LocalId one, auto add) {
    return tellsThreadsApart(one, body, analyses, [&](uint32_t number) {
      if (body.facts(number).accesses.empty())
        llvm::for_each(body.namesOf(number), add);
      return false;
    });
  });
}

bool isChosen(BlockId a, BlockId b, const Body &body, Analyses &analyses) {
  const Graph &graph = analyses.graph();
  const DominatorTree &before = analyses.dominators(), &after = analyses.postDominators();
  if (!after.contains(a))
    return false;
  for (BlockId above = before.parent[indexOf(a)]; above != BlockId::None; above = before.parent[indexOf(above)]) {
    if (!graph.splits(above) || !after.contains(above) || after.dominates(a, above))
      continue;
    const bool holdsForBoth = before.dominates(above, b) && after.contains(b) && !after.dominates(b, above);
    if (!holdsForBoth && body.guard(graph[above].last()) != LocalId::None &&
        dependsOnThread(body.guard(graph[above].last()), body, analyses))
      return true;
  }
  return false;
}

bool areOtherThreads(BlockId a, BlockId b, const Body &body, Analyses &analyses) {
  return isChosen(a, b, body, analyses) && isChosen(b, a, body, analyses);
}

bool isShared(isa::WordId space) {
  return space == isa::words::shared || space == isa::words::shared_cta || space == isa::words::shared_cluster;
}

std::optional<int64_t> Places::numberAt(uint32_t number, int node) {
  if (node < 0)
    return std::nullopt;
  const Operand *operand = &body.ast->operands[body.instruction(number).operands.first + node];
  for (unsigned count = 0; count < mostSteps && operand->kind == OperandKind::Name && !operand->flags; ++count) {
    number = analyses.definitions().only(nameAt(body, number, node));
    if (number == Definitions::none || body.guard(number) != LocalId::None ||
        body.facts(number).computation.operation != isa::Operation::Mov || !body.facts(number).computation.isKnown ||
        body.instruction(number).operands.count != 2)
      return std::nullopt;
    node = 1;
    operand = &body.ast->operands[body.instruction(number).operands.first + 1];
  }
  if (operand->kind == OperandKind::Integer)
    return operand->value;
  return std::nullopt;
}

} // namespace ptxray
