// unfreed-tensor-memory, allocation-after-relinquish: columns of tensor memory, which a kernel takes and gives back.
#include "Hazards/Hazards.h"
#include "Isa/Isa.h"

namespace ptxray {
namespace {

class Allocations {
public:
  explicit Allocations(HazardContext &context)
      : context(context), body(context.body), graph(context.analyses.graph()) {}
  void check();

private:
  std::vector<bool> reachedFrom(llvm::ArrayRef<uint32_t> numbers, const std::vector<bool> *without) const;
  std::vector<bool> reaching(const std::vector<bool> &blocks) const;
  void unfreed(uint32_t allocation);
  void relinquished();

  HazardContext &context;
  const Body &body;
  const Graph &graph;
  std::vector<uint32_t> allocations, frees, relinquishments;
};

} // namespace

/// Blocks that control comes to after one of the instructions, by ways that avoid those of `without`.
std::vector<bool> Allocations::reachedFrom(llvm::ArrayRef<uint32_t> numbers, const std::vector<bool> *without) const {
  std::vector<bool> reached(graph.size());
  llvm::SmallVector<BlockId, 16> waiting;
  const auto add = [&](BlockId block) {
    if (!reached[indexOf(block)] && !(without && (*without)[indexOf(block)])) {
      reached[indexOf(block)] = true;
      waiting.push_back(block);
    }
  };
  for (const uint32_t number : numbers)
    llvm::for_each(graph.successors.of(graph.blockOf(number)), add);
  while (!waiting.empty())
    llvm::for_each(graph.successors.of(waiting.pop_back_val()), add);
  return reached;
}

/// Blocks from which control may come to one of these, themselves included.
std::vector<bool> Allocations::reaching(const std::vector<bool> &blocks) const {
  std::vector<bool> found = blocks;
  llvm::SmallVector<BlockId, 16> waiting;
  for (uint32_t block = 0; block < blocks.size(); ++block)
    if (blocks[block])
      waiting.push_back(BlockId(block));
  while (!waiting.empty())
    for (const BlockId from : graph.predecessors.of(waiting.pop_back_val()))
      if (!found[indexOf(from)]) {
        found[indexOf(from)] = true;
        waiting.push_back(from);
      }
  return found;
}

/// Control leaves the kernel where it never comes to a place that frees the memory, and all threads go there together.
void Allocations::unfreed(uint32_t allocation) {
  std::vector<bool> isFreeing(graph.size());
  for (const uint32_t number : frees)
    isFreeing[indexOf(graph.blockOf(number))] = true;
  const std::vector<bool> mayFree = reaching(isFreeing), freed = reachedFrom(frees, nullptr);
  std::vector<bool> unfreed = reachedFrom(allocation, &isFreeing);
  unfreed[indexOf(graph.blockOf(allocation))] = true;
  bool ends = false;
  for (uint32_t block = 0; block < graph.size(); ++block) {
    if (!unfreed[block] || freed[block])
      continue;
    ends |= graph[BlockId(block)].leaves;
    if (frees.empty() || !mayFree[block] || isFreeing[block])
      continue;
    const uint32_t last = graph[BlockId(block)].last();
    const bool parts = graph[BlockId(block)].leaves ||
                       llvm::any_of(graph.successors.of(BlockId(block)),
                                    [&](BlockId next) { return !mayFree[indexOf(next)] && !freed[indexOf(next)]; });
    if (!parts || body.guard(last) == LocalId::None ||
        !isSameIn(isa::Scope::Cta, body.guard(last), body, context.analyses))
      continue;
    context.sink.report(DiagId::UnfreedTensorMemory, context.opcodeRange(allocation), context.opcode(allocation))
        .notes.push_back({"control leaves the kernel here, on a way that does not free it", context.range(last)});
    return;
  }
  if (frees.empty() && ends)
    context.sink.report(DiagId::UnfreedTensorMemory, context.opcodeRange(allocation), context.opcode(allocation));
}

void Allocations::relinquished() {
  const std::vector<bool> after = reachedFrom(relinquishments, nullptr);
  for (const uint32_t allocation : allocations) {
    const BlockId block = graph.blockOf(allocation);
    const auto before = llvm::find_if(
        relinquishments, [&](uint32_t number) { return graph.blockOf(number) == block && number < allocation; });
    if (before == relinquishments.end() && !after[indexOf(block)])
      continue;
    const uint32_t given = before == relinquishments.end() ? relinquishments.front() : *before;
    context.sink.report(DiagId::AllocationAfterRelinquish, context.opcodeRange(allocation), context.opcode(allocation))
        .notes.push_back({"given up here", context.range(given)});
    return;
  }
}

void Allocations::check() {
  for (const uint32_t number : context.events) {
    const Facts &facts = body.facts(number);
    if (!hasAny<isa::FactKind::Allocates, isa::FactKind::Frees, isa::FactKind::Relinquishes>(facts) ||
        !graph.isReached(graph.blockOf(number)))
      continue;
    if (facts.has(isa::FactKind::Allocates))
      allocations.push_back(number);
    if (facts.has(isa::FactKind::Frees))
      frees.push_back(number);
    if (facts.has(isa::FactKind::Relinquishes))
      relinquishments.push_back(number);
  }
  if (allocations.empty())
    return;
  relinquished();
  if (context.isWhole)
    unfreed(allocations.front());
}

void checkTensorMemory(HazardContext &context) { Allocations(context).check(); }

} // namespace ptxray
