// read-before-dependency: accesses to global memory before the wait for the preceding grid.
#include "Flow/Addresses.h"
#include "Flow/Sharing.h"
#include "Hazards/Hazards.h"
#include "Hazards/Paths.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Match/Opcode.h"

namespace ptxray {
namespace {

/// Follows all paths from the beginning of a kernel to its waits for another grid.
class GridDependency {
public:
  GridDependency(const Body &body, const BodyContext &context, Analyses &analyses)
      : body(body), context(context), analyses(analyses), graph(analyses.graph()) {}
  void check();

private:
  PathStep step(uint32_t number);
  bool mayHandOver(uint32_t number);
  bool isDependent(uint32_t number, const Access &access);
  bool accessesOther(uint32_t number);

  const Body &body;
  const BodyContext &context;
  Analyses &analyses;
  const Graph &graph;
  std::vector<uint32_t> waits;
  std::optional<FoundBlocks> afterWait;
  uint32_t first = ~0u; // the first access in the source that may precede a wait
};

} // namespace

static bool isWait(const Facts &facts) {
  return facts.find(FactKind::Awaits,
                    [](const Action &action) { return action.node < 0 && action.scope() == isa::Scope::Grid; });
}

/// Returns whether other threads may have waited before they admit this thread at the instruction.
bool GridDependency::mayHandOver(uint32_t number) {
  const Facts &facts = body.facts(number);
  if (facts.find(FactKind::Awaits, [](const Action &action) { return action.node >= 0; }))
    return true;
  if (!facts.has(FactKind::Syncs) && !facts.has(FactKind::Awaits))
    return false;
  const BlockId block = graph.blockOf(number);
  const auto isBefore = [&](uint32_t wait) { return graph.blockOf(wait) == block && wait < number; };
  if (afterWait->contains(block) || llvm::any_of(waits, isBefore))
    return true;
  for (const uint32_t other : body.notable)
    if ((body.facts(other).has(FactKind::Syncs) || body.facts(other).has(FactKind::Arrives)) &&
        afterWait->contains(graph.blockOf(other)) && !analyses.dominators().dominates(block, graph.blockOf(other)))
      return true;
  return false;
}

/// Returns whether another grid may have written the memory. This excludes memory that no kernel writes while this
/// kernel runs, and read-only variables of the module, such as tables.
bool GridDependency::isDependent(uint32_t number, const Access &access) {
  if (!access.reads() && !access.writes())
    return false;
  const bool isConstant = body.verdicts[number]->opcode->has(isa::words::nc);
  if (isConstant || access.isDescribed)
    return false;
  const LocalId local = sourceAt(body, number, access.node).local;
  if (local == LocalId::None)
    return false;
  const Symbol *symbol = body.symbol(local);
  const Address *address = symbol && symbol->kind == SymbolKind::Register ? &analyses.addresses().of(local) : nullptr;
  const bool isVariable = !address || address->root.variable != LocalId::None || address->root.areSeveral;
  if (isa::wholeSpace(access.space) == isa::words::global && !access.isGeneric)
    return !isVariable || access.writes();
  if (!access.isGeneric || isVariable)
    return false;
  return address->origin.kind == AddressOrigin::OfSpace && address->origin.space == isa::words::global;
}

/// Returns whether an instruction accesses global memory without an explicit address: a copy through a tensor map, or a
/// call of a function in the same module.
bool GridDependency::accessesOther(uint32_t number) {
  const Facts &facts = body.facts(number);
  const auto isMap = [](const Access &access) { return access.kind == isa::Access::TensorMap; };
  const auto isData = [](const Access &access) { return access.reads() || access.writes(); };
  if (facts.has(FactKind::Async) && llvm::any_of(facts.accesses, isMap) && llvm::any_of(facts.accesses, isData))
    return true;
  bool accesses = false;
  if (facts.uses & Calls)
    body.eachUse(number, [&](NamedUse use) {
      accesses |= use.uses & Calls && context.module.globalFunctions.contains(static_cast<uint32_t>(use.operand.name));
    });
  return accesses;
}

PathStep GridDependency::step(uint32_t number) {
  if (mayHandOver(number))
    return PathStep::Ends;
  const auto isFirst = [&](const Access &access) { return isDependent(number, access); };
  if (llvm::any_of(body.facts(number).accesses, isFirst) || accessesOther(number)) {
    first = std::min(first, number);
    return PathStep::Found;
  }
  return body.callsUnknown(number) ? PathStep::Ends : PathStep::Continues;
}

void GridDependency::check() {
  for (const uint32_t number : body.notable)
    if (isWait(body.facts(number)))
      waits.push_back(number);
  if (waits.empty() || graph.order.empty())
    return;
  afterWait.emplace(graph.size());
  for (const uint32_t wait : waits)
    afterWait->addAll(graph.successors.of(graph.blockOf(wait)));
  afterWait->spread(graph.successors);
  PathSearch search(body, analyses, waits, isa::Scope::Grid);
  const bool isWhole = search.follow(
      graph[graph.order.front()].first, {}, [&](uint32_t number, const PathPoint &) { return step(number); },
      [](uint32_t) {});
  if (!isWhole || first == ~0u)
    return;
  const Instruction &instruction = body.instruction(first), &wait = body.instruction(waits.front());
  context.sink
      .report(DiagId::ReadBeforeDependency, instruction.range, body.ast->text(instruction.opcode),
              body.ast->text(wait.opcode))
      .notes.push_back({"the kernel waits here", wait.range});
}

bool accessesGlobal(const Body &body) {
  return llvm::any_of(body.accessing, [&](uint32_t number) {
    return llvm::any_of(body.facts(number).accesses, [](const Access &access) {
      return (access.reads() || access.writes()) && (access.space == isa::words::global);
    });
  });
}

void checkGridDependency(const Body &body, const BodyContext &context, Analyses &analyses) {
  const bool waits = llvm::any_of(body.notable, [&](uint32_t number) { return isWait(body.facts(number)); });
  if (body.function->kind == FunctionKind::Entry && waits)
    GridDependency(body, context, analyses).check();
}

} // namespace ptxray
