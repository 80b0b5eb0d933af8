#include "Flow/BlockWalk.h"
#include "Flow/Addresses.h"
#include "Flow/Numbers.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

using BlockSize = std::array<uint64_t, 3>;

/// Assigns a number to each unknown quantity, identified by its sources.
class Quantities {
public:
  uint32_t of(std::vector<uint64_t> key) {
    return numbers.try_emplace(std::move(key), static_cast<uint32_t>(numbers.size()) + 1).first->second;
  }
  enum Kind : uint64_t { Variable, Parameter, Special, Product, Sum, Result };

private:
  std::map<std::vector<uint64_t>, uint32_t> numbers;
};

class Walker {
public:
  Walker(const Body &body, Analyses &analyses, const BlockSize &block, WalkOptions options)
      : body(body), analyses(analyses), graph(analyses.graph()), block(block), options(options),
        registers(body.locals.size()), visits(graph.size()), isWanted(body.locals.size()), matters(body.size()) {
    findWanted();
  }
  Walk run();

private:
  struct Entry {
    BlockId block, meeting;
    ThreadMask threads;
  };
  using Inputs = llvm::SmallVector<ThreadNumbers, Step::mostSources>;

  void findWanted();
  void want(llvm::ArrayRef<LocalId> names, llvm::SmallVectorImpl<LocalId> &waiting);
  bool isShared(const Access &access) const {
    return (access.reads() || access.writes()) && !access.isDescribed &&
           (access.isGeneric || isa::wholeSpace(access.space) == isa::words::shared);
  }
  bool followBlock(size_t entry);
  bool execute(uint32_t number, const ThreadMask &threads);
  bool synchronise(uint32_t number, const ThreadMask &threads, bool isCertain);
  bool meet(WalkEvent::Kind kind, uint32_t number, const Action &action, const ThreadMask &threads);
  bool leave(size_t entry, ThreadMask threads);
  bool leaveUnknown(size_t entry);
  bool skip(BlockId from, BlockId meeting);
  void access(uint32_t number, const ThreadMask &threads);
  void compute(uint32_t number, const ThreadMask &threads, bool isCertain);

  ThreadNumbers exactly(uint64_t number) const { return {false, true, 0, number, nullptr}; }
  ThreadNumbers relative(uint64_t number, std::vector<uint64_t> key) {
    return {false, true, quantities.of(std::move(key)), number, nullptr};
  }
  template <typename Of> ThreadNumbers byThread(Of of) const;
  ThreadNumbers special(const Source &source);
  ThreadNumbers parameter(uint32_t number);
  ThreadNumbers operand(const Source &source);
  ThreadNumbers result(const Step &step);
  ThreadNumbers broadcast(const Step &step);
  uint32_t product(const ThreadNumbers &a, const ThreadNumbers &b, isa::Operation operation);
  uint32_t sum(uint32_t a, uint32_t b);
  uint32_t relationOf(const Computation &computation, const Inputs &inputs);
  void assign(LocalId local, ThreadNumbers value, const ThreadMask &threads);
  std::optional<ThreadMask> allowed(uint32_t number, const ThreadMask &threads);

  const Body &body;
  Analyses &analyses;
  const Graph &graph;
  const BlockSize block;
  const WalkOptions options;
  Quantities quantities;
  std::map<uint32_t, LocalId> variables; // keyed by the quantity to which addresses in the variable are relative
  std::vector<ThreadNumbers> registers;  // indexed by LocalId
  std::vector<uint32_t> visits;          // indexed by block
  std::vector<bool> isWanted;            // indexed by LocalId: addresses, conditions or barriers depend on it
  std::vector<bool> matters;             // indexed by instruction
  std::vector<Entry> stack;
  ThreadMask all, ended;
  uint64_t spent = 0;
  Walk walk;
};

constexpr uint64_t mostSpent = 6'000;
constexpr uint32_t mostVisits = 80, mostAssumedVisits = 3;

} // namespace

template <typename Of> ThreadNumbers Walker::byThread(Of of) const {
  auto table = std::make_shared<std::vector<uint64_t>>(options.count);
  for (size_t i = 0; i < options.count; ++i)
    (*table)[i] = of(options.first + i);
  return {false, true, 0, 0, std::move(table)};
}

