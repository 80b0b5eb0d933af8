#include "Hazards/InFlight.h"
#include "Isa/Isa.h"

namespace ptxray {

uint16_t committedGroups() {
  static const uint16_t known = [] {
    uint16_t groups = 0;
    for (const isa::Fact &fact : isa::tables().facts)
      if (fact.kind == FactKind::Commits || fact.kind == FactKind::Arrives)
        groups |= fact.groups;
    return groups;
  }();
  return known;
}

int64_t leftPending(const Body &body, uint32_t wait, const Action &action) {
  if (action.amount < 0)
    return action.number;
  const Operand &written = body.operands(wait)[action.amount];
  return written.kind == OperandKind::Integer ? written.value : action.number;
}

bool mayWrite(const Operation &operation, const MemoryPlace &place) {
  return llvm::any_of(operation.accesses, [&](const LateAccess &late) {
    return late.isWrite && isShared(late.space) && !isElsewhere(late.place, place);
  });
}

static void forEachGroup(uint16_t groups, llvm::function_ref<void(unsigned)> see) {
  for (; groups; groups &= static_cast<uint16_t>(groups - 1))
    see(static_cast<unsigned>(llvm::countr_zero(groups)));
}

// ---- operations and waits
InFlight::InFlight(const Body &body, Analyses &analyses, Places &where, llvm::ArrayRef<uint32_t> events,
                   llvm::ArrayRef<uint32_t> alsoAt)
    : places(events), body(body), budget(analyses.budget()) {
  find(events, where);
  findCompletions(events, where);
  findIrrelevantWaits(events, where, analyses);
  findCountedGroups();
  findReaders();
  findMeetings(analyses, where);
  llvm::append_range(places, alsoAt);
  llvm::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

void InFlight::addOperation(uint32_t number, Places &where) {
  const Facts &facts = body.facts(number);
  Operation operation;
  operation.number = number;
  for (const Action &action : facts.actions)
    if (action.kind == FactKind::Async) {
      operation.groups |= action.groups;
      if (action.node < 0)
        continue;
      operation.isCounted = true;
      if (budget.allows(Limit::Completions, counters.size() + 1))
        counters.push_back({where.at(number, action.node), 0, static_cast<uint32_t>(all.size())});
    }
  operation.needsCommit = operation.groups & committedGroups();
  for (const Access &access : facts.accesses)
    if (access.reads() || access.writes())
      operation.accesses.push_back({where.at(number, access.node, access.bytes), access.space, access.writes(),
                                    access.reads(), access.isDescribed});
  started[number] = static_cast<uint32_t>(all.size());
  all.push_back(std::move(operation));
}

void InFlight::find(llvm::ArrayRef<uint32_t> events, Places &where) {
  for (const uint32_t number : events) {
    const Facts &facts = body.facts(number);
    if (facts.has(FactKind::Async)) {
      if (budget.allows(Limit::Operations, all.size() + 1))
        addOperation(number, where);
      continue;
    }
    if (!facts.has(FactKind::Allocates))
      for (const Access &access : facts.accesses)
        if (isShared(access.space) && access.writes())
          overwritten[number] = where.at(number, access.node, access.bytes);
    for (const Action &action : facts.actions)
      if (action.kind == FactKind::Arrives && action.groups && action.node >= 0 &&
          budget.allows(Limit::Completions, counters.size() + 1))
        counters.push_back({where.at(number, action.node), action.groups, 0});
  }
}

/// Returns the registers that guard an instruction or that an instruction reads.
static std::vector<bool> readRegisters(const Body &body) {
  std::vector<bool> read(body.locals.size());
  for (uint32_t number = 0; number < body.size(); ++number) {
    read[static_cast<uint32_t>(body.guard(number))] = true;
    body.eachUse(number, [&](NamedUse use) {
      if (use.uses & Reads)
        read[static_cast<uint32_t>(use.local)] = true;
    });
  }
  return read;
}

/// Finds the operations counted by awaited barriers. If there are too many, each barrier may count any operation. A
/// wait whose result is never read is ignored.
void InFlight::findCompletions(llvm::ArrayRef<uint32_t> events, Places &where) {
  std::vector<bool> read; // computed if there are waits
  llvm::DenseMap<std::pair<uint32_t, int64_t>, llvm::SmallBitVector> known;
  for (const uint32_t number : events)
    for (const Action &action : body.facts(number).actions) {
      if (action.kind != FactKind::Awaits || action.node < 0)
        continue;
      if (read.empty())
        read = readRegisters(body);
      if (!read[static_cast<uint32_t>(nameAt(body, number, action.condition))])
        continue;
      const MemoryPlace barrier = where.at(number, action.node);
      auto [operations, isNew] = known.try_emplace({static_cast<uint32_t>(barrier.base), barrier.offset});
      if (isNew) {
        const bool isEach = !areCountersKnown() || !budget.allows(Limit::Completions, known.size());
        operations->second.resize(static_cast<unsigned>(all.size()), isEach);
        for (const Counter &counter : counters) {
          if (isEach || isElsewhere(counter.barrier, barrier))
            continue;
          if (!counter.groups)
            operations->second.set(counter.operation);
          for (auto [i, operation] : llvm::enumerate(all))
            if (counter.groups & operation.groups)
              operations->second.set(static_cast<unsigned>(i));
        }
      }
      ending[number] = operations->second;
    }
}

static bool writesShared(const Operation &operation) {
  return llvm::any_of(operation.accesses, [](const LateAccess &late) { return late.isWrite && isShared(late.space); });
}

/// Finds irrelevant waits. Neither copies nor threads that may have waited for copies signal their barriers, so that
/// these waits only show that a stage is free again.
void InFlight::findIrrelevantWaits(llvm::ArrayRef<uint32_t> events, Places &where, Analyses &analyses) {
  struct Signal {
    uint32_t number;
    MemoryPlace barrier;
    bool isArrival; // the thread itself arrives
  };
  std::vector<Signal> signals;
  for (const uint32_t number : events)
    for (const Action &action : body.facts(number).actions)
      if (action.node >= 0 && (action.kind == FactKind::Arrives || action.kind == FactKind::Completes))
        signals.push_back({number, where.at(number, action.node, 8), !action.groups});
  if (!areCountersKnown() || !budget.allows(Limit::Completions, signals.size()))
    return;
  for (const auto &[number, operations] : ending)
    for (const Action &action : body.facts(number).actions) {
      if (action.kind != FactKind::Awaits ||
          llvm::any_of(operations.set_bits(), [&](unsigned one) { return writesShared(all[one]); }))
        continue;
      const MemoryPlace barrier = where.at(number, action.node, 8);
      bool isSignalled = false, mayTell = barrier.root == LocalId::None;
      for (const Signal &signal : signals) {
        if (isElsewhere(signal.barrier, barrier))
          continue;
        isSignalled = true;
        mayTell |= signal.barrier.root == LocalId::None || signal.barrier.isRemote ||
                   (signal.isArrival && areOtherThreads(analyses.graph().blockOf(signal.number),
                                                        analyses.graph().blockOf(number), analyses));
      }
      if (isSignalled && !mayTell)
        isIrrelevant.insert(number);
    }
}

void InFlight::findCountedGroups() {
  constexpr uint16_t each = 0xffff;
  for (const Counter &counter : counters)
    counted |= counter.groups;
  const bool areCopiesCounted =
      llvm::any_of(all, [](const Operation &operation) { return operation.isCounted && writesShared(operation); });
  if (areCopiesCounted || !areCountersKnown())
    counted = each;
}

void InFlight::findReaders() {
  llvm::DenseMap<LocalId, llvm::SmallVector<uint32_t, 1>> loaders;
  std::vector<bool> isLoaded(body.locals.size()); // most registers are not
  for (auto [i, operation] : llvm::enumerate(all))
    if (!operation.needsCommit)
      body.eachUse(operation.number, [&, i = i](NamedUse use) {
        if (!(use.uses & Writes))
          return;
        loaders[use.local].push_back(static_cast<uint32_t>(i));
        isLoaded[static_cast<uint32_t>(use.local)] = true;
      });
  for (uint32_t number = 0; number < body.size() && !loaders.empty(); ++number)
    body.eachUse(number, [&](NamedUse use) {
      if (!(use.uses & Reads) || !isLoaded[static_cast<uint32_t>(use.local)])
        return;
      places.push_back(number);
      llvm::append_range(readers[number], loaders[use.local]);
    });
}

void InFlight::findMeetings(Analyses &analyses, Places &where) {
  const Graph &graph = analyses.graph();
  const DominatorTree &before = analyses.dominators(), &after = analyses.postDominators();
  isDecided.resize(graph.size());
  for (const BlockId block : graph.order) {
    const BlockId above = before.parent[indexOf(block)];
    if (above == BlockId::None || graph.predecessors.of(block).size() < 2)
      continue;
    const LocalId guard = body.guard(graph[above].last());
    isDecided[indexOf(block)] = guard != LocalId::None && where.isSameIn(isa::Scope::Grid, guard);
  }
  const BlockId first = graph.order.front();
  for (Operation &operation : all) {
    const BlockId block = graph.blockOf(operation.number);
    operation.isCertain = body.guard(operation.number) == LocalId::None && after.contains(block) &&
                          after.contains(first) && after.dominates(block, first);
  }
  certain.resize(levels());
  llvm::transform(all, certain.begin(), [](const Operation &operation) { return operation.isCertain; });
}

// ---- transitions
/// Joins two paths. The text does not show which paths belong together: mostly the threads that start an operation also
/// commit it, under the same condition computed twice. Therefore the better state counts. But on back edges the worse
/// one counts, and for an operation that all threads start, also where a condition on parameters alone separates the
/// paths.
bool InFlight::join(Levels &known, const Levels &other, BlockId block, bool isBack) const {
  const uint8_t parted = isDecided[indexOf(block)], back = isBack;
  uint8_t *levels = known.of.data(), changed = 0;
  const uint8_t *others = other.of.data(), *isCertain = certain.data();
  for (size_t i = 0, end = known.of.size(); i < end; ++i) { // without branches, so that the loop is vectorised
    const uint8_t own = levels[i], their = others[i], least = std::min(own, their), most = std::max(own, their);
    const uint8_t isWorse = back | (most == NotStarted) | (least == NotStarted) | (parted & isCertain[i]);
    levels[i] = isWorse ? least : most;
    changed |= levels[i] ^ own;
  }
  return changed;
}

void InFlight::begin(Levels &state, const Operation &operation) const {
  const auto beginOnce = [](uint8_t &level, uint8_t first) { level = level == NotStarted ? first : level; };
  uint8_t &own = state.of[&operation - all.data()];
  if (operation.isCounted) {
    own = Counted;
    beginOnce(state.of[bulkUnwaited()], 0);
    state.of[bulkForgotten()] = 0;
    return;
  }
  own = operation.needsCommit ? 0 : 1;
  forEachGroup(operation.groups, [&](unsigned group) {
    beginOnce(state.of[unwaited(group)], own);
    beginOnce(state.of[alone(group)], 0);
    state.of[forgotten(group)] = 0;
  });
}

void InFlight::commit(Levels &state, uint16_t groups) const {
  for (auto [i, operation] : llvm::enumerate(all))
    if (operation.groups & groups)
      state.of[i] += state.of[i] < MostBatches;
  forEachGroup(groups, [&](unsigned group) {
    state.of[unwaited(group)] += state.of[unwaited(group)] < MostBatches;
    state.of[alone(group)] = Ended;
  });
}

void InFlight::wait(Levels &state, uint16_t groups, int64_t left) const {
  const auto end = [&](uint8_t &level) {
    if (level <= MostBatches && level > left)
      level = Ended;
  };
  for (auto [i, operation] : llvm::enumerate(all))
    if (operation.groups & groups)
      end(state.of[i]);
  forEachGroup(groups, [&](unsigned group) {
    end(state.of[unwaited(group)]);
    if (state.of[alone(group)] != Ended || left == 0)
      state.of[alone(group)] = NotStarted;
    if (state.of[forgotten(group)] == 0)
      state.of[forgotten(group)] = Ended;
  });
}

/// Records that a barrier object counts the operations.
void InFlight::count(Levels &state, uint16_t groups) const {
  for (auto [i, operation] : llvm::enumerate(all))
    if (operation.groups & groups && state.of[i] < Counted)
      state.of[i] = Counted;
  forEachGroup(groups, [&](unsigned group) {
    if (state.of[unwaited(group)] < Counted)
      state.of[unwaited(group)] = Counted;
  });
}

void InFlight::await(Levels &state, uint32_t number) const {
  const auto found = ending.find(number);
  if (found == ending.end())
    return;
  for (const unsigned operation : found->second.set_bits())
    if (state.of[operation] == Counted)
      state.of[operation] = Ended;
  // A later read may read data tracked by the barrier object, rather than data copied by the groups.
  for (unsigned group = 0; group < groupCount; ++group)
    if (counted >> group & 1 && state.of[unwaited(group)] <= Counted)
      state.of[unwaited(group)] = Ended;
  if (state.of[bulkUnwaited()] == 0 && !isIrrelevant.contains(number))
    state.of[bulkUnwaited()] = Ended;
  if (state.of[bulkForgotten()] == 0)
    state.of[bulkForgotten()] = Ended;
}

/// Records a write by the thread itself: a later read may access this data rather than data of an earlier operation.
void InFlight::overwrite(Levels &state, uint32_t number) const {
  const auto written = overwritten.find(number);
  if (written == overwritten.end())
    return;
  std::fill_n(state.of.begin() + unwaited(0), groupCount, Ended);
  if (state.of[bulkUnwaited()] == 0)
    state.of[bulkUnwaited()] = Ended;
  for (auto [i, operation] : llvm::enumerate(all))
    if (state.of[i] < NotStarted && mayWrite(operation, written->second))
      state.of[i] = Ended;
}

void InFlight::step(Levels &state, uint32_t number) const {
  if (body.callsUnknown(number)) {
    std::fill(state.of.begin(), state.of.end(), Ended);
    return;
  }
  overwrite(state, number);
  if (const auto read = readers.find(number); read != readers.end())
    for (const uint32_t operation : read->second)
      if (state.of[operation] < NotStarted)
        state.of[operation] = Ended;
  if (const auto operation = started.find(number); operation != started.end())
    begin(state, all[operation->second]);
  for (const Action &action : body.facts(number).actions) {
    if (action.kind == FactKind::Commits) {
      commit(state, action.groups);
    } else if (action.kind == FactKind::Waits) {
      wait(state, action.groups, leftPending(body, number, action));
    } else if (action.kind == FactKind::Arrives && action.node >= 0) {
      count(state, action.groups);
    } else if (action.kind == FactKind::Awaits && action.node >= 0) {
      await(state, number);
    }
  }
}

} // namespace ptxray
