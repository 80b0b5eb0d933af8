#include "Hazards/Stages.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray {
namespace {

/// An event of a group of copies.
struct GroupEvent {
  enum { Starts, Commits, Waits } kind;
  uint32_t number; // the instruction
  size_t what = 0; // the operation, or the number of groups that may be left
};

class StageLoop {
public:
  StageLoop(HazardContext &context, const InFlight &flight, BlockId header)
      : context(context), flight(flight), graph(context.analyses.graph()), before(context.analyses.dominators()),
        loops(context.analyses.loops()), header(header), leadsThere(graph.size()) {}
  /// Analyses the loop. Returns false if it does not have the required form.
  bool read(uint16_t groups);
  void findLate(std::vector<LateStage> &late) const;

private:
  bool findEntry();
  bool add(const GroupEvent &event);
  bool comesEach(uint32_t number) const;
  bool precedes(uint32_t first, uint32_t second) const { return context.analyses.precedes(first, second); }
  /// A copy before the loop, and its level when the loop begins.
  struct Started {
    size_t operation, level;
    bool isEnded;
  };
  std::vector<Started> startedBefore() const;
  bool isReadBefore(llvm::ArrayRef<Started> ended) const;
  void checkFirstRound(llvm::ArrayRef<Started> first, size_t left, std::vector<LateStage> &late) const;
  void checkLaterRounds(size_t rounds, size_t left, std::vector<LateStage> &late) const;
  bool isWrittenOtherwise() const;
  void checkOnlyStage(size_t left, std::vector<LateStage> &late) const;

  HazardContext &context;
  const InFlight &flight;
  const Graph &graph;
  const DominatorTree &before;
  const Loops &loops;
  const BlockId header;
  BlockId entering = BlockId::None;                         // the only entry of the loop
  FoundBlocks leadsThere;                                   // blocks that lead to the entry, within the enclosing loop
  std::vector<GroupEvent> prologue, copies, commits, waits; // the last three are in the loop
};

} // namespace

/// Returns whether the operation copies into shared memory, in groups that instructions commit.
static bool isStage(const Operation &operation, uint16_t groups) {
  return operation.groups & groups && operation.needsCommit && !operation.isCounted &&
         llvm::any_of(operation.accesses, [](const LateAccess &late) { return late.isWrite && isShared(late.space); });
}

bool StageLoop::findEntry() {
  for (const BlockId block : graph.predecessors.of(header)) {
    if (loops.contains(header, block))
      continue;
    if (entering != BlockId::None)
      return false;
    entering = block;
  }
  if (entering == BlockId::None || loops.isEnteredAside[indexOf(header)])
    return false;
  leadsThere.add(entering);
  leadsThere.spread(graph.predecessors, [&](BlockId block) { return block != loops.header[indexOf(entering)]; });
  return true;
}

/// Returns whether every iteration passes the instruction.
bool StageLoop::comesEach(uint32_t number) const {
  return context.body.guard(number) == LocalId::None && llvm::all_of(graph.predecessors.of(header), [&](BlockId block) {
           return !loops.contains(header, block) || before.dominates(graph.blockOf(number), block);
         });
}

bool StageLoop::add(const GroupEvent &event) {
  const BlockId block = graph.blockOf(event.number);
  if (!graph.isReached(block))
    return true;
  if (loops.contains(header, block)) {
    (event.kind == GroupEvent::Starts ? copies : event.kind == GroupEvent::Commits ? commits : waits).push_back(event);
    return loops.header[indexOf(block)] == header && (event.kind == GroupEvent::Starts || comesEach(event.number));
  }
  if (!leadsThere.contains(block))
    return true; // placed after the loop
  prologue.push_back(event);
  const bool isCertain = event.kind == GroupEvent::Starts || context.body.guard(event.number) == LocalId::None;
  return isCertain && before.dominates(block, entering) &&
         loops.header[indexOf(block)] == loops.header[indexOf(entering)];
}

bool StageLoop::read(uint16_t groups) {
  if (!findEntry())
    return false;
  for (const uint32_t number : context.events) {
    const Facts &facts = context.body.facts(number);
    if (context.body.callsUnknown(number))
      return false;
    for (const Action &action : facts.actions) {
      const bool isOfGroups = action.groups & groups;
      if (isOfGroups && action.kind == FactKind::Commits && !add({GroupEvent::Commits, number}))
        return false;
      if (isOfGroups && action.kind == FactKind::Waits &&
          !add({GroupEvent::Waits, number, static_cast<size_t>(leftPending(context.body, number, action))}))
        return false;
      if (isOfGroups && action.kind == FactKind::Arrives)
        return false; // a barrier object tracks the copies
    }
  }
  for (auto [i, operation] : llvm::enumerate(flight.operations()))
    if (isStage(operation, groups) && !add({GroupEvent::Starts, operation.number, i}))
      return false;
  llvm::sort(prologue, [&](const GroupEvent &a, const GroupEvent &b) {
    const uint32_t one = before.enter[indexOf(graph.blockOf(a.number))];
    const uint32_t other = before.enter[indexOf(graph.blockOf(b.number))];
    return std::tuple(one, a.number, a.kind) < std::tuple(other, b.number, b.kind);
  });
  return waits.size() == 1 && !copies.empty() && !commits.empty();
}