ThreadNumbers Walker::special(const Source &source) {
  const isa::SpecialRegister *one = body.special(source.local);
  if (!one)
    return {};
  const llvm::StringRef name = body.text(source.local),
                        suffix = source.suffix == SpellingId::None ? llvm::StringRef() : body.ast->text(source.suffix);
  const unsigned dimension = dimensionOf(suffix);
  if (one->enumerates == isa::Enumerated::Lanes)
    return byThread([](size_t thread) { return thread % warpSize; });
  if (one->enumerates == isa::Enumerated::Threads && dimension < block.size())
    return byThread([&](size_t thread) {
      return dimension == 0   ? thread % block[0]
             : dimension == 1 ? thread / block[0] % block[1]
                              : thread / (block[0] * block[1]);
    });
  if (name == "%ntid" && dimension < block.size() && options.isSizeKnown)
    return exactly(block[dimension]);
  if (one->scope < isa::Scope::Cta)
    return {};
  const uint64_t assumed = one->scope == isa::Scope::Grid ? options.assumed : 0;
  return relative(assumed,
                  {Quantities::Special, static_cast<uint64_t>(source.local), static_cast<uint64_t>(source.suffix)});
}

/// Returns the value of a kernel parameter. Pointers are assumed to be distinct.
ThreadNumbers Walker::parameter(uint32_t number) {
  const Facts &facts = body.facts(number);
  const Source source = sourceAt(body, number, facts.accesses.front().node);
  const Symbol *symbol = source.local == LocalId::None ? nullptr : body.symbol(source.local);
  if (!symbol || !symbol->isParameter || body.function->kind != FunctionKind::Entry || facts.accesses.size() != 1)
    return {};
  const uint32_t bytes = facts.accesses.front().bytes;
  const uint64_t assumed = bytes == 8   ? (uint64_t(static_cast<uint64_t>(source.local)) << 32) + options.assumed
                           : bytes == 4 ? options.assumed
                                        : 1;
  return relative(assumed, {Quantities::Parameter, static_cast<uint64_t>(source.local),
                            static_cast<uint64_t>(source.offset()), bytes});
}

ThreadNumbers Walker::operand(const Source &source) {
  if (source.kind == Source::Number)
    return exactly(static_cast<uint64_t>(source.number));
  if (source.kind != Source::Name)
    return {};
  const Symbol *symbol = body.symbol(source.local);
  if (!symbol)
    return special(source);
  ThreadNumbers value;
  if (symbol->kind == SymbolKind::Variable && !symbol->isParameter) {
    constexpr unsigned apart = 20;
    value = relative(static_cast<uint64_t>(source.local) << apart,
                     {Quantities::Variable, static_cast<uint64_t>(source.local)});
    variables[value.relativeTo] = source.local;
  } else if (symbol->kind == SymbolKind::Register) {
    value = registers[static_cast<uint32_t>(source.local)];
  }
  if (!value.isKnown || source.suffix != SpellingId::None || source.flags & ~(Not | HasOffset))
    return {};
  if (!source.flags)
    return value;
  const bool isNot = source.flags & Not;
  const uint64_t added = static_cast<uint64_t>(source.offset());
  const auto changed = [&](uint64_t one) { return isNot ? uint64_t(!one) : one + added; };
  if (isNot && value.relativeTo)
    value.relativeTo = ThreadNumbers::assumed;
  if (value.table) {
    auto table = std::make_shared<std::vector<uint64_t>>(*value.table);
    for (uint64_t &one : *table)
      one = changed(one);
    value.table = std::move(table);
  }
  value.number = changed(value.number);
  return value;
}

uint32_t Walker::sum(uint32_t a, uint32_t b) {
  if (!a || !b)
    return a ? a : b;
  if (a == ThreadNumbers::assumed || b == ThreadNumbers::assumed)
    return ThreadNumbers::assumed;
  return quantities.of({Quantities::Sum, std::min(a, b), std::max(a, b)});
}

/// Returns the quantity to which a product is relative, if one factor is a number.
uint32_t Walker::product(const ThreadNumbers &a, const ThreadNumbers &b, isa::Operation operation) {
  if (a.isExact() && b.isExact())
    return 0;
  const bool isSecond = b.isExact() && !b.table, isFirst = a.isExact() && !a.table;
  const ThreadNumbers &other = isSecond ? a : b;
  if ((!isSecond && (!isFirst || operation == isa::Operation::Shl)) || other.relativeTo == ThreadNumbers::assumed)
    return ThreadNumbers::assumed;
  return quantities.of(
      {Quantities::Product, static_cast<uint64_t>(operation), other.relativeTo, isSecond ? b.number : a.number});
}

