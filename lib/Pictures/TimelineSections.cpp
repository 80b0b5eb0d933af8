#include "Pictures/TimelineSections.h"

namespace ptxray {

template <typename See> void TimelineSections::eachLoopAround(BlockId block, See see) const {
  const Loops &loops = context.analyses.loops();
  BlockId header = loops.header[indexOf(block)];
  for (unsigned count = 0; header != BlockId::None && count < mostNests; ++count) {
    see(header);
    header = loops.outer[indexOf(header)];
  }
}

void TimelineSections::findLoops() {
  for (const BlockId block : graph.order)
    eachLoopAround(block, [&](BlockId header) {
      auto &[last, onlyWaits] = loopOf.try_emplace(indexOf(header), graph[block].last(), true).first->second;
      last = std::max(last, graph[block].last());
    });
  for (const uint32_t number : context.events) {
    const std::optional<Meaning> meaning = meaningOf(body, number);
    const BlockId block = graph.blockOf(number);
    if (meaning && graph.isReached(block) && !(meaning->kind == EventKind::Await && meaning->action->node >= 0))
      eachLoopAround(block, [&](BlockId header) { loopOf[indexOf(header)].second = false; });
  }
}

/// Returns the index of the only successor through which every path to the block leads.
std::optional<unsigned> TimelineSections::wayTo(BlockId from, BlockId block) const {
  const DominatorTree &before = context.analyses.dominators();
  const llvm::ArrayRef<BlockId> ways = graph.successors.of(from);
  for (const auto &[way, next] : llvm::enumerate(ways))
    if (next != from && before.dominates(next, block) && llvm::count(ways, next) == 1 &&
        llvm::all_of(graph.predecessors.of(next),
                     [&, next = next](BlockId other) { return other == from || before.dominates(next, other); }))
      return static_cast<unsigned>(way);
  return std::nullopt;
}

bool TimelineSections::isRole(BlockId above) {
  const uint32_t last = graph[above].last();
  if (body.guard(last) != LocalId::None)
    return conditions.dependsOnThread(body.guard(last));
  return llvm::any_of(body.namesOf(last), [&](LocalId one) { return conditions.dependsOnThread(one); });
}

std::string TimelineSections::conditionOf(BlockId above, unsigned way) {
  const uint32_t last = graph[above].last();
  if (body.guard(last) == LocalId::None)
    return "case " + std::to_string(way) + " of " + texts.operand(last, 0) + ", line " +
           std::to_string(texts.line(last));
  const bool isTaken = !(graph[above].goesOn && way == 0);
  return conditions.text(body.guard(last), isTaken != body.instruction(last).guardNot);
}

int TimelineSections::nest(TimelineSection::Kind kind, int parent, BlockId block, unsigned way) {
  const unsigned depth = parent < 0 ? 0 : nests[static_cast<size_t>(parent)].depth + 1;
  if (depth >= mostNests)
    return parent;
  const auto [entry, isNew] = known.try_emplace({parent, indexOf(block), kind == TimelineSection::Loop ? ~0u : way},
                                                static_cast<int>(nests.size()));
  if (isNew)
    nests.push_back({kind, parent, -1, depth, block, way});
  return entry->second;
}

bool TimelineSections::isStillIn(int nest, BlockId block) const {
  const Nest &one = nests[static_cast<size_t>(nest)];
  if (one.kind == TimelineSection::Role) {
    const DominatorTree &after = context.analyses.postDominators();
    return !after.contains(block) || !after.contains(one.block) || !after.dominates(block, one.block);
  }
  bool isInside = false;
  eachLoopAround(block, [&](BlockId header) { isInside |= header == one.block; });
  return isInside;
}

/// Finds the nest of each block, dominators first.
void TimelineSections::findNests() {
  const DominatorTree &before = context.analyses.dominators();
  const Loops &loops = context.analyses.loops();
  nestOf.assign(graph.size(), -1);
  for (const BlockId block : graph.order) {
    const BlockId above = before.parent[indexOf(block)];
    int inner = -1;
    if (above != BlockId::None) {
      llvm::SmallVector<int, 16> around;
      for (int one = nestOf[indexOf(above)]; one >= 0; one = nests[static_cast<size_t>(one)].parent)
        around.push_back(one);
      for (const int one : llvm::reverse(around))
        if (isStillIn(one, block)) {
          const Nest same = nests[static_cast<size_t>(one)];
          inner = nest(same.kind, inner, same.block, same.way);
        }
      const std::optional<unsigned> way = graph.splits(above) && isRole(above) ? wayTo(above, block) : std::nullopt;
      if (way) {
        const int role = nest(TimelineSection::Role, inner, above, *way);
        inner = role == inner || isStillIn(role, block) ? role : inner;
      }
    }
    if (loops.header[indexOf(block)] == block && !loopOf[indexOf(block)].second)
      inner = nest(TimelineSection::Loop, inner, block, 0);
    nestOf[indexOf(block)] = inner;
  }
}

/// Returns the section of a nest. Creates it after the sections that enclose it.
int TimelineSections::sectionOfNest(int number) {
  llvm::SmallVector<int, 16> missing;
  for (int one = number; one >= 0 && nests[static_cast<size_t>(one)].section < 0;
       one = nests[static_cast<size_t>(one)].parent)
    missing.push_back(one);
  for (const int one : llvm::reverse(missing))
    makeSection(nests[static_cast<size_t>(one)]);
  return number < 0 ? -1 : nests[static_cast<size_t>(number)].section;
}

void TimelineSections::makeSection(Nest &one) {
  const int parent = one.parent < 0 ? -1 : nests[static_cast<size_t>(one.parent)].section;
  TimelineSection section = {one.kind, parent, 0, 0, ""};
  if (one.kind == TimelineSection::Loop) {
    section.firstLine = texts.line(graph[one.block].first);
    section.lastLine = texts.line(loopOf[indexOf(one.block)].first);
  } else {
    section.firstLine = texts.line(graph[one.block].last());
    section.condition = conditionOf(one.block, one.way);
  }
  one.section = static_cast<int>(sections.size());
  sections.push_back(std::move(section));
}

} // namespace ptxray
