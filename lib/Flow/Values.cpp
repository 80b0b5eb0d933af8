#include "Flow/Values.h"
#include "Flow/Constants.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

constexpr unsigned mostDepth = 64, mostWriters = 8, mostRoundsOfLoop = 1 << 16;
/// No loop counts in greater steps, and so many rounds of them do not overflow.
constexpr int64_t mostAdded = int64_t(1) << 40;
/// Blocks looked at for the ends of loops: beyond nothing is known of counters.
constexpr size_t mostVisits = 1'000'000;

static bool isRegister(const Symbol *symbol) { return symbol && symbol->kind == SymbolKind::Register; }

// ---- one register
Numbers Values::special(const Operand &operand, LocalId local) const {
  const isa::SpecialRegister *known = isa::findSpecialRegister(body.text(local));
  if (!known || known->enumerates == isa::Enumerated::Nothing)
    return {};
  if (known->enumerates == isa::Enumerated::Lanes)
    return Numbers::between(0, warpSize - 1);
  const llvm::StringRef text = operand.suffix == SpellingId::None ? "" : body.ast->text(operand.suffix);
  const unsigned dimension = text == ".x" ? 0 : text == ".y" ? 1 : text == ".z" ? 2 : 3;
  if (dimension == 3)
    return {};
  if (thread)
    return Numbers::of(thread->place[dimension]);
  const uint64_t sizes[] = {shape.x, shape.y, shape.isExact ? shape.z() : 1};
  return Numbers::between(0, static_cast<int64_t>(shape.isExact ? sizes[dimension] : shape.threads) - 1);
}

Numbers Values::ofOperand(const Operand &operand, LocalId local, unsigned depth) {
  if (!body.symbol(local))
    return operand.flags ? Numbers() : special(operand, local);
  if (operand.suffix != SpellingId::None)
    return {};
  Numbers numbers = of(local, depth);
  if (operand.flags == Not)
    return numbers.isNumber() ? Numbers::of(!numbers.low) : Numbers::between(0, 1);
  if (operand.flags & HasOffset) {
    const Numbers added[] = {numbers, Numbers::of(operand.value)};
    numbers = numbersOf({true, isa::Operation::Add, isa::TypeKind::Bits, isa::TypeKind::Bits, 64, 64, 0}, added);
  }
  return operand.flags & ~HasOffset ? Numbers() : numbers;
}

/// The node of a lane's number, where an instruction hands all lanes of a warp what that one reads.
static std::optional<uint32_t> broadcastFrom(const Facts &facts) {
  if (!facts.has(isa::FactKind::Copies) || facts.computation.isKnown)
    return std::nullopt;
  for (const Action &action : facts.actions)
    if (action.kind == isa::FactKind::Per && action.scope() == isa::Scope::Warp && action.condition >= 0)
      return static_cast<uint32_t>(action.condition);
  return std::nullopt;
}

/// In one thread only if it is that of the lane.
Numbers Values::broadcast(uint32_t instruction, uint32_t laneNode, unsigned depth) {
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(instruction).operands);
  if (nodes.size() < 2 || nodes[0].kind != OperandKind::Name || nodes[1].kind != OperandKind::Name ||
      nodes[laneNode].kind != OperandKind::Integer)
    return {};
  if (thread && nodes[laneNode].value != static_cast<int64_t>(shape.numberOf(thread->place) % warpSize))
    return {};
  return ofOperand(nodes[1], body.namesOf(instruction)[1], depth + 1);
}

/// What an instruction writes to the register that is its first operand.
Numbers Values::written(uint32_t instruction, unsigned depth) {
  if (const std::optional<uint32_t> lane = broadcastFrom(body.facts(instruction)))
    return broadcast(instruction, *lane, depth);
  const Computation &computation = body.facts(instruction).computation;
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(instruction).operands);
  if (!computation.isKnown || nodes.front().kind != OperandKind::Name)
    return {};
  llvm::SmallVector<Numbers, 4> sources;
  const LocalId *local = body.namesOf(instruction).data();
  for (const Operand &node : nodes.drop_front()) {
    if (node.kind == OperandKind::Name)
      sources.push_back(ofOperand(node, *++local, depth + 1));
    else if (node.kind == OperandKind::Integer && !(node.flags & AnyValue))
      sources.push_back(Numbers::of(node.value));
    else if (node.kind == OperandKind::Vector || node.kind == OperandKind::Pair)
      return {};
    else
      sources.emplace_back();
  }
  return numbersOf(computation, sources);
}