uint32_t Walker::relationOf(const Computation &c, const Inputs &inputs) {
  const auto isExact = [](const ThreadNumbers &one) { return one.isExact(); };
  if (llvm::all_of(inputs, isExact))
    return 0;
  using enum isa::Operation;
  const bool keepsBits = c.resultBits >= c.sourceBits;
  if (inputs.size() == 1 && (((c.operation == Mov || c.operation == Cvt) && keepsBits) || c.operation == ToGeneric ||
                             c.operation == FromGeneric))
    return inputs[0].relativeTo;
  if (c.operation == Add && inputs.size() == 2)
    return sum(inputs[0].relativeTo, inputs[1].relativeTo);
  if (c.operation == Sub && inputs.size() == 2 && inputs[0].relativeTo == inputs[1].relativeTo &&
      inputs[0].relativeTo != ThreadNumbers::assumed)
    return 0;
  if (c.operation == Sub && inputs.size() == 2 && inputs[1].isExact())
    return inputs[0].relativeTo;
  if ((c.operation == Mul || c.operation == Shl) && inputs.size() == 2)
    return product(inputs[0], inputs[1], c.operation);
  if (c.operation == Mad && inputs.size() == 3)
    return sum(product(inputs[0], inputs[1], Mul), inputs[2].relativeTo);
  std::vector<uint64_t> key = {
      Quantities::Result, static_cast<uint64_t>(c.operation),  c.resultBits,
      c.sourceBits,       static_cast<uint64_t>(c.resultKind), static_cast<uint64_t>(c.sourceKind),
      c.comparison};
  for (const ThreadNumbers &one : inputs) {
    if (one.table || one.relativeTo == ThreadNumbers::assumed)
      return ThreadNumbers::assumed;
    key.push_back(one.relativeTo);
    key.push_back(one.number);
  }
  return quantities.of(std::move(key));
}

/// Returns the number that all lanes of a warp receive from one of them.
ThreadNumbers Walker::broadcast(const Step &step) {
  const ThreadNumbers value = operand(step.list[0]);
  if (!value.isKnown || !value.table)
    return value;
  ThreadNumbers result = byThread([&](size_t thread) {
    const size_t from = (thread - options.first) / warpSize * warpSize + static_cast<size_t>(step.lane);
    return from < options.count ? value.of(from) : uint64_t(0);
  });
  result.relativeTo = value.relativeTo;
  return result;
}

ThreadNumbers Walker::result(const Step &step) {
  if (step.isBroadcast())
    return broadcast(step);
  Inputs inputs;
  bool areSame = true;
  for (const Source &source : step.sources()) {
    inputs.push_back(operand(source));
    if (!inputs.back().isKnown)
      return {};
    areSame &= !inputs.back().table;
  }
  Computation computation = *step.computation;
  if (computation.operation == isa::Operation::ToGeneric || computation.operation == isa::Operation::FromGeneric)
    computation.operation = isa::Operation::Mov;
  const auto computed = [&](size_t thread) {
    llvm::SmallVector<uint64_t, Step::mostSources> numbers;
    for (const ThreadNumbers &one : inputs)
      numbers.push_back(one.of(thread));
    return constantResult(computation, numbers);
  };
  const std::optional<uint64_t> first = computed(0);
  if (!first)
    return {};
  ThreadNumbers value = exactly(*first);
  if (!areSame) {
    spent += options.count;
    auto table = std::make_shared<std::vector<uint64_t>>(options.count);
    for (size_t i = 0; i < options.count; ++i)
      (*table)[i] = computed(i).value_or(0);
    value.table = std::move(table);
  }
  value.relativeTo = relationOf(*step.computation, inputs);
  return value;
}

