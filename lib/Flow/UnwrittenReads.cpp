#include "Flow/UnwrittenReads.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

std::vector<LocalId> writtenRegisters(const Body &body) {
  std::vector<LocalId> found;
  for (uint32_t local = 1; local < body.locals.size(); ++local)
    if (body.isOwnRegister(LocalId(local)) && body.definitions.isWritten(LocalId(local)))
      found.push_back(LocalId(local));
  return found;
}

UnwrittenReads::UnwrittenReads(const Body &body, Analyses &analyses, llvm::ArrayRef<LocalId> askedFor)
    : body(body), budget(analyses.budget()), graph(analyses.graph()), tree(analyses.dominators()),
      definitions(body.definitions) {
  find(askedFor);
  if (count)
    solve();
}

namespace {

/// The accesses to a register in the blocks so far.
struct Seen {
  BlockId touched = BlockId::None, guarded = BlockId::None; // read or written; read under a predicate
  BlockId first = BlockId::None, last = BlockId::None;      // written
};

} // namespace

static bool namesAny(const Body &body, uint32_t number, llvm::ArrayRef<uint8_t> isAskedFor) {
  const Instruction &one = body.instruction(number);
  const LocalId *names = body.names.data() + (one.names.first - body.firstName);
  uint8_t isNamed = one.guard != NameId::None && isAskedFor[static_cast<uint32_t>(names[-1])];
  for (uint32_t i = 0; i < one.names.count; ++i)
    isNamed |= isAskedFor[static_cast<uint32_t>(names[i])];
  return isNamed;
}

/// Finds all reads before a write in their block, except those dominated by a block that writes the register.
void UnwrittenReads::find(llvm::ArrayRef<LocalId> askedFor) {
  std::vector<uint8_t> isAskedFor(body.locals.size());
  for (const LocalId local : askedFor)
    isAskedFor[static_cast<uint32_t>(local)] = true;
  std::vector<Seen> seen(body.locals.size());
  llvm::SmallVector<LocalId, 8> written;
  indexOfLocal.assign(body.locals.size(), 0);
  for (const BlockId block : graph.order) {
    const auto isWrittenIn = [&](BlockId writer) { return writer != BlockId::None && tree.dominates(writer, block); };
    const auto read = [&](LocalId local, uint32_t number, Range range, bool isDoubtful) {
      Seen &known = seen[static_cast<uint32_t>(local)];
      BlockId &last = isDoubtful ? known.guarded : known.touched;
      if (known.touched == block || last == block)
        return;
      last = block;
      if (!isAskedFor[static_cast<uint32_t>(local)] || isWrittenIn(known.first) || isWrittenIn(known.last))
        return;
      if (uint32_t &index = indexOfLocal[static_cast<uint32_t>(local)]; !index)
        index = ++count;
      reads.push_back({local, block, number, range, isDoubtful});
    };
    for (uint32_t number = graph[block].first; number < graph[block].end; ++number) {
      if (!namesAny(body, number, isAskedFor))
        continue;
      const LocalId guard = body.guard(number);
      if (guard != LocalId::None)
        read(guard, number, body.instruction(number).guardRange, false);
      // A selection may need only one of its two sources.
      const bool isChoice = body.facts(number).computation.operation == isa::Operation::Selp;
      written.clear(); // reads of an instruction precede its writes
      body.eachUse(number, [&](NamedUse use) {
        if ((use.uses & Reads) && (use.uses & Updates) != Updates && !isChoice)
          read(use.local, number, use.operand.range, guard != LocalId::None || use.uses & Passes);
        if (use.uses & Writes)
          written.push_back(use.local);
      });
      for (const LocalId local : written) {
        Seen &known = seen[static_cast<uint32_t>(local)];
        known.touched = known.last = block;
        if (known.first == BlockId::None)
          known.first = block;
      }
    }
  }
}

/// Finds the registers that may be uninitialised at the beginning of each block: some path to the block does not write
/// them.
void UnwrittenReads::solve() {
  if (!budget.allows(Limit::WrittenSets, (count + 63) / 64 * size_t(graph.size())))
    return reads.clear();
  BlockSets writes(graph.size(), count);
  for (uint32_t local = 0; local < indexOfLocal.size(); ++local)
    if (const uint32_t index = indexOfLocal[local])
      definitions.eachWriter(LocalId(local), [&](uint32_t number) { writes.add(graph.blockOf(number), index - 1); });
  unwritten.emplace(graph.size(), count).addAll(graph.order.front());
  if (!unwritten->spread(llvm::ArrayRef(graph.order), graph.successors, writes, budget))
    reads.clear();
  llvm::erase_if(reads, [&](const UnwrittenRead &read) { return isWrittenBefore(read.block, read.local); });
  llvm::stable_sort(reads, [](const UnwrittenRead &a, const UnwrittenRead &b) { return a.local < b.local; });
  findAvoidable(std::move(writes));
}

/// Finds registers that need not be read: walks backwards from the blocks that write them, and from exits, over blocks
/// that do not read them.
void UnwrittenReads::findAvoidable(BlockSets ending) {
  BlockSets reading(graph.size(), count);
  for (const UnwrittenRead &read : reads)
    reading.add(read.block, indexOfLocal[static_cast<uint32_t>(read.local)] - 1);
  for (uint32_t block = 0; block < graph.size(); ++block)
    if (graph.blocks[block].leaves)
      ending.addAll(BlockId(block));
  const bool isSolved = ending.spread(llvm::reverse(graph.order), graph.predecessors, reading, budget);
  for (uint32_t index = 0; index < count; ++index)
    avoidable.push_back(!isSolved ||
                        (ending.contains(graph.order.front(), index) && !reading.contains(graph.order.front(), index)));
}

} // namespace ptxray
