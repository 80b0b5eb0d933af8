// unwritten-on-path: a register that is read where nothing wrote it on one of the ways there.
//
// Of one register, blocks are
//   unwritten   control can come to them from the beginning by no block that writes it
//   perhaps written   control can come to them by a block that writes it
//   doomed      by whatever way control leaves them, it comes to a read before a write
// A branch from a block that is unwritten and not perhaps written, and not doomed, to one that is doomed is to blame. A
// read that only some ways lead to (mostly those on which a predicate says that it was written) is none.
#include "Flow/Analyses.h"
#include "Flow/BodyRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

/// Blocks looked at in one function: what is beyond is not reported.
constexpr size_t mostVisits = 2'000'000;

class UnwrittenPaths {
public:
  UnwrittenPaths(const Body &body, DiagnosticSink &sink, Analyses &analyses)
      : body(body), sink(sink), graph(analyses.graph()), tree(analyses.dominators()),
        definitions(analyses.definitions()), isWriting(graph.size()), isUnwritten(graph.size()),
        isPerhapsWritten(graph.size()), left(graph.size(), 0) {}
  void check();

private:
  /// A read before any write of its block.
  struct Read {
    LocalId local;
    BlockId block;
    uint32_t number;
    Range range;
  };
  void findReads();
  void check(llvm::ArrayRef<Read> reads);
  bool isAlwaysWritten(llvm::ArrayRef<Read> reads, llvm::ArrayRef<BlockId> writing) const;
  void findUnwritten();
  void findPerhapsWritten(llvm::ArrayRef<BlockId> writing);
  void findDoomed(llvm::ArrayRef<Read> reads);
  void report(const Read &read);
  BlockId blameFor(const Read &read);

  const Body &body;
  DiagnosticSink &sink;
  const Graph &graph;
  const DominatorTree &tree;
  const Definitions &definitions;
  std::vector<Read> reads;
  std::vector<bool> isWriting, isUnwritten, isPerhapsWritten;
  std::vector<uint32_t> left; // by block: successors that are not doomed, + 1; 1: doomed; 0: not looked at
  std::vector<BlockId> unwritten, perhapsWritten, doomed;
  size_t visits = 0;
};

} // namespace

static bool isOwnRegister(const Symbol *symbol) {
  return symbol && symbol->kind == SymbolKind::Register && symbol->depth > 0 && !symbol->isParameter &&
         !symbol->isReturn;
}

void UnwrittenPaths::findReads() {
  std::vector<BlockId> seen(body.locals.size(), BlockId::None); // by LocalId: read or written in this block
  for (const BlockId block : graph.order)
    for (uint32_t number = graph[block].first; number < graph[block].end; ++number) {
      const auto read = [&](LocalId local, Range range) {
        BlockId &last = seen[static_cast<uint32_t>(local)];
        if (last != block && isOwnRegister(body.symbol(local)) && definitions.isWritten(local))
          reads.push_back({local, block, number, range});
        last = block;
      };
      // What its predicate says may be the same as on the way there.
      const bool isGuarded = body.guard(number) != LocalId::None;
      if (isGuarded)
        read(body.guard(number), body.instruction(number).guardRange);
      body.eachUse(number, [&](NamedUse use) {
        if ((use.uses & Reads) && !(use.uses & Passes) && !isGuarded)
          read(use.local, use.operand.range);
      });
      body.eachUse(number, [&](NamedUse use) {
        if (use.uses & Writes)
          seen[static_cast<uint32_t>(use.local)] = block;
      });
    }
  llvm::stable_sort(reads, [](const Read &a, const Read &b) { return a.local < b.local; });
}

bool UnwrittenPaths::isAlwaysWritten(llvm::ArrayRef<Read> reads, llvm::ArrayRef<BlockId> writing) const {
  return llvm::any_of(writing.take_front(4), [&](BlockId writer) {
    return llvm::all_of(reads,
                        [&](const Read &read) { return writer != read.block && tree.dominates(writer, read.block); });
  });
}

void UnwrittenPaths::findUnwritten() {
  const auto reach = [&](BlockId block) {
    if (isUnwritten[indexOf(block)])
      return;
    isUnwritten[indexOf(block)] = true;
    unwritten.push_back(block);
  };
  reach(BlockId(0));
  for (size_t i = 0; i < unwritten.size(); ++i) // it grows
    if (!isWriting[indexOf(unwritten[i])])
      llvm::for_each(graph.successors.of(unwritten[i]), reach);
  visits += unwritten.size();
}