void Walker::assign(LocalId local, ThreadNumbers value, const ThreadMask &threads) {
  value.isUnset = false;
  ThreadNumbers &old = registers[static_cast<uint32_t>(local)];
  if (old.isUnset || (threads | ended) == all) {
    old = std::move(value);
    return;
  }
  if (!old.isKnown || !value.isKnown) {
    old = {false, false, 0, 0, nullptr};
    return;
  }
  spent += options.count;
  ThreadNumbers merged = {false, true, old.relativeTo, 0, nullptr};
  if (old.relativeTo != value.relativeTo)
    merged.relativeTo = ThreadNumbers::assumed;
  auto table = std::make_shared<std::vector<uint64_t>>(options.count);
  for (size_t i = 0; i < options.count; ++i)
    (*table)[i] = threads[i] ? value.of(i) : old.of(i);
  merged.table = std::move(table);
  old = std::move(merged);
}

void Walker::want(llvm::ArrayRef<LocalId> names, llvm::SmallVectorImpl<LocalId> &waiting) {
  for (const LocalId name : names)
    if (name != LocalId::None && body.isRegister(name) && !isWanted[static_cast<uint32_t>(name)]) {
      isWanted[static_cast<uint32_t>(name)] = true;
      waiting.push_back(name);
    }
}

/// Finds the registers on which shared-memory addresses, conditions and barriers depend. Also finds the instructions
/// that write these registers or cause events; the simulation skips all others.
void Walker::findWanted() {
  llvm::SmallVector<LocalId, 32> waiting;
  for (uint32_t number = 0; number < body.size(); ++number) {
    const Facts &facts = body.facts(number);
    const bool orders = facts.has(FactKind::Syncs) || facts.has(FactKind::Arrives) || facts.has(FactKind::Awaits);
    const bool isJoint = facts.has(FactKind::Converged) || facts.has(FactKind::Among);
    const bool accesses =
        !facts.has(FactKind::Async) && llvm::any_of(facts.accesses, [&](const Access &one) { return isShared(one); });
    matters[number] = !facts.known || orders || isJoint || accesses || facts.uses & Calls || facts.has(FactKind::Calls);
    if (facts.endsControl() || orders || accesses)
      want(body.guard(number), waiting);
    if (orders)
      want(body.namesOf(number), waiting);
    for (const Access &one : facts.accesses)
      if (accesses && isShared(one))
        want(sourceAt(body, number, one.node).local, waiting);
  }
  while (!waiting.empty()) {
    const LocalId local = waiting.pop_back_val();
    body.definitions.eachWriter(local, [&](uint32_t number) {
      matters[number] = true;
      want(body.guard(number), waiting);
      const Facts &facts = body.facts(number);
      if (facts.computation.isKnown || facts.has(FactKind::Copies))
        want(body.namesOf(number), waiting);
    });
  }
}

/// Returns the threads for which the guard is true, or nothing if they are unknown.
std::optional<ThreadMask> Walker::allowed(uint32_t number, const ThreadMask &threads) {
  const LocalId guard = body.guard(number);
  if (guard == LocalId::None)
    return threads;
  const ThreadNumbers &value = registers[static_cast<uint32_t>(guard)];
  if (!value.isKnown)
    return std::nullopt;
  ThreadMask result;
  for (size_t i = 0; i < options.count; ++i)
    result[i] = threads[i] && (value.of(i) != 0) != body.instruction(number).guardNot;
  return result;
}

void Walker::compute(uint32_t number, const ThreadMask &threads, bool isCertain) {
  const Step step = stepOf(body, number);
  const Facts &facts = body.facts(number);
  for (const auto &[local, uses] : llvm::zip(body.namesOf(number), body.usesOf(number))) {
    if (!(uses & Writes) || !isWanted[static_cast<uint32_t>(local)])
      continue;
    ThreadNumbers value;
    if (isCertain && step.isKnown() && step.result == local &&
        llvm::none_of(step.sources(), [](const Source &source) { return source.kind == Source::Unknown; }))
      value = result(step);
    else if (isCertain && !facts.accesses.empty() && facts.accesses.front().isVariable &&
             body.operands(number).front().kind == OperandKind::Name)
      value = parameter(number);
    assign(local, std::move(value), threads);
  }
}