Numbers Values::of(LocalId local, unsigned depth) {
  if (thread && local == thread->counter)
    return Numbers::of(thread->count);
  const Symbol *symbol = body.symbol(local);
  if (symbol && symbol->kind == SymbolKind::Variable)
    return {true, 0, 0, 0, local};
  if (!isRegister(symbol) || depth > mostDepth)
    return {};
  // One that depends on itself is being worked out.
  auto [entry, isNew] = known.try_emplace(local);
  if (!isNew)
    return entry->second;
  const uint32_t only = analyses.definitions().only(local);
  const bool isCertain = only != Definitions::none && body.guard(only) == LocalId::None;
  const Numbers found = isCertain ? written(only, depth) : ofSeveral(local, depth);
  return known[local] = found;
}

Numbers Values::at(uint32_t instruction, uint32_t node) {
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(instruction).operands);
  if (nodes[node].kind == OperandKind::Integer)
    return nodes[node].flags & AnyValue ? Numbers() : Numbers::of(nodes[node].value);
  if (nodes[node].kind != OperandKind::Name)
    return {};
  const auto before =
      llvm::count_if(nodes.take_front(node), [](const Operand &one) { return one.kind == OperandKind::Name; });
  return ofOperand(nodes[node], body.namesOf(instruction)[static_cast<size_t>(before)], 0);
}

// ---- registers that several instructions write
/// What the instruction adds to the register, perhaps by way of another one that nothing else writes.
std::optional<int64_t> Values::addedTo(LocalId local, uint32_t writer) {
  for (unsigned step = 0; step < 2 && writer != Definitions::none && body.guard(writer) == LocalId::None; ++step) {
    const Computation &computation = body.facts(writer).computation;
    const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(writer).operands);
    const bool isMove = computation.operation == isa::Operation::Mov && nodes.size() == 2;
    const bool isSum = (computation.operation == isa::Operation::Add || computation.operation == isa::Operation::Sub) &&
                       nodes.size() == 3 && nodes[2].kind == OperandKind::Integer;
    if (!computation.isKnown || !(isMove || isSum) || nodes[0].kind != OperandKind::Name ||
        nodes[1].kind != OperandKind::Name || nodes[1].flags || nodes[1].suffix != SpellingId::None)
      return std::nullopt;
    const LocalId source = body.namesOf(writer)[1];
    if (isSum && source == local) {
      const int64_t added = computation.resultBits == 32 ? static_cast<int32_t>(nodes[2].value) : nodes[2].value;
      if (added < -mostAdded || added > mostAdded)
        return std::nullopt;
      return computation.operation == isa::Operation::Add ? added : -added;
    }
    if (isSum || !body.symbol(source))
      return std::nullopt;
    writer = analyses.definitions().only(source);
  }
  return std::nullopt;
}

std::optional<Counter> Values::counterOf(LocalId local) {
  if (analyses.definitions().hasMore(local, mostWriters))
    return std::nullopt;
  Counter counter;
  std::optional<Numbers> first;
  unsigned adding = 0;
  bool isCertain = true;
  analyses.definitions().eachWriter(local, [&](uint32_t number) {
    isCertain &= body.guard(number) == LocalId::None;
    if (!isCertain)
      return;
    if (const std::optional<int64_t> added = addedTo(local, number)) {
      counter.added = *added;
      counter.adds = number;
      ++adding;
      return;
    }
    const Numbers one = written(number, 0);
    first = first ? eitherOf(*first, one) : one;
  });
  if (!isCertain || adding != 1 || !first || !counter.added)
    return std::nullopt;
  counter.first = *first;
  return counter;
}

Numbers Values::ofSeveral(LocalId local, unsigned depth) {
  if (!analyses.definitions().isWritten(local) || analyses.definitions().hasMore(local, mostWriters))
    return {};
  if (const std::optional<Counter> counter = counterOf(local)) {
    const Numbers added = {false, 0, 0, static_cast<uint64_t>(std::abs(counter->added)), counter->first.base};
    const Counts all = counts(local, counter->adds);
    if (!all.isWhole)
      return eitherOf(counter->first, added);
    return eitherOf(counter->first, Numbers::of(all.last + counter->added));
  }
  std::optional<Numbers> any;
  analyses.definitions().eachWriter(local, [&](uint32_t number) {
    const Numbers one = written(number, depth);
    any = any ? eitherOf(*any, one) : one;
  });
  return *any;
}

// ---- rounds of loops
namespace {

/// Where control leaves a loop, and what it compares there with a counter.
struct Exit {
  BlockId block = BlockId::None;
  uint32_t comparison = ~0u; // the instruction
  bool staysIfTrue = false;
};

} // namespace