std::vector<StageLoop::Started> StageLoop::startedBefore() const {
  std::vector<Started> started;
  for (const GroupEvent &event : prologue) {
    if (event.kind == GroupEvent::Starts)
      started.push_back({event.what, 0, false});
    for (Started &copy : started) {
      copy.level += event.kind == GroupEvent::Commits;
      copy.isEnded |= event.kind == GroupEvent::Waits && copy.level > event.what;
    }
  }
  return started;
}

/// Returns whether copies that were awaited before the loop may be read before the wait of the first iteration.
bool StageLoop::isReadBefore(llvm::ArrayRef<Started> ended) const {
  const auto waiting = llvm::find_if(prologue, [](const GroupEvent &event) { return event.kind == GroupEvent::Waits; });
  return waiting != prologue.end() && llvm::any_of(context.events, [&](uint32_t number) {
           const BlockId block = graph.blockOf(number);
           const bool isInLoop = loops.contains(header, block);
           const bool isBefore = isInLoop ? precedes(number, waits.front().number)
                                          : leadsThere.contains(block) && precedes(waiting->number, number);
           return isBefore && llvm::any_of(context.body.facts(number).accesses, [&](const Access &access) {
                    const MemoryPlace place = context.placeOf(number, access);
                    return isShared(access.space) && access.reads() && llvm::any_of(ended, [&](const Started &copy) {
                             return mayWrite(flight.operations()[copy.operation], place);
                           });
                  });
         });
}

void StageLoop::checkFirstRound(llvm::ArrayRef<Started> first, size_t left, std::vector<LateStage> &late) const {
  const auto committed = static_cast<size_t>(
      llvm::count_if(commits, [&](const GroupEvent &commit) { return precedes(commit.number, waits.front().number); }));
  for (const Started &copy : first)
    if (!copy.isEnded && copy.level + committed <= left)
      late.push_back({copy.operation, waits.front().number, static_cast<uint8_t>(copy.level + committed), false});
}

void StageLoop::checkLaterRounds(size_t rounds, size_t left, std::vector<LateStage> &late) const {
  for (const GroupEvent &copy : copies) {
    size_t level = commits.size() * (rounds - 1);
    for (const GroupEvent &commit : commits)
      level += size_t(!precedes(commit.number, copy.number)) + precedes(commit.number, waits.front().number);
    if (level <= left)
      late.push_back({copy.what, waits.front().number, static_cast<uint8_t>(level), false});
  }
}

/// Returns whether an instruction other than the copies of the loop may have written the data that is read after the
/// wait.
bool StageLoop::isWrittenOtherwise() const {
  return llvm::any_of(context.events, [&](uint32_t number) {
    const bool isOfLoop = llvm::any_of(copies, [&](const GroupEvent &copy) { return copy.number == number; });
    const Facts &facts = context.body.facts(number);
    return context.body.callsUnknown(number) ||
           (!isOfLoop && !facts.has(FactKind::Inits) && llvm::any_of(facts.accesses, [](const Access &access) {
             return isShared(access.space) && access.writes();
           }));
  });
}

/// Reports the copies of a loop without a prologue, so that each iteration reads its own copies. A wait that leaves all
/// copies of the first iteration pending has no effect.
void StageLoop::checkOnlyStage(size_t left, std::vector<LateStage> &late) const {
  const auto levelOf = [&](const GroupEvent &copy) {
    return static_cast<size_t>(llvm::count_if(commits, [&](const GroupEvent &commit) {
      return precedes(copy.number, commit.number) && precedes(commit.number, waits.front().number);
    }));
  };
  const bool isNoneComplete = llvm::all_of(copies, [&](const GroupEvent &copy) {
    return precedes(copy.number, waits.front().number) && levelOf(copy) > 0 && levelOf(copy) <= left;
  });
  if (!isNoneComplete || left > InFlight::MostBatches || isWrittenOtherwise())
    return;
  for (const GroupEvent &copy : copies)
    late.push_back({copy.what, waits.front().number, static_cast<uint8_t>(levelOf(copy)), true});
}

void StageLoop::findLate(std::vector<LateStage> &late) const {
  const size_t left = waits.front().what;
  std::vector<Started> started = startedBefore(), ended;
  if (started.empty())
    return checkOnlyStage(left, late);
  llvm::copy_if(started, std::back_inserter(ended), [](const Started &copy) { return copy.isEnded; });
  if (ended.size() == copies.size() && isReadBefore(ended))
    llvm::erase_if(started, [](const Started &copy) { return copy.isEnded; });
  if (left > InFlight::MostBatches || started.size() < copies.size())
    return;
  checkFirstRound(llvm::ArrayRef(started).take_front(copies.size()), left, late);
  checkLaterRounds(llvm::divideCeil(started.size(), copies.size()), left, late);
}

std::vector<LateStage> lateStages(HazardContext &context, const InFlight &flight) {
  std::vector<LateStage> late;
  unsigned count = 0;
  for (const uint32_t number : context.events)
    for (const Action &action : context.body.facts(number).actions) {
      const uint16_t groups = action.groups & committedGroups();
      const BlockId block = context.analyses.graph().blockOf(number);
      if (action.kind != FactKind::Waits || !groups || !context.analyses.graph().isReached(block) ||
          llvm::none_of(flight.operations(), [&](const Operation &one) { return isStage(one, groups); }))
        continue;
      const BlockId header = context.analyses.loops().header[indexOf(block)];
      if (header == BlockId::None || !context.analyses.budget().allows(Limit::StageLoops, ++count))
        continue;
      if (StageLoop loop(context, flight, header); loop.read(groups))
        loop.findLate(late);
    }
  return late;
}

} // namespace ptxray
