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

/// Holds what is known of a register, from block to block.
struct Seen {
  BlockId touched = BlockId::None, guarded = BlockId::None; // read or written; read where a predicate is true
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

/// All reads before a write of their block, but for those that a block which writes the register dominates.
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
      const bool isChoice =
          body.facts(number).computation.operation == isa::Operation::Selp; // one of two may be needed
      written.clear();                                                      // an instruction reads before it writes
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

bool UnwrittenReads::isWrittenBefore(BlockId block, LocalId local) const {
  if (!indexOfLocal[static_cast<uint32_t>(local)])
    return true;
  const uint32_t index = indexOfLocal[static_cast<uint32_t>(local)] - 1, words = (count + 63) / 64;
  return before[indexOf(block) * words + index / 64] >> (index % 64) & 1;
}

/// Finds the registers that are written at the beginning of each block: those that are written at the end of all blocks
/// before it.
void UnwrittenReads::solve() {
  const size_t words = (count + 63) / 64;
  if (!budget.allows(Limit::WrittenSets, words * graph.size()))
    return reads.clear();
  std::vector<uint64_t> writes(words * graph.size());
  before.assign(words * graph.size(), ~uint64_t(0));
  for (uint32_t local = 0; local < indexOfLocal.size(); ++local)
    if (const uint32_t index = indexOfLocal[local])
      definitions.eachWriter(LocalId(local), [&](uint32_t number) {
        writes[indexOf(graph.blockOf(number)) * words + (index - 1) / 64] |= uint64_t(1) << ((index - 1) % 64);
      });
  std::fill_n(before.begin() + indexOf(graph.order.front()) * words, words, 0);
  bool isSolved = false;
  for (unsigned round = 1; !isSolved && budget.allows(Limit::Rounds, round); ++round) {
    isSolved = true;
    for (const BlockId block : graph.order)
      for (const BlockId next : graph.successors.of(block))
        for (size_t word = 0; word < words; ++word) {
          const size_t from = indexOf(block) * words + word;
          uint64_t &set = before[indexOf(next) * words + word];
          const uint64_t less = set & (before[from] | writes[from]);
          isSolved &= less == set;
          set = less;
        }
  }
  if (!isSolved)
    reads.clear();
  llvm::erase_if(reads, [&](const UnwrittenRead &read) { return isWrittenBefore(read.block, read.local); });
  llvm::stable_sort(reads, [](const UnwrittenRead &a, const UnwrittenRead &b) { return a.local < b.local; });
  findAvoidable(std::move(writes));
}

/// Backwards from the blocks that write a register, and from those where control leaves, as far as nothing reads it.
void UnwrittenReads::findAvoidable(std::vector<uint64_t> escaping) {
  const size_t words = (count + 63) / 64;
  std::vector<uint64_t> reading(words * graph.size());
  for (const UnwrittenRead &read : reads) {
    const uint32_t index = indexOfLocal[static_cast<uint32_t>(read.local)] - 1;
    reading[indexOf(read.block) * words + index / 64] |= uint64_t(1) << (index % 64);
  }
  for (size_t place = 0; place < escaping.size(); ++place)
    escaping[place] = (graph.blocks[place / words].leaves ? ~uint64_t(0) : escaping[place]) & ~reading[place];
  bool isSolved = false;
  for (unsigned round = 1; !isSolved && budget.allows(Limit::Rounds, round); ++round) {
    isSolved = true;
    for (const BlockId block : llvm::reverse(graph.order))
      for (const BlockId next : graph.successors.of(block))
        for (size_t word = 0; word < words; ++word) {
          const size_t place = indexOf(block) * words + word;
          const uint64_t more = escaping[place] | (escaping[indexOf(next) * words + word] & ~reading[place]);
          isSolved &= more == escaping[place];
          escaping[place] = more;
        }
  }
  for (uint32_t index = 0; index < count; ++index) {
    const uint64_t word = escaping[indexOf(graph.order.front()) * words + index / 64];
    avoidable.push_back(!isSolved || (word >> (index % 64) & 1));
  }
}

} // namespace ptxray
