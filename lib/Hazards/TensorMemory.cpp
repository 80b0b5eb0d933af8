// unfreed-tensor-memory, allocation-after-relinquish, beyond-allocation: columns of tensor memory that a kernel
// allocates and frees.
#include "Flow/Values.h"
#include "Hazards/Hazards.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"

namespace ptxray {
namespace {

class Allocations {
public:
  explicit Allocations(HazardContext &context)
      : context(context), body(context.body), graph(context.analyses.graph()) {}
  void check();

private:
  template <typename Passes> FoundBlocks reachedFrom(llvm::ArrayRef<uint32_t> numbers, Passes passes) const;
  template <typename Is> FoundBlocks reaching(Is is) const;
  void unfreed(uint32_t allocation);
  void relinquished();
  void columns(uint32_t allocation);
  LocalId addressFrom(uint32_t load, const MemoryPlace &place);

  HazardContext &context;
  const Body &body;
  const Graph &graph;
  std::vector<uint32_t> allocations, frees, relinquishments;
};

} // namespace

/// Returns the blocks that are reachable after one of the instructions, through blocks for which `passes` is true.
template <typename Passes> FoundBlocks Allocations::reachedFrom(llvm::ArrayRef<uint32_t> numbers, Passes passes) const {
  FoundBlocks reached(graph.size());
  for (const uint32_t number : numbers)
    reached.addAll(graph.successors.of(graph.blockOf(number)));
  reached.spread(graph.successors, passes);
  return reached;
}

/// Returns the blocks from which execution may reach a block for which `is` returns true, including these blocks.
template <typename Is> FoundBlocks Allocations::reaching(Is is) const {
  FoundBlocks found(graph.size());
  for (uint32_t block = 0; block < graph.size(); ++block)
    if (is(BlockId(block)))
      found.add(BlockId(block));
  found.spread(graph.predecessors);
  return found;
}

/// Reports an allocation if execution can leave the kernel without freeing the memory, and all threads take that path.
/// An end of the whole grid (`trap`, a failed assertion) frees everything.
void Allocations::unfreed(uint32_t allocation) {
  const auto isFreeing = [&](BlockId block) {
    return llvm::any_of(frees, [&](uint32_t number) { return graph.blockOf(number) == block; });
  };
  const FoundBlocks mayFree = reaching(isFreeing);
  const FoundBlocks mayLeave = reaching([&](BlockId block) { return graph[block].leaves; });
  const FoundBlocks freed = reachedFrom(frees, [](BlockId) { return true; });
  FoundBlocks unfreed = reachedFrom(allocation, [&](BlockId block) { return !isFreeing(block); });
  unfreed.add(graph.blockOf(allocation));
  bool ends = false;
  for (uint32_t index = 0; index < graph.size(); ++index) {
    const auto block = BlockId(index);
    if (!unfreed.contains(block) || freed.contains(block))
      continue;
    ends |= graph[block].leaves;
    if (frees.empty() || !mayFree.contains(block) || isFreeing(block))
      continue;
    const uint32_t last = graph[block].last();
    const bool parts = graph[block].leaves || llvm::any_of(graph.successors.of(block), [&](BlockId next) {
                         return !mayFree.contains(next) && !freed.contains(next) && mayLeave.contains(next);
                       });
    if (!parts || body.guard(last) == LocalId::None || !context.places.isSameIn(isa::Scope::Cta, body.guard(last)))
      continue;
    context.sink.report(DiagId::UnfreedTensorMemory, context.opcodeRange(allocation), context.opcode(allocation))
        .notes.push_back({"the kernel ends here, on a path that does not free it", context.range(last)});
    return;
  }
  if (frees.empty() && ends)
    context.sink.report(DiagId::UnfreedTensorMemory, context.opcodeRange(allocation), context.opcode(allocation));
}

void Allocations::relinquished() {
  const FoundBlocks after = reachedFrom(relinquishments, [](BlockId) { return true; });
  for (const uint32_t allocation : allocations) {
    const BlockId block = graph.blockOf(allocation);
    const auto before = llvm::find_if(
        relinquishments, [&](uint32_t number) { return graph.blockOf(number) == block && number < allocation; });
    if (before == relinquishments.end() && !after.contains(block))
      continue;
    const uint32_t given = before == relinquishments.end() ? relinquishments.front() : *before;
    context.sink.report(DiagId::AllocationAfterRelinquish, context.opcodeRange(allocation), context.opcode(allocation))
        .notes.push_back({"given up here", context.range(given)});
    return;
  }
}

/// Returns the register into which an instruction loads the allocated address; None for other instructions.
LocalId Allocations::addressFrom(uint32_t load, const MemoryPlace &place) {
  const Facts &facts = body.facts(load);
  if (facts.accesses.size() != 1 || !isShared(facts.accesses.front().space) ||
      facts.accesses.front().kind != isa::Access::Reads || body.namesOf(load).empty() ||
      !isSame(context.places.at(load, facts.accesses.front().node, 4), place))
    return LocalId::None;
  const LocalId loaded = nameAt(body, load, 0);
  return context.body.definitions.only(loaded) == load ? loaded : LocalId::None;
}

/// Returns the minimum number of columns that an instruction accesses. An instruction that all lanes of a warp execute
/// moves one or two columns for each register.
static int64_t widthOf(const Body &body, uint32_t number) {
  int64_t width = 1;
  if (body.facts(number).has(FactKind::Converged))
    for (const Operand &node : body.operands(number))
      if (node.kind == OperandKind::Vector)
        width = std::max<int64_t>(width, node.extent - 1);
  return width;
}

/// Returns the column of an address, relative to the first one of the allocation. The column is in the lower half,
/// regardless of the lane in the upper half.
static std::optional<int64_t> columnOf(const Numbers &address, LocalId base) {
  constexpr int64_t columns = 1 << 16;
  if (address.base != base || address.step % columns || address.low < 0)
    return std::nullopt;
  return address.low % columns;
}

/// Reports accesses beyond the columns of an allocation, if only its address and constants determine them.
void Allocations::columns(uint32_t allocation) {
  const Facts &facts = body.facts(allocation);
  const Action *action = facts.find(FactKind::Allocates);
  const std::optional<int64_t> taken = context.places.numberAt(allocation, action->amount);
  const MemoryPlace place = context.places.at(allocation, action->node, 4);
  if (!taken || llvm::any_of(allocations, [&](uint32_t other) {
        return other != allocation && !isElsewhere(context.places.at(other, action->node, 4), place);
      }))
    return;
  for (const uint32_t load : context.events) {
    const LocalId address = addressFrom(load, place);
    if (address == LocalId::None)
      continue;
    Values values(body, context.analyses, address);
    for (const uint32_t number : context.events)
      for (const Access &access : body.facts(number).accesses) {
        if (access.space != isa::words::tmem)
          continue;
        const llvm::ArrayRef<Operand> nodes = body.operands(number);
        const uint32_t node = access.node + (nodes[access.node].kind == OperandKind::Address);
        const std::optional<int64_t> column = columnOf(values.numbersAt(number, node), address);
        const int64_t last = column.value_or(0) + widthOf(body, number) - 1;
        if (!column || last < *taken)
          continue;
        context.sink
            .report(DiagId::BeyondAllocation, nodes[access.node].range, context.opcode(number), last,
                    context.opcode(allocation), *taken - 1)
            .notes.push_back({"taken here", context.range(allocation)});
        return;
      }
  }
}

void Allocations::check() {
  for (const uint32_t number : context.events) {
    const Facts &facts = body.facts(number);
    if (!hasAny<FactKind::Allocates, FactKind::Frees, FactKind::Relinquishes>(facts) ||
        !graph.isReached(graph.blockOf(number)))
      continue;
    if (facts.has(FactKind::Allocates))
      allocations.push_back(number);
    if (facts.has(FactKind::Frees))
      frees.push_back(number);
    if (facts.has(FactKind::Relinquishes))
      relinquishments.push_back(number);
  }
  if (allocations.empty())
    return;
  relinquished();
  llvm::for_each(allocations, [this](uint32_t allocation) { columns(allocation); });
  if (context.isWhole)
    unfreed(allocations.front());
}

void checkTensorMemory(HazardContext &context) { Allocations(context).check(); }

} // namespace ptxray