/// Records a synchronous access to shared memory.
void Walker::access(uint32_t number, const ThreadMask &threads) {
  const Facts &facts = body.facts(number);
  if (facts.has(FactKind::Async))
    return;
  for (auto [index, one] : llvm::enumerate(facts.accesses)) {
    if (!isShared(one))
      continue;
    const Source source = sourceAt(body, number, one.node);
    WalkEvent event = {WalkEvent::Access, number, static_cast<uint16_t>(index), threads, operand(source)};
    const Symbol *symbol = source.local == LocalId::None ? nullptr : body.symbol(source.local);
    if (!event.address.isKnown && symbol && symbol->kind == SymbolKind::Register)
      event.somewhereIn = analyses.addresses().of(source.local).root.variable;
    else if (const auto variable = variables.find(event.address.relativeTo); variable != variables.end())
      event.somewhereIn = variable->second;
    if (event.address.isKnown || event.somewhereIn != LocalId::None)
      walk.events.push_back(std::move(event));
  }
}

bool Walker::meet(WalkEvent::Kind kind, uint32_t number, const Action &action, const ThreadMask &threads) {
  WalkEvent event = {kind, number, 0, threads, {}};
  const auto numberOf = [&](int16_t node, int64_t &into) {
    if (node < 0)
      return true;
    const ThreadNumbers value = operand(sourceAt(body, number, node));
    into = static_cast<int64_t>(value.number);
    if (!value.table)
      return value.isKnown;
    std::optional<uint64_t> same;
    for (size_t i = 0; i < options.count; ++i)
      if (threads[i] && value.of(i) != same.value_or(value.of(i)))
        return false;
      else if (threads[i])
        same = value.of(i);
    into = static_cast<int64_t>(same.value_or(0));
    return true;
  };
  if (!numberOf(action.which, event.barrier) || !numberOf(action.amount, event.count))
    return false;
  const ThreadMask live = all & ~ended;
  if (options.isWholeBlock && (kind == WalkEvent::Arrival || threads != live ||
                               (event.count && static_cast<uint64_t>(event.count) < live.count())))
    return false;
  if (!options.isWholeBlock && threads != live)
    return false;
  walk.events.push_back(std::move(event));
  return true;
}

/// Records synchronisation between threads. Returns false if the simulation must end because the other threads are
/// unknown.
bool Walker::synchronise(uint32_t number, const ThreadMask &threads, bool isCertain) {
  const Facts &facts = body.facts(number);
  if (body.callsUnknown(number) || facts.has(FactKind::Calls))
    return !body.callsUnknown(number) && isCertain;
  bool isOfWarp = facts.has(FactKind::Converged) || facts.has(FactKind::Among);
  for (const Action &action : facts.actions) {
    if (action.kind != FactKind::Syncs && action.kind != FactKind::Arrives && action.kind != FactKind::Awaits)
      continue;
    if (action.node >= 0)
      return false;
    switch (action.scope()) {
    case isa::Scope::Grid: continue;
    case isa::Scope::Lane:
    case isa::Scope::Warp: isOfWarp = true; continue;
    case isa::Scope::Cta:
      if (action.kind == FactKind::Awaits || !isCertain ||
          !meet(action.kind == FactKind::Syncs ? WalkEvent::Barrier : WalkEvent::Arrival, number, action, threads))
        return false;
      isOfWarp = false;
      continue;
    default: return false;
    }
  }
  if (isOfWarp)
    walk.events.push_back({WalkEvent::WarpBarrier, number, 0, threads, {}});
  return true;
}

bool Walker::execute(uint32_t number, const ThreadMask &threads) {
  const Facts &facts = body.facts(number);
  if (!matters[number])
    return ++spent <= mostSpent;
  const std::optional<ThreadMask> allowed = this->allowed(number, threads);
  const ThreadMask &mask = allowed ? *allowed : threads;
  if (++spent > mostSpent || !facts.known)
    return false;
  if (mask.none() || facts.endsControl())
    return true;
  if (!synchronise(number, mask, allowed.has_value()))
    return false;
  if (allowed)
    access(number, mask);
  compute(number, mask, allowed.has_value());
  return true;
}

/// Skips the blocks from a branch with an unknown condition to the join of its paths.
bool Walker::skip(BlockId from, BlockId meeting) {
  if (indexOf(meeting) >= graph.size())
    return false;
  FoundBlocks region(graph.size());
  for (const BlockId next : graph.successors.of(from))
    if (next != meeting)
      region.add(next);
  region.spread(graph.successors, [&](BlockId one) { return one != meeting; });
  for (const BlockId one : region.inOrder()) {
    if (one == meeting)
      continue;
    if (graph[one].leaves)
      return false;
    for (uint32_t number = graph[one].first; number < graph[one].end; ++number) {
      const Facts &facts = body.facts(number);
      const bool orders = facts.has(FactKind::Syncs) || facts.has(FactKind::Arrives) || facts.has(FactKind::Awaits);
      if (orders || body.callsUnknown(number))
        return false;
      compute(number, all & ~ended, /*isCertain=*/false);
    }
  }
  return true;
}

