// read-before-write, unwritten-on-path: reads of a register that is uninitialised on one of the paths to the read.
//
// For one register, a block is
//   unwritten   if a path from the beginning to it has no block that writes the register
//   perhaps written   if a path to it has a block that writes the register
//   doomed      if all its paths lead to a read before a write, unless they stay in a loop or abort the grid
//
// The reported branch leads to a doomed block from one that is unwritten but neither perhaps written nor doomed. A read
// that only some paths reach is not reported, because usually a predicate ensures on these paths that the register was
// written.
//
// Compilers and libraries such as CUB leave a value undefined on one path if the branch ensures that it is not needed
// there. The certain rule therefore requires registers that are read first in the source and on all paths.
#include "BodyRules/BodyRules.h"
#include "Flow/Analyses.h"
#include "Flow/UnwrittenReads.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

class UnwrittenPaths {
public:
  UnwrittenPaths(const Body &body, DiagnosticSink &sink, Analyses &analyses, llvm::ArrayRef<LocalId> askedFor)
      : body(body), sink(sink), budget(analyses.budget()), graph(analyses.graph()), definitions(body.definitions),
        unwrittenReads(body, analyses, askedFor), isWriting(graph.size()), unwritten(graph.size()),
        perhapsWritten(graph.size()), fate(graph.size()) {}
  void check(bool isPedantic);

private:
  using OwnReads = llvm::ArrayRef<UnwrittenRead>;
  bool checkFirstReads(OwnReads reads);
  void checkPlain(OwnReads reads);
  void mark(OwnReads reads);
  void unmark(LocalId local);
  void findUnwritten();
  void findPerhapsWritten(LocalId local);
  void findDoomed(OwnReads reads);
  bool isDoomed(BlockId block) const { return fate[indexOf(block)] & ComesToRead && !(fate[indexOf(block)] & Escapes); }
  BlockId blameFor(const UnwrittenRead &read);

  const Body &body;
  DiagnosticSink &sink;
  Budget &budget;
  const Graph &graph;
  const Definitions &definitions;
  const UnwrittenReads unwrittenReads;
  std::vector<bool> isWriting; // indexed by block
  FoundBlocks unwritten, perhapsWritten;
  enum : uint8_t { Reading = 1, ComesToRead = 2, Escapes = 4 };
  std::vector<uint8_t> fate; // indexed by block
  std::vector<BlockId> fated;
  size_t visits = 0;
};

} // namespace

void UnwrittenPaths::findUnwritten() {
  unwritten.add(BlockId(0));
  unwritten.spread(graph.successors, [&](BlockId block) { return !isWriting[indexOf(block)]; });
  visits += unwritten.inOrder().size();
}

void UnwrittenPaths::findPerhapsWritten(LocalId local) {
  definitions.eachWriter(local, [&](uint32_t number) {
    if (const BlockId block = graph.blockOf(number); graph.isReached(block))
      perhapsWritten.addAll(graph.successors.of(block));
  });
  perhapsWritten.spread(graph.successors);
  visits += perhapsWritten.inOrder().size();
}

/// Searches backwards from the blocks that read the register, and from blocks that can bypass that.
void UnwrittenPaths::findDoomed(OwnReads reads) {
  std::vector<BlockId> waiting;
  const auto spread = [&](uint8_t mark) {
    while (!waiting.empty()) {
      const BlockId block = waiting.back();
      waiting.pop_back();
      for (const BlockId from : graph.predecessors.of(block)) {
        uint8_t &marks = fate[indexOf(from)];
        if (!unwritten.contains(from) || isWriting[indexOf(from)] || marks & (mark | Reading))
          continue;
        if (!marks)
          fated.push_back(from);
        marks |= mark;
        waiting.push_back(from);
      }
    }
  };
  for (const UnwrittenRead &read : reads) {
    if (!fate[indexOf(read.block)])
      fated.push_back(read.block);
    fate[indexOf(read.block)] = Reading | ComesToRead;
    waiting.push_back(read.block);
  }
  spread(ComesToRead);
  for (const BlockId block : unwritten.inOrder()) {
    if (fate[indexOf(block)] & Reading || !(isWriting[indexOf(block)] || graph[block].leaves))
      continue;
    if (!fate[indexOf(block)])
      fated.push_back(block);
    fate[indexOf(block)] |= Escapes;
    waiting.push_back(block);
  }
  spread(Escapes);
  visits += fated.size();
}

