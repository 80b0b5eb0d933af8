#include "Hazards/Places.h"
#include "Flow/Addresses.h"
#include "Isa/Isa.h"
#include "llvm/ADT/SmallSet.h"

namespace ptxray {

constexpr unsigned mostSteps = 64;

bool isSame(const MemoryPlace &a, const MemoryPlace &b) {
  return a.hasBaseOf(b) && a.offset < b.offset + std::max<int64_t>(b.bytes, 1) &&
         b.offset < a.offset + std::max<int64_t>(a.bytes, 1);
}

bool isElsewhere(const MemoryPlace &a, const MemoryPlace &b) {
  if (a.hasBaseOf(b))
    return !isSame(a, b) && a.bytes && b.bytes;
  return a.root != LocalId::None && b.root != LocalId::None && a.root != b.root;
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

MemoryPlace Places::follow(LocalId local) {
  const auto [entry, isNew] = known.try_emplace(local);
  if (!isNew)
    return entry->second;
  MemoryPlace place = {local, 0, false, LocalId::None, 1};
  for (unsigned step = 0; step < mostSteps; ++step) {
    const Symbol *symbol = body.symbol(place.base);
    place.isVariable = symbol && symbol->kind == SymbolKind::Variable;
    if (place.isVariable || !symbol || symbol->kind != SymbolKind::Register)
      break;
    const uint32_t number = analyses.definitions().only(place.base);
    if (number == Definitions::none || body.guard(number) != LocalId::None)
      break;
    const Computation &computation = body.facts(number).computation;
    const bool isSum =
        computation.operation == isa::Operation::Add || computation.operation == isa::Operation::Sub;
    if (!computation.isKnown || !(isSum || goesThrough(computation.operation)))
      break;
    const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(number).operands);
    const LocalId *name = body.namesOf(number).data();
    LocalId source = LocalId::None;
    int64_t added = 0;
    bool isSimple = nodes.size() == (isSum ? 3 : 2) && nodes.front().kind == OperandKind::Name;
    for (const Operand &node : nodes.drop_front()) {
      const int sign = isSum && &node == &nodes.back() && computation.operation == isa::Operation::Sub ? -1 : 1;
      if (node.kind == OperandKind::Integer)
        added += sign * (computation.resultBits == 32 ? static_cast<int32_t>(node.value) : node.value);
      else if (node.kind != OperandKind::Name || source != LocalId::None || sign < 0 || node.suffix != SpellingId::None)
        isSimple = false;
      else {
        source = *++name;
        added += node.flags & HasOffset ? node.value : 0;
      }
    }
    if (!isSimple || source == LocalId::None)
      break;
    place.base = source;
    place.offset += added;
  }
  place.root = place.isVariable ? place.base : rootOf(place.base);
  return known[local] = place;
}

/// The one variable that a register is made from, by whatever arithmetic.
LocalId Places::rootOf(LocalId local) {
  const auto [entry, isNew] = roots.try_emplace(local, LocalId::None);
  if (!isNew)
    return entry->second;
  llvm::SmallVector<LocalId, 16> waiting = {local};
  llvm::SmallSet<LocalId, 16> seen = {local};
  LocalId root = LocalId::None;
  bool isOne = true;
  while (!waiting.empty() && isOne) {
    const LocalId one = waiting.pop_back_val();
    analyses.definitions().eachWriter(one, [&](uint32_t number) {
      const Computation &computation = body.facts(number).computation;
      if (!computation.isKnown || !staysInside(computation.operation))
        return;
      body.eachUse(number, [&](NamedUse use) {
        const Symbol *symbol = use.uses & (Reads | Names) ? body.symbol(use.local) : nullptr;
        if (symbol && symbol->kind == SymbolKind::Variable) {
          isOne &= root == LocalId::None || root == use.local;
          root = use.local;
        } else if (symbol && seen.insert(use.local).second) {
          waiting.push_back(use.local);
        }
      });
    });
    isOne &= seen.size() < 4 * mostSteps;
  }
  return roots[local] = isOne ? root : LocalId::None;
}

MemoryPlace Places::at(uint32_t number, uint32_t node, uint32_t bytes) {
  const Instruction &instruction = body.instruction(number);
  const Operand *nodes = body.ast->operands.data() + instruction.operands.first;
  if (nodes[node].kind == OperandKind::Address && node + 1 < instruction.operands.count)
    ++node;
  if (nodes[node].kind != OperandKind::Name)
    return {};
  const LocalId *name = body.namesOf(number).data();
  for (uint32_t i = 0; i < node; ++i)
    name += nodes[i].kind == OperandKind::Name;
  MemoryPlace place = follow(*name);
  place.offset += nodes[node].flags & HasOffset ? nodes[node].value : 0;
  place.bytes = bytes;
  return place;
}

bool isSameIn(isa::Scope scope, LocalId local, const Body &body, Analyses &analyses, unsigned depth) {
  const Symbol *symbol = body.symbol(local);
  if (!symbol) {
    const isa::SpecialRegister *special = isa::findSpecialRegister(body.text(local));
    return special && special->scope >= scope;
  }
  if (symbol->kind == SymbolKind::Variable)
    return symbol->isParameter;
  const uint32_t number = analyses.definitions().only(local);
  if (symbol->kind != SymbolKind::Register || number == Definitions::none || depth > mostSteps / 2)
    return false;
  const Facts &facts = body.facts(number);
  const bool isParameter = !facts.accesses.empty() && llvm::all_of(facts.accesses, [](const Access &access) {
    return access.isVariable && access.kind == isa::Access::Reads;
  });
  if (body.guard(number) != LocalId::None || !(facts.computation.isKnown || isParameter))
    return false;
  return llvm::all_of(body.namesOf(number), [&](LocalId one) {
    return one == local || isSameIn(scope, one, body, analyses, depth + 1);
  });
}

bool isShared(isa::WordId space) { return space && wholeSpace(space) == ".shared"; }

std::optional<int64_t> Places::numberAt(uint32_t number, int node) {
  if (node < 0)
    return std::nullopt;
  const Operand &operand = body.ast->operands[body.instruction(number).operands.first + node];
  if (operand.kind == OperandKind::Integer)
    return operand.value;
  return std::nullopt;
}

} // namespace ptxray
