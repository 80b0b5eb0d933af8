// undefined-on-path, unwritten-on-path: a register that is read where nothing wrote it on one of the ways there.
//
// Of one register, blocks are
//   unwritten   control can come to them from the beginning by no block that writes it
//   perhaps written   control can come to them by a block that writes it
//   doomed      control comes from them to a read before a write, unless it stays in a loop or the grid is aborted
// A branch from a block that is unwritten and not perhaps written, and not doomed, to one that is doomed is to blame. A
// read that only some ways lead to (mostly those on which a predicate says that it was written) is none.
//
// Compilers leave open what a branch makes and nobody needs on the other way, and then mostly all that it makes. So the
// certain rule asks for a register that is forgotten: the only one of its kind that is not written, while others that
// the same blocks write are written on that way, too, or while the way passes a block of its own.
#include "Flow/Analyses.h"
#include "Flow/BodyRules.h"
#include "Flow/UnwrittenReads.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

/// Blocks looked at in one function: what is beyond is not reported.
constexpr size_t mostBlocksOnWays = 2'000'000;
/// A register that more instructions write is nothing that was forgotten in one place.
constexpr unsigned mostPlacesOfWrites = 8;
constexpr size_t mostCompanions = 16;

class UnwrittenPaths {
public:
  UnwrittenPaths(const Body &body, DiagnosticSink &sink, Analyses &analyses)
      : body(body), sink(sink), graph(analyses.graph()), definitions(analyses.definitions()),
        unwrittenReads(body, analyses) {}
  void check(bool isPedantic);

private:
  using OwnReads = llvm::ArrayRef<UnwrittenRead>;
  void countGroups();
  void check(OwnReads reads, bool isPedantic);
  bool checkForgotten(OwnReads reads);
  void checkPlain(OwnReads reads);
  void mark(OwnReads reads);
  void unmark(LocalId local);
  void findUnwritten();
  void findPerhapsWritten(llvm::ArrayRef<BlockId> writing);
  void findDoomed(OwnReads reads);
  bool isDoomed(BlockId block) const { return fate[indexOf(block)] & ComesToRead && !(fate[indexOf(block)] & Escapes); }
  BlockId blameFor(const UnwrittenRead &read);

  bool isAlone(const UnwrittenRead &read) const;
  bool isCompanion(LocalId local, const UnwrittenRead &read);
  bool isForgotten(const UnwrittenRead &read, BlockId blame);
  void findCompanions(const UnwrittenRead &read);
  bool areReadTogether(const UnwrittenRead &read);
  bool hasOwnBlock(const UnwrittenRead &read, BlockId blame) const;
  void reportForgotten(const UnwrittenRead &read, BlockId blame);

  const Body &body;
  DiagnosticSink &sink;
  const Graph &graph;
  const Definitions &definitions;
  const UnwrittenReads unwrittenReads;
  llvm::DenseMap<std::pair<BlockId, BlockId>, uint32_t>
      groups;                               // by blocks of a read and of a write: how many registers
  llvm::SmallVector<LocalId, 8> companions; // of the register at hand
  std::vector<bool> isWriting, isUnwritten, isPerhapsWritten;
  enum : uint8_t { Reading = 1, ComesToRead = 2, Escapes = 4 };
  std::vector<uint8_t> fate; // by block
  std::vector<BlockId> unwritten, perhapsWritten, fated;
  size_t visits = 0;
};

} // namespace

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