/// Returns the block from which execution could have taken a path that writes the register; None if there is none.
BlockId UnwrittenPaths::blameFor(const UnwrittenRead &read) {
  std::vector<BlockId> waiting = {read.block};
  llvm::SmallVector<BlockId, 8> seen = {read.block};
  while (!waiting.empty() && seen.size() < 100) {
    const BlockId block = waiting.back();
    waiting.pop_back();
    for (const BlockId from : graph.predecessors.of(block)) {
      if (!unwritten.contains(from) || isWriting[indexOf(from)] || llvm::is_contained(seen, from))
        continue;
      if (!isDoomed(from)) {
        if (!perhapsWritten.contains(from))
          return from;
        continue;
      }
      seen.push_back(from);
      waiting.push_back(from);
    }
  }
  return BlockId::None;
}

// ---- paths
void UnwrittenPaths::mark(OwnReads reads) {
  definitions.eachWriter(reads.front().local, [&](uint32_t number) {
    isWriting[indexOf(graph.blockOf(number))] = true;
    ++visits;
  });
  findUnwritten();
  findDoomed(reads);
}

void UnwrittenPaths::unmark(LocalId local) {
  for (const BlockId block : fated)
    fate[indexOf(block)] = 0;
  definitions.eachWriter(local, [&](uint32_t number) { isWriting[indexOf(graph.blockOf(number))] = false; });
  unwritten.clear();
  perhapsWritten.clear();
  fated.clear();
}

// ---- what is never written before
/// Reports a read that no path from the beginning precedes with a write, and the text does not either.
bool UnwrittenPaths::checkFirstReads(OwnReads reads) {
  const LocalId local = reads.front().local;
  if (!definitions.isReadFirst(local) || unwrittenReads.isAvoidable(local))
    return false;
  const auto *first = llvm::find_if(reads, [](const UnwrittenRead &read) { return !read.isDoubtful; });
  if (first == reads.end())
    return false;
  std::optional<uint32_t> written;
  definitions.eachWriter(local, [&](uint32_t number) { written = number; }); // the last call has the first writer
  sink.report(DiagId::ReadBeforeWrite, first->range, body.text(local))
      .notes.push_back({"written here, after that", body.instruction(*written).range});
  return true;
}

// ---- what is perhaps meant
void UnwrittenPaths::checkPlain(OwnReads all) {
  // The predicate of a doubtful read may be equivalent to the one on the path to it.
  llvm::SmallVector<UnwrittenRead, 8> reads;
  llvm::copy_if(all, std::back_inserter(reads), [](const UnwrittenRead &read) { return !read.isDoubtful; });
  if (reads.empty())
    return;
  mark(reads);
  findPerhapsWritten(reads.front().local);
  const auto *first = llvm::find_if(reads, [&](const UnwrittenRead &read) { return unwritten.contains(read.block); });
  const BlockId blame = first == reads.end() ? BlockId::None : blameFor(*first);
  if (blame != BlockId::None)
    sink.report(DiagId::UnwrittenOnPath, first->range, body.text(first->local))
        .notes.push_back({"one path from here does not write it", body.instruction(graph[blame].last()).range});
  unmark(reads.front().local);
}

void UnwrittenPaths::check(bool isPedantic) {
  if (unwrittenReads.all().empty())
    return;
  for (OwnReads rest = unwrittenReads.all(); !rest.empty() && budget.allows(Limit::Ways, visits);) {
    const OwnReads own = rest.take_while([&](const UnwrittenRead &read) { return read.local == rest.front().local; });
    if (!checkFirstReads(own) && isPedantic)
      checkPlain(own);
    rest = rest.drop_front(own.size());
  }
}

void checkUnwrittenPaths(const Body &body, const BodyContext &context, Analyses &analyses) {
  if (body.labels.empty())
    return;
  const bool isPedantic = isWanted(context.options, DiagId::UnwrittenOnPath);
  std::vector<LocalId> askedFor;
  if (isPedantic)
    askedFor = writtenRegisters(body);
  else
    llvm::copy_if(body.definitions.readFirst(), std::back_inserter(askedFor),
                  [&](LocalId local) { return body.isOwnRegister(local) && body.definitions.isWritten(local); });
  if (!askedFor.empty())
    UnwrittenPaths(body, context.sink, analyses, askedFor).check(isPedantic);
}

} // namespace ptxray