void UnwrittenPaths::findPerhapsWritten(llvm::ArrayRef<BlockId> writing) {
  const auto reach = [&](BlockId block) {
    if (isPerhapsWritten[indexOf(block)])
      return;
    isPerhapsWritten[indexOf(block)] = true;
    perhapsWritten.push_back(block);
  };
  for (const BlockId block : writing)
    llvm::for_each(graph.successors.of(block), reach);
  for (size_t i = 0; i < perhapsWritten.size(); ++i) // it grows
    llvm::for_each(graph.successors.of(perhapsWritten[i]), reach);
  visits += perhapsWritten.size();
}

void UnwrittenPaths::findDoomed(llvm::ArrayRef<Read> reads) {
  std::vector<BlockId> waiting;
  for (const Read &read : reads) {
    left[indexOf(read.block)] = 1;
    doomed.push_back(read.block);
    waiting.push_back(read.block);
  }
  while (!waiting.empty()) {
    const BlockId block = waiting.back();
    waiting.pop_back();
    for (const BlockId from : graph.predecessors.of(block)) {
      uint32_t &count = left[indexOf(from)];
      if (count == 1 || isWriting[indexOf(from)] || !isUnwritten[indexOf(from)])
        continue;
      if (!count) {
        count = static_cast<uint32_t>(graph.successors.of(from).size()) + graph[from].leaves + 1;
        doomed.push_back(from);
      }
      if (--count == 1)
        waiting.push_back(from);
    }
  }
  visits += doomed.size();
}

/// The block where control could have gone a way on which the register is written; None: there is no such way.
BlockId UnwrittenPaths::blameFor(const Read &read) {
  std::vector<BlockId> waiting = {read.block};
  llvm::SmallVector<BlockId, 8> seen = {read.block};
  while (!waiting.empty() && seen.size() < 100) {
    const BlockId block = waiting.back();
    waiting.pop_back();
    for (const BlockId from : graph.predecessors.of(block)) {
      if (!isUnwritten[indexOf(from)] || isWriting[indexOf(from)] || llvm::is_contained(seen, from))
        continue;
      if (left[indexOf(from)] != 1) {
        if (!isPerhapsWritten[indexOf(from)])
          return from;
        continue;
      }
      seen.push_back(from);
      waiting.push_back(from);
    }
  }
  return BlockId::None;
}

void UnwrittenPaths::report(const Read &read) {
  if (!isUnwritten[indexOf(read.block)])
    return;
  const BlockId blame = blameFor(read);
  if (blame == BlockId::None)
    return;
  sink.report(DiagId::UnwrittenOnPath, read.range, body.text(read.local))
      .notes.push_back({"by one way from here, nothing writes it", body.instruction(graph[blame].last()).range});
}

void UnwrittenPaths::check(llvm::ArrayRef<Read> reads) {
  llvm::SmallVector<BlockId, 8> writing;
  definitions.eachWriter(reads.front().local, [&](uint32_t number) {
    const BlockId block = graph.blockOf(number);
    if (!isWriting[indexOf(block)] && graph.isReached(block))
      writing.push_back(block);
    isWriting[indexOf(block)] = true;
  });
  if (!isAlwaysWritten(reads, writing)) {
    findUnwritten();
    findPerhapsWritten(writing);
    findDoomed(reads);
    const auto *first = llvm::find_if(reads, [&](const Read &read) { return isUnwritten[indexOf(read.block)]; });
    if (first != reads.end())
      report(*first);
  }
  for (const BlockId block : unwritten)
    isUnwritten[indexOf(block)] = false;
  for (const BlockId block : perhapsWritten)
    isPerhapsWritten[indexOf(block)] = false;
  for (const BlockId block : doomed)
    left[indexOf(block)] = 0;
  definitions.eachWriter(reads.front().local,
                         [&](uint32_t number) { isWriting[indexOf(graph.blockOf(number))] = false; });
  unwritten.clear();
  perhapsWritten.clear();
  doomed.clear();
}

void UnwrittenPaths::check() {
  findReads();
  for (llvm::ArrayRef<Read> rest = reads; !rest.empty() && visits < mostVisits;) {
    const auto own = rest.take_while([&](const Read &read) { return read.local == rest.front().local; });
    check(own);
    rest = rest.drop_front(own.size());
  }
}

void checkUnwrittenPaths(const Body &body, const BodyContext &context, Analyses &analyses) {
  const RuleLevel level = context.options.levels.of(DiagId::UnwrittenOnPath, Kind::None);
  const bool isWanted = level == RuleLevel::Default ? context.options.pedantic : level != RuleLevel::Off;
  if (isWanted && !body.labels.empty())
    UnwrittenPaths(body, context.sink, analyses).check();
}

} // namespace ptxray