bool Walker::leaveUnknown(size_t entry) {
  const BlockId from = stack[entry].block;
  const DominatorTree &after = analyses.postDominators();
  if (!after.contains(from) || !skip(from, after.parent[indexOf(from)]))
    return false;
  stack[entry].block = after.parent[indexOf(from)];
  return true;
}

bool Walker::leave(size_t entry, ThreadMask threads) {
  const BlockId from = stack[entry].block;
  const Block &own = graph[from];
  const uint32_t last = own.last();
  const Facts &facts = body.facts(last);
  const llvm::ArrayRef<BlockId> next = graph.successors.of(from);
  const std::optional<ThreadMask> taken = allowed(last, threads);
  if (!facts.endsControl()) {
    stack[entry].block = next.empty() ? BlockId::None : next[0];
    return !next.empty();
  }
  if (facts.has(FactKind::Ends)) {
    if (!taken || own.aborts)
      return taken && taken->none() && !next.empty() && (stack[entry].block = next[0], true);
    ended |= *taken;
    stack[entry].threads &= ~*taken;
    if (!next.empty())
      stack[entry].block = next[0];
    return !next.empty() || stack[entry].threads.none();
  }
  if (next.size() == 1) {
    stack[entry].block = next[0];
    return true;
  }
  if (next.size() != 2 || !own.goesOn)
    return false;
  if (!taken)
    return leaveUnknown(entry);
  const ThreadNumbers &guard = registers[static_cast<uint32_t>(body.guard(last))];
  ThreadMask toSecond = *taken, toFirst = threads & ~*taken;
  const BlockId header = analyses.loops().header[indexOf(from)];
  if (options.isWholeBlock && guard.relativeTo && header != BlockId::None &&
      visits[indexOf(from)] >= mostAssumedVisits) {
    const Loops &loops = analyses.loops();
    const bool leavesFirst = !loops.contains(header, next[0]), leavesSecond = !loops.contains(header, next[1]);
    if (leavesFirst != leavesSecond) { // the number of iterations differs
      toFirst = leavesFirst ? threads : ThreadMask();
      toSecond = leavesFirst ? ThreadMask() : threads;
    }
  }
  if (toFirst.none() || toSecond.none()) {
    stack[entry].block = toFirst.none() ? next[1] : next[0];
    return true;
  }
  const DominatorTree &after = analyses.postDominators();
  const BlockId meeting = after.contains(from) ? after.parent[indexOf(from)] : BlockId::None;
  const bool hasMeeting = meeting != BlockId::None && indexOf(meeting) < graph.size();
  const BlockId until = hasMeeting ? meeting : stack[entry].meeting;
  if (hasMeeting)
    stack[entry].block = meeting;
  else
    stack.erase(stack.begin() + static_cast<ptrdiff_t>(entry));
  constexpr size_t deepest = 64;
  stack.push_back({next[1], until, toSecond});
  stack.push_back({next[0], until, toFirst});
  return stack.size() < deepest;
}

bool Walker::followBlock(size_t entry) {
  const BlockId at = stack[entry].block;
  const ThreadMask threads = stack[entry].threads & ~ended;
  if (++visits[indexOf(at)] > mostVisits)
    return false;
  for (uint32_t number = graph[at].first; number < graph[at].end; ++number)
    if (!execute(number, threads))
      return false;
  return leave(entry, threads);
}

Walk Walker::run() {
  for (size_t i = 0; i < options.count; ++i)
    all[i] = true;
  if (graph.order.empty())
    return walk;
  stack.push_back({graph.order.front(), BlockId::None, all});
  while (!stack.empty()) {
    const Entry &top = stack.back();
    if ((top.threads & ~ended).none() || top.block == top.meeting)
      stack.pop_back();
    else if (!followBlock(stack.size() - 1))
      return std::move(walk);
  }
  walk.isComplete = true;
  return std::move(walk);
}

Walk walkThreads(const Body &body, Analyses &analyses, const BlockSize &block, WalkOptions options) {
  return Walker(body, analyses, block, options).run();
}

} // namespace ptxray