/// The only one of the loop, if it is decided by a comparison.
static std::optional<Exit> exitOf(BlockId header, const Body &body, Analyses &analyses) {
  const Graph &graph = analyses.graph();
  const Loops &loops = analyses.loops();
  Exit exit;
  for (const BlockId block : graph.order) {
    if (!loops.contains(header, block))
      continue;
    const auto leads = [&](BlockId next) { return !loops.contains(header, next); };
    const llvm::ArrayRef<BlockId> next = graph.successors.of(block);
    if (graph[block].leaves || graph[block].aborts || (exit.block != BlockId::None && llvm::any_of(next, leads)))
      return std::nullopt;
    if (llvm::none_of(next, leads))
      continue;
    const uint32_t last = graph[block].last();
    const LocalId guard = body.guard(last);
    if (guard == LocalId::None || next.size() != 2 || !graph[block].goesOn)
      return std::nullopt;
    exit.block = block;
    exit.comparison = analyses.definitions().only(guard);
    exit.staysIfTrue = !leads(next[1]) != body.instruction(last).guardNot; // the branch is taken where its guard holds
  }
  const bool isKnown = exit.block != BlockId::None && exit.comparison != Definitions::none &&
                       body.guard(exit.comparison) == LocalId::None &&
                       body.facts(exit.comparison).computation.operation == isa::Operation::Setp;
  return isKnown ? std::optional(exit) : std::nullopt;
}

static bool precedes(uint32_t first, uint32_t second, Analyses &analyses) {
  const Graph &graph = analyses.graph();
  const BlockId a = graph.blockOf(first), b = graph.blockOf(second);
  return a == b ? first < second : graph.isReached(b) && graph.isReached(a) && analyses.dominators().dominates(a, b);
}

/// The instruction that reads the counter for one operand of a comparison, and what is added to it until there.
static std::optional<std::pair<uint32_t, int64_t>> readOf(LocalId counter, uint32_t comparison, const Body &body,
                                                          Analyses &analyses) {
  const LocalId compared = body.namesOf(comparison)[1];
  if (compared == counter)
    return std::pair(comparison, int64_t(0));
  const uint32_t sum = body.symbol(compared) ? analyses.definitions().only(compared) : Definitions::none;
  if (sum == Definitions::none || body.guard(sum) != LocalId::None)
    return std::nullopt;
  const Computation &computation = body.facts(sum).computation;
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(sum).operands);
  if (!computation.isKnown || computation.operation != isa::Operation::Add || nodes.size() != 3 ||
      nodes[1].kind != OperandKind::Name || nodes[2].kind != OperandKind::Integer || nodes[1].flags ||
      body.namesOf(sum)[1] != counter)
    return std::nullopt;
  return std::pair(sum, computation.resultBits == 32 ? int64_t(static_cast<int32_t>(nodes[2].value)) : nodes[2].value);
}

Values::Counts Values::counts(LocalId local, uint32_t instruction) {
  const std::optional<Counter> counter = counterOf(local);
  if (!counter || !counter->first.isNumber())
    return {};
  const Counts once = {1, counter->first.low, counter->first.low, false};
  const Graph &graph = analyses.graph();
  const BlockId place = graph.blockOf(instruction), adding = graph.blockOf(counter->adds);
  const BlockId header = graph.isReached(adding) ? analyses.loops().header[indexOf(adding)] : BlockId::None;
  if (header == BlockId::None || analyses.loops().isEnteredAside[indexOf(header)] || !graph.isReached(place) ||
      !analyses.loops().contains(header, place) ||
      (instruction != counter->adds && !precedes(instruction, counter->adds, analyses)))
    return {};
  visits += graph.size();
  const std::optional<Exit> exit = visits < mostVisits ? exitOf(header, body, analyses) : std::nullopt;
  if (!exit)
    return once;
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(exit->comparison).operands);
  if (nodes.size() != 3 || nodes[0].kind != OperandKind::Name || nodes[1].kind != OperandKind::Name || nodes[1].flags)
    return once;
  const auto read = readOf(local, exit->comparison, body, analyses);
  const Numbers limit = at(exit->comparison, 2);
  if (!read || !limit.isNumber())
    return once;
  const bool comesAfter = counter->adds < read->first && precedes(counter->adds, read->first, analyses);
  const bool isTestFirst = exit->block != place && analyses.dominators().dominates(exit->block, place);
  const uint64_t away = static_cast<uint64_t>(read->second) + static_cast<uint64_t>(comesAfter ? counter->added : 0);
  const auto stays = [&](int64_t count) {
    const uint64_t sources[] = {static_cast<uint64_t>(count) + away, static_cast<uint64_t>(limit.low)};
    return constantResult(body.facts(exit->comparison).computation, sources) == uint64_t(exit->staysIfTrue);
  };
  Counts all = {0, counter->first.low, counter->first.low, true};
  for (int64_t count = counter->first.low; !isTestFirst || stays(count); count += counter->added) {
    all.last = count;
    if (++all.rounds == mostRoundsOfLoop)
      return once;
    if (!isTestFirst && !stays(count))
      break;
  }
  return all;
}

} // namespace ptxray
