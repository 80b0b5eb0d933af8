#include "Flow/Addresses.h"
#include "Isa/Isa.h"
#include "Match/Opcode.h"

namespace ptxray {

constexpr unsigned mostSteps = 64;

bool AddressOrigins::precedes(uint32_t first, uint32_t second) {
  const Graph &graph = analyses.graph();
  const BlockId a = graph.blockOf(first), b = graph.blockOf(second);
  if (a == b)
    return first < second;
  const DominatorTree &tree = analyses.dominators();
  return tree.contains(a) && tree.contains(b) && tree.dominates(a, b);
}

/// The one instruction that gives the register its value.
uint32_t AddressOrigins::definition(LocalId local) {
  const uint32_t only = analyses.definitions().only(local);
  const bool isCertain = only != Definitions::none && body.guard(only) == LocalId::None && body.facts(only).known;
  return isCertain ? only : Definitions::none;
}

namespace {

/// A register or variable and a number, the only sources of an instruction.
struct Sum {
  const Operand *name = nullptr;
  LocalId local = LocalId::None;
  int64_t offset = 0;
};

} // namespace

static std::optional<Sum> sumOf(const Body &body, uint32_t number) {
  const Computation &computation = body.facts(number).computation;
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(number).operands);
  const bool isSum = computation.operation == isa::Operation::Add || computation.operation == isa::Operation::Sub;
  if (!computation.isKnown || nodes.front().kind != OperandKind::Name || nodes.size() != (isSum ? 3 : 2) ||
      (!isSum && computation.operation != isa::Operation::Mov))
    return std::nullopt;
  Sum sum;
  const LocalId *local = body.namesOf(number).data();
  for (const Operand &node : nodes.drop_front()) {
    const bool isSecond = &node == &nodes.back() && isSum;
    if (node.kind == OperandKind::Integer && isSum) {
      if (!isSecond && computation.operation == isa::Operation::Sub)
        return std::nullopt;
      const int64_t value = computation.resultBits == 32 ? static_cast<int32_t>(node.value) : node.value;
      sum.offset += computation.operation == isa::Operation::Sub ? -value : value;
    } else if (node.kind == OperandKind::Name && !sum.name && !(node.flags & ~HasOffset) &&
               node.suffix == SpellingId::None && !(isSecond && computation.operation == isa::Operation::Sub)) {
      sum.name = &node;
      sum.local = *++local;
      sum.offset += node.flags & HasOffset ? node.value : 0;
    } else {
      return std::nullopt;
    }
  }
  return sum.name ? std::optional(sum) : std::nullopt;
}

Base AddressOrigins::baseOf(LocalId local, uint32_t at) {
  Base base = {local, 0, false};
  for (unsigned step = 0; step < mostSteps; ++step) {
    const uint32_t number = definition(base.local);
    if (number == Definitions::none)
      break;
    const std::optional<Sum> sum = sumOf(body, number);
    const Symbol *symbol = sum ? body.symbol(sum->local) : nullptr;
    if (!symbol || (symbol->kind != SymbolKind::Register && symbol->kind != SymbolKind::Variable) ||
        !precedes(number, at))
      break;
    base = {sum->local, base.offset + sum->offset, symbol->kind == SymbolKind::Variable};
    if (base.isVariable)
      break;
    at = number;
  }
  return base;
}

Origin AddressOrigins::originOf(LocalId local, unsigned depth) {
  const Symbol *symbol = body.symbol(local);
  if (!symbol || depth > mostSteps)
    return {};
  if (symbol->kind == SymbolKind::Variable)
    return {Origin::OfSpace, symbol->space};
  const uint32_t number = symbol->kind == SymbolKind::Register ? definition(local) : Definitions::none;
  if (number == Definitions::none)
    return {};
  // One that depends on itself is being worked out.
  auto [known, isNew] = origins.try_emplace(local);
  if (!isNew)
    return known->second;
  const Origin found = origin(number, depth);
  return origins[local] = found;
}

/// Of what one instruction makes.
Origin AddressOrigins::origin(uint32_t number, unsigned depth) {
  const Computation &computation = body.facts(number).computation;
  if (!computation.isKnown)
    return {};
  switch (computation.operation) {
  case isa::Operation::ToGeneric: return {Origin::Generic, 0, number};
  case isa::Operation::FromGeneric:
    for (const OpcodeWord &word : body.verdicts[number]->opcode->words)
      if (isa::word(word.id).wordClass == isa::WordClass::Space)
        return {Origin::OfSpace, word.id, number};
    return {};
  case isa::Operation::Mov:
  case isa::Operation::Add:
  case isa::Operation::Sub: break;
  default: return {};
  }
  // A difference of two addresses is not one, nor is a sum.
  Origin found;
  unsigned count = 0, sources = 0;
  body.eachUse(number, [&](NamedUse use) {
    if (!(use.uses & (Reads | Names)))
      return;
    const Origin one = originOf(use.local, depth + 1);
    const bool isSubtracted = sources++ && computation.operation == isa::Operation::Sub;
    count += one.kind != Origin::Unknown;
    if (one.kind != Origin::Unknown && !isSubtracted)
      found = one;
  });
  if (count != 1 || found.kind == Origin::Unknown)
    return {};
  if (found.made == ~0u)
    found.made = number;
  return found;
}

} // namespace ptxray
