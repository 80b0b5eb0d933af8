#include "Hazards/InFlight.h"
#include "Isa/Isa.h"

namespace ptxray {

uint16_t committedGroups() {
  static const uint16_t known = [] {
    uint16_t groups = 0;
    for (const isa::Fact &fact : isa::tables().facts)
      if (fact.kind == isa::FactKind::Commits)
        groups |= fact.groups;
    // Those that a barrier object counts need the instruction that says so.
    for (const isa::Fact &fact : isa::tables().facts)
      if (fact.kind == isa::FactKind::Arrives)
        groups |= fact.groups;
    return groups;
  }();
  return known;
}

bool mayWait(const Body &body, uint32_t number) {
  if (!(body.facts(number).uses & Calls))
    return false;
  bool known = true;
  body.eachUse(number, [&](NamedUse use) {
    if (use.uses & Calls)
      known &= isa::findRuntimeFunction(body.text(use.local)) != nullptr;
  });
  return !known;
}

InFlight::InFlight(const Body &body, Analyses &analyses, Places &where, llvm::ArrayRef<uint32_t> events,
                   llvm::ArrayRef<uint32_t> alsoAt)
    : places(events), body(body) {
  for (const uint32_t number : events)
    add(number, where);
  findReaders();
  places.insert(places.end(), alsoAt.begin(), alsoAt.end());
  llvm::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  findMeetings(analyses);
}

/// Whoever reads a register that an operation loads has waited for it.
void InFlight::findReaders() {
  llvm::DenseMap<LocalId, llvm::SmallVector<uint32_t, 1>> loaders;
  for (auto [i, operation] : llvm::enumerate(all))
    if (operation.isCommitted)
      body.eachUse(operation.number, [&, i = i](NamedUse use) {
        if (use.uses & Writes)
          loaders[use.local].push_back(static_cast<uint32_t>(i));
      });
  for (uint32_t number = 0; number < body.size() && !loaders.empty(); ++number)
    body.eachUse(number, [&](NamedUse use) {
      const auto loader = use.uses & Reads ? loaders.find(use.local) : loaders.end();
      if (loader == loaders.end())
        return;
      places.push_back(number);
      readers[number].append(loader->second.begin(), loader->second.end());
    });
}

/// Which ways go together no text says: mostly those threads that start an operation are those that commit it, by the
/// same condition computed twice. So where ways meet the better one counts; but round a loop the worse, and of an
/// operation that all threads start, where a condition on parameters alone parts them.
void InFlight::findMeetings(Analyses &analyses) {
  const Graph &graph = analyses.graph();
  isDecided.resize(graph.size());
  for (const BlockId block : graph.order) {
    const BlockId above = analyses.dominators().parent[indexOf(block)];
    if (above == BlockId::None || graph.predecessors.of(block).size() < 2)
      continue;
    const LocalId guard = body.guard(graph[above].last());
    isDecided[indexOf(block)] = guard != LocalId::None && isSameIn(isa::Scope::Grid, guard, body, analyses);
  }
  const DominatorTree &after = analyses.postDominators();
  for (Operation &operation : all) {
    const BlockId block = graph.blockOf(operation.number);
    operation.isCertain = body.guard(operation.number) == LocalId::None && after.contains(block) &&
                          after.contains(graph.order.front()) && after.dominates(block, graph.order.front());
  }
}

bool InFlight::join(Levels &known, const Levels &other, BlockId block, bool isBack) const {
  bool changed = false;
  for (size_t i = 0; i < known.of.size(); ++i) {
    const uint8_t own = known.of[i], others = other.of[i];
    const bool isWorse = isBack || own == notStarted || others == notStarted ||
                         (isDecided[indexOf(block)] && i < all.size() && all[i].isCertain);
    const uint8_t level = isWorse ? std::min(own, others) : std::max(own, others);
    changed |= level != own;
    known.of[i] = level;
  }
  return changed;
}

static bool isWrite(const Access &access) {
  return access.kind == isa::Access::Writes || access.kind == isa::Access::Updates;
}

void InFlight::add(uint32_t number, Places &where) {
  constexpr uint32_t changing = bitOf(isa::FactKind::Async) | bitOf(isa::FactKind::Commits) |
                                bitOf(isa::FactKind::Waits) | bitOf(isa::FactKind::Arrives) |
                                bitOf(isa::FactKind::Awaits);
  const Facts &facts = body.facts(number);
  if (!facts.has(isa::FactKind::Async) && !facts.has(isa::FactKind::Allocates))
    for (const Access &access : facts.accesses)
      if (isShared(access.space) && isWrite(access))
        overwrites[number] = where.at(number, access.node, access.bytes);
  if (!(facts.kinds & changing) && !mayWait(body, number))
    return;
  Operation operation;
  operation.number = number;
  bool isOperation = false;
  for (const Action &action : facts.actions) {
    switch (action.kind) {
    case isa::FactKind::Async:
      isOperation = true;
      operation.groups |= action.groups;
      operation.proxy = action.proxy();
      operation.isCounted |= action.node >= 0;
      break;
    case isa::FactKind::Arrives:
      if (!action.groups || action.node < 0)
        continue;
      break;
    case isa::FactKind::Awaits:
      if (action.node >= 0)
        awaited[number] = where.at(number, action.node);
      continue;
    default: continue;
    }
    if (action.node >= 0)
      counters.push_back(
          {number, action.kind == isa::FactKind::Arrives ? action.groups : uint16_t(0), where.at(number, action.node)});
  }
  if (!isOperation || all.size() == mostOperations)
    return;
  operation.isCommitted = !(operation.groups & committedGroups());
  for (const Access &access : facts.accesses) {
    const bool isRead = access.kind == isa::Access::Reads || access.kind == isa::Access::Updates;
    if (isWrite(access) || isRead)
      operation.accesses.push_back(
          {where.at(number, access.node, access.bytes), access.space, isWrite(access), isRead, access.isDescribed});
  }
  byNumber[number] = static_cast<uint32_t>(all.size());
  all.push_back(std::move(operation));
}

Levels InFlight::start() const {
  Levels state;
  state.of.assign(all.size() + 3 * groups + 2, notStarted);
  return state;
}

void InFlight::begin(Levels &state, size_t number) const {
  const Operation &operation = all[number];
  if (operation.isCounted) {
    state.of[number] = counted;
    uint8_t &unwaited = state.of[all.size() + 3 * groups];
    unwaited = unwaited == notStarted ? 0 : unwaited;
    state.of.back() = 0;
    return;
  }
  state.of[number] = operation.isCommitted ? 1 : 0;
  for (unsigned group = 0; group < groups; ++group) {
    if (!(operation.groups >> group & 1))
      continue;
    uint8_t &unwaited = state.of[all.size() + group];
    if (unwaited == notStarted)
      unwaited = operation.isCommitted ? 1 : 0;
    uint8_t &alone = state.of[all.size() + groups + group];
    if (alone == notStarted)
      alone = 0;
    state.of[all.size() + 2 * groups + group] = 0;
  }
}

static bool isInGroups(const Operation &operation, uint16_t which) { return (operation.groups & which) != 0; }

void InFlight::commit(Levels &state, uint16_t which) const {
  for (size_t i = 0; i < all.size(); ++i)
    if (isInGroups(all[i], which) && state.of[i] < mostBatches)
      ++state.of[i];
  for (unsigned group = 0; group < groups; ++group)
    if (which >> group & 1) {
      uint8_t &unwaited = state.of[all.size() + group];
      unwaited += unwaited < mostBatches;
      state.of[all.size() + groups + group] = ended;
    }
}

void InFlight::wait(Levels &state, uint16_t which, int64_t left) const {
  for (size_t i = 0; i < all.size(); ++i)
    if (isInGroups(all[i], which) && state.of[i] <= mostBatches && state.of[i] > left)
      state.of[i] = ended;
  for (unsigned group = 0; group < groups; ++group)
    if (which >> group & 1) {
      uint8_t &unwaited = state.of[all.size() + group];
      if (unwaited > left && unwaited <= mostBatches)
        unwaited = ended;
      uint8_t &alone = state.of[all.size() + groups + group];
      if (alone != ended || left == 0)
        alone = notStarted;
      uint8_t &forgotten = state.of[all.size() + 2 * groups + group];
      forgotten = forgotten == 0 ? ended : forgotten;
    }
}

void InFlight::await(Levels &state, const MemoryPlace &barrier) const {
  for (size_t i = 0; i < all.size(); ++i)
    if (state.of[i] == counted && llvm::any_of(counters, [&](const Counter &counter) {
          return (counter.groups ? (counter.groups & all[i].groups) != 0 : counter.number == all[i].number) &&
                 !isElsewhere(counter.barrier, barrier);
        }))
      state.of[i] = ended;
  for (unsigned group = 0; group < groups; ++group)
    if (state.of[all.size() + group] == counted)
      state.of[all.size() + group] = ended;
  for (uint8_t *level : {&state.of[all.size() + 3 * groups], &state.of.back()})
    *level = *level == 0 ? ended : *level;
}

void InFlight::forget(Levels &state) const { std::fill(state.of.begin(), state.of.end(), ended); }

/// What is read after it may have been written by it, and not by an operation before.
void InFlight::overwrite(Levels &state, uint32_t number) const {
  const auto written = overwrites.find(number);
  if (written == overwrites.end())
    return;
  const auto end = [](uint8_t &level) { level = level < notStarted ? ended : level; };
  std::fill_n(state.of.begin() + all.size(), groups, ended);
  end(state.of[all.size() + 3 * groups]);
  for (size_t i = 0; i < all.size(); ++i)
    for (const LateAccess &late : all[i].accesses)
      if (late.isWrite && isShared(late.space) && state.of[i] < notStarted && !isElsewhere(late.place, written->second))
        state.of[i] = ended;
}

void InFlight::step(Levels &state, uint32_t number) const {
  if (mayWait(body, number))
    return forget(state);
  overwrite(state, number);
  if (const auto read = readers.find(number); read != readers.end())
    for (const uint32_t one : read->second)
      state.of[one] = state.of[one] < notStarted ? ended : state.of[one];
  if (const auto found = byNumber.find(number); found != byNumber.end())
    begin(state, found->second);
  for (const Action &action : body.facts(number).actions) {
    switch (action.kind) {
    case isa::FactKind::Commits: commit(state, action.groups); break;
    case isa::FactKind::Waits: {
      int64_t left = action.number;
      if (action.amount >= 0) {
        const Operand &node = body.ast->operands[body.instruction(number).operands.first + action.amount];
        left = node.kind == OperandKind::Integer ? node.value : 0;
      }
      wait(state, action.groups, left);
      break;
    }
    case isa::FactKind::Arrives:
      if (action.node >= 0)
        for (size_t i = 0; i < all.size(); ++i)
          if (isInGroups(all[i], action.groups) && state.of[i] < counted)
            state.of[i] = counted;
      for (unsigned group = 0; group < groups; ++group)
        if (action.groups >> group & 1 && state.of[all.size() + group] < counted)
          state.of[all.size() + group] = counted;
      break;
    case isa::FactKind::Awaits:
      if (action.node >= 0)
        await(state, awaited.lookup(number));
      break;
    default: break;
    }
  }
}

} // namespace ptxray