/// From the blocks that read it backwards, and from those where control can come round that.
void UnwrittenPaths::findDoomed(OwnReads reads) {
  std::vector<BlockId> waiting;
  const auto spread = [&](uint8_t mark) {
    while (!waiting.empty()) {
      const BlockId block = waiting.back();
      waiting.pop_back();
      for (const BlockId from : graph.predecessors.of(block)) {
        uint8_t &marks = fate[indexOf(from)];
        if (!isUnwritten[indexOf(from)] || isWriting[indexOf(from)] || marks & (mark | Reading))
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
  for (const BlockId block : unwritten) {
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

/// The block where control could have gone a way on which the register is written; None: there is no such way.
BlockId UnwrittenPaths::blameFor(const UnwrittenRead &read) {
  std::vector<BlockId> waiting = {read.block};
  llvm::SmallVector<BlockId, 8> seen = {read.block};
  while (!waiting.empty() && seen.size() < 100) {
    const BlockId block = waiting.back();
    waiting.pop_back();
    for (const BlockId from : graph.predecessors.of(block)) {
      if (!isUnwritten[indexOf(from)] || isWriting[indexOf(from)] || llvm::is_contained(seen, from))
        continue;
      if (!isDoomed(from)) {
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

// ---- ways
void UnwrittenPaths::mark(OwnReads reads) {
  llvm::SmallVector<BlockId, 8> writing;
  definitions.eachWriter(reads.front().local, [&](uint32_t number) {
    const BlockId block = graph.blockOf(number);
    if (!isWriting[indexOf(block)] && graph.isReached(block))
      writing.push_back(block);
    isWriting[indexOf(block)] = true;
    ++visits;
  });
  findUnwritten();
  findPerhapsWritten(writing);
  findDoomed(reads);
}

void UnwrittenPaths::unmark(LocalId local) {
  for (const BlockId block : unwritten)
    isUnwritten[indexOf(block)] = false;
  for (const BlockId block : perhapsWritten)
    isPerhapsWritten[indexOf(block)] = false;
  for (const BlockId block : fated)
    fate[indexOf(block)] = 0;
  definitions.eachWriter(local, [&](uint32_t number) { isWriting[indexOf(graph.blockOf(number))] = false; });
  unwritten.clear();
  perhapsWritten.clear();
  fated.clear();
}

// ---- what is forgotten
void UnwrittenPaths::countGroups() {
  for (const UnwrittenRead &read : unwrittenReads.all()) {
    if (definitions.hasMore(read.local, mostPlacesOfWrites))
      continue;
    llvm::SmallVector<BlockId, mostPlacesOfWrites> seen;
    definitions.eachWriter(read.local, [&](uint32_t number) {
      const BlockId block = graph.blockOf(number);
      if (llvm::is_contained(seen, block))
        return;
      seen.push_back(block);
      ++groups[{read.block, block}];
    });
  }
}

/// No other register that is read in the block and written in one of the same blocks is perhaps not written.
bool UnwrittenPaths::isAlone(const UnwrittenRead &read) const {
  if (definitions.hasMore(read.local, mostPlacesOfWrites))
    return false;
  bool isAlone = true;
  definitions.eachWriter(read.local,
                         [&](uint32_t number) { isAlone &= groups.lookup({read.block, graph.blockOf(number)}) == 1; });
  return isAlone;
}

/// It is written where the register is, and elsewhere, and always before the read.
bool UnwrittenPaths::isCompanion(LocalId local, const UnwrittenRead &read) {
  if (local == read.local || companions.size() == mostCompanions || llvm::is_contained(companions, local) ||
      !unwrittenReads.isWrittenBefore(read.block, local))
    return false;
  bool isElsewhere = false;
  definitions.eachWriter(local, [&](uint32_t number) {
    ++visits;
    isElsewhere |= !isWriting[indexOf(graph.blockOf(number))];
  });
  return isElsewhere;
}

void UnwrittenPaths::findCompanions(const UnwrittenRead &read) {
  companions.clear();
  definitions.eachWriter(read.local, [&](uint32_t number) {
    const Block &block = graph[graph.blockOf(number)];
    visits += block.end - block.first;
    for (uint32_t one = block.first; one < block.end; ++one)
      body.eachUse(one, [&](NamedUse use) {
        if ((use.uses & Writes) && isCompanion(use.local, read))
          companions.push_back(use.local);
      });
  });
}

bool UnwrittenPaths::areReadTogether(const UnwrittenRead &read) {
  visits += graph[read.block].end - graph[read.block].first;
  bool isRead = false;
  for (uint32_t number = graph[read.block].first; number < graph[read.block].end && !isRead; ++number)
    body.eachUse(number,
                 [&](NamedUse use) { isRead |= (use.uses & Reads) && llvm::is_contained(companions, use.local); });
  return isRead;
}

/// The way on which nothing writes it begins with a block that no other way passes.
bool UnwrittenPaths::hasOwnBlock(const UnwrittenRead &read, BlockId blame) const {
  return llvm::any_of(graph.successors.of(blame), [&](BlockId next) {
    return next != read.block && isUnwritten[indexOf(next)] && isDoomed(next) && !isWriting[indexOf(next)] &&
           graph.predecessors.of(next).size() == 1;
  });
}

bool UnwrittenPaths::isForgotten(const UnwrittenRead &read, BlockId blame) {
  findCompanions(read);
  const bool isChosen = blame != BlockId::None && !read.isDoubtful;
  if (companions.empty())
    return isChosen && hasOwnBlock(read, blame);
  return isChosen || areReadTogether(read);
}

/// How control goes on from the end of a block to a doomed one, in words.
static std::string wayText(const Body &body, const Graph &graph, BlockId blame,
                           llvm::function_ref<bool(BlockId)> isDoomed) {
  const uint32_t last = graph[blame].last();
  const llvm::ArrayRef<BlockId> next = graph.successors.of(blame);
  if (body.guard(last) == LocalId::None || next.size() != 2 || !graph[blame].goesOn)
    return "by one way from here, nothing writes it";
  const bool isTrue =
      !isDoomed(next[0]) != body.instruction(last).guardNot; // the branch is taken where its guard holds
  return ("if `" + body.text(body.guard(last)) + "` is " + (isTrue ? "true" : "false") + " here, nothing writes it")
      .str();
}

void UnwrittenPaths::reportForgotten(const UnwrittenRead &read, BlockId blame) {
  Diagnostic &diagnostic = sink.report(DiagId::UndefinedOnPath, read.range, body.text(read.local));
  if (blame != BlockId::None) {
    const std::string text = wayText(body, graph, blame, [&](BlockId block) { return isDoomed(block); });
    diagnostic.notes.push_back({text, body.instruction(graph[blame].last()).range});
  }
  std::optional<uint32_t> first;
  definitions.eachWriter(read.local, [&](uint32_t number) { first = number; }); // from the last on
  diagnostic.notes.push_back({blame == BlockId::None ? "written here, after that" : "written here, on another way",
                              body.instruction(*first).range});
}

bool UnwrittenPaths::checkForgotten(OwnReads reads) {
  mark(reads);
  bool isReported = false;
  for (const UnwrittenRead &read : reads.take_front(2)) {
    if (isReported || !isUnwritten[indexOf(read.block)])
      continue;
    // Where each way from the beginning leads to a read, none writes it.
    const BlockId blame = isDoomed(graph.order.front()) ? BlockId::None : blameFor(read);
    const bool isCertain =
        (blame != BlockId::None || isDoomed(graph.order.front())) &&
        ((blame == BlockId::None && !read.isDoubtful) || (isAlone(read) && isForgotten(read, blame)));
    if (!isCertain)
      continue;
    reportForgotten(read, blame);
    isReported = true;
  }
  unmark(reads.front().local);
  return isReported;
}

// ---- what is perhaps meant
void UnwrittenPaths::checkPlain(OwnReads all) {
  // What a predicate says may be the same as on the way there.
  llvm::SmallVector<UnwrittenRead, 8> reads;
  llvm::copy_if(all, std::back_inserter(reads), [](const UnwrittenRead &read) { return !read.isDoubtful; });
  if (reads.empty())
    return;
  mark(reads);
  const auto *first = llvm::find_if(reads, [&](const UnwrittenRead &read) { return isUnwritten[indexOf(read.block)]; });
  const BlockId blame = first == reads.end() ? BlockId::None : blameFor(*first);
  if (blame != BlockId::None)
    sink.report(DiagId::UnwrittenOnPath, first->range, body.text(first->local))
        .notes.push_back({"by one way from here, nothing writes it", body.instruction(graph[blame].last()).range});
  unmark(reads.front().local);
}

void UnwrittenPaths::check(bool isPedantic) {
  if (unwrittenReads.all().empty())
    return;
  countGroups();
  for (std::vector<bool> *marks : {&isWriting, &isUnwritten, &isPerhapsWritten})
    marks->resize(graph.size());
  fate.resize(graph.size());
  for (OwnReads rest = unwrittenReads.all(); !rest.empty() && visits < mostBlocksOnWays;) {
    const OwnReads own = rest.take_while([&](const UnwrittenRead &read) { return read.local == rest.front().local; });
    if (!checkForgotten(own) && isPedantic)
      checkPlain(own);
    rest = rest.drop_front(own.size());
  }
}

void checkUnwrittenPaths(const Body &body, const BodyContext &context, Analyses &analyses) {
  if (!body.labels.empty())
    UnwrittenPaths(body, context.sink, analyses).check(isWanted(context.options, DiagId::UnwrittenOnPath));
}

} // namespace ptxray
