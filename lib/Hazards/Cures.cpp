#include "Hazards/Cures.h"
#include "Source/SourceBuffer.h"

namespace ptxray {
namespace {

/// A fact that the instruction of the cure must state.
struct NeededFact {
  FactKind kind;
  uint16_t groups = 0;
  isa::Ordered first = isa::Ordered::Nothing, second = isa::Ordered::Nothing;

  bool isStated(const Action &action) const {
    return action.kind == kind && (action.groups & groups) == groups && action.number == 0 && !action.isReads &&
           (first == isa::Ordered::Nothing || static_cast<isa::Ordered>(action.detail) == first) &&
           (second == isa::Ordered::Nothing || static_cast<isa::Ordered>(action.other) == second) &&
           (!action.space || isShared(action.space));
  }
};

struct Cure {
  std::string text; // includes its semicolon
  bool isConverged; // threads execute it together
};

/// The place of the cure: before or after an instruction.
struct CurePlace {
  uint32_t number;
  bool isAfter = false;
};

} // namespace

// ---- the instruction
/// Returns the opcodes of a form with the required words, those without further words first.
static std::vector<std::string> plainOpcodes(const isa::Form &form) {
  constexpr size_t most = 64;
  const llvm::StringRef name =
      llvm::StringRef(form.syntax()).take_until([](char c) { return c == '.' || c == '{' || c == ' '; });
  std::vector<std::string> texts = {name.str()};
  for (const isa::Slot &slot : isa::run(isa::tables().slots, form.slots)) {
    if (slot.optional && !slot.literal)
      continue;
    std::vector<std::string> longer;
    if (slot.optional)
      longer = texts;
    for (const std::string &text : texts)
      if (slot.literal)
        longer.push_back(text + std::string(slot.name()));
      else
        for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, slot.values))
          longer.push_back(text + std::string(isa::word(value.word).text()));
    if (longer.size() > most || slot.suffix)
      return {};
    texts = std::move(longer);
  }
  return texts;
}

/// Returns the correcting instruction with an opcode. A number among its operands is set to 0. Returns nothing if its
/// facts differ, or if the target does not support it.
static std::optional<Cure> cureOf(llvm::StringRef opcodeText, bool hasNumber, llvm::ArrayRef<NeededFact> needed,
                                  const Availability &availability) {
  const Opcode opcode(opcodeText);
  Shape zero;
  zero.kind = ShapeKind::Integer;
  const Judged judged = judge({opcode, hasNumber ? llvm::ArrayRef(zero) : llvm::ArrayRef<Shape>(), availability});
  const auto &actions = judged.facts.actions;
  const auto isStated = [&](const NeededFact &fact) {
    return llvm::any_of(actions, [&](const Action &action) { return fact.isStated(action); });
  };
  const auto isMore = [&](const Action &action) {
    return (action.kind == FactKind::Commits || action.kind == FactKind::Waits) &&
           llvm::none_of(needed, [&](const NeededFact &fact) { return fact.kind == action.kind; });
  };
  if (!judged.findings.empty() || !llvm::all_of(needed, isStated) || llvm::any_of(actions, isMore))
    return std::nullopt;
  return Cure{opcodeText.str() + (hasNumber ? " 0;" : ";"), judged.facts.has(FactKind::Converged)};
}

/// Returns the simplest instruction that states the facts, with no operands or with a single number.
static std::optional<Cure> findCure(llvm::ArrayRef<NeededFact> needed, const HazardContext &context) {
  const isa::Tables &tables = isa::tables();
  ModuleContext module = context.analyses.availability().module();
  module.pedantic = true; // ensures that no rule reports the inserted instruction
  const Availability availability(module);
  for (const isa::Form &form : tables.forms) {
    const llvm::ArrayRef<isa::Pattern> patterns = isa::run(tables.patterns, form.patterns);
    const bool hasNumber = patterns.size() == 1;
    if (patterns.size() > 1 || llvm::none_of(isa::run(tables.facts, form.facts), [&](const isa::Fact &fact) {
          return fact.kind == needed.front().kind && (fact.groups & needed.front().groups) == needed.front().groups;
        }))
      continue;
    if (hasNumber && isa::run(tables.operands, form.operands).front().role != isa::OperandRole::Immediate)
      continue;
    for (const std::string &opcode : plainOpcodes(form))
      if (std::optional<Cure> cure = cureOf(opcode, hasNumber, needed, availability))
        return cure;
  }
  return std::nullopt;
}

// ---- the place
static Edit insertion(llvm::StringRef cure, CurePlace place, const HazardContext &context) {
  const llvm::StringRef text = context.source.text();
  const Range statement = context.range(place.number);
  const llvm::StringRef line = text.drop_front(text.take_front(statement.begin).rfind('\n') + 1);
  const llvm::StringRef indent = line.take_while([](char c) { return c == ' ' || c == '\t'; });
  const llvm::StringRef rest = text.drop_front(statement.end).take_until([](char c) { return c == '\n'; });
  const std::string newline = rest.ends_with("\r") ? "\r\n" : "\n";
  if (!place.isAfter) {
    const bool isFirst = indent.end() == text.data() + statement.begin;
    return {{statement.begin, statement.begin}, cure.str() + (isFirst ? newline + indent.str() : " ")};
  }
  const auto end = static_cast<uint32_t>(statement.end + rest.rtrim('\r').size());
  if (rest.trim().empty() || rest.trim().starts_with("//"))
    return {{end, end}, newline + indent.str() + cure.str()};
  return {{statement.end, statement.end}, " " + cure.str()};
}

/// Offers the correcting instruction. If the same instruction is already there with a number that is too large, only
/// the number changes.
static void offer(Diagnostic &diagnostic, HazardContext &context, const Cure &cure, CurePlace place, int64_t most = 0) {
  const Graph &graph = context.analyses.graph();
  const uint32_t neighbour = place.isAfter ? place.number + 1 : place.number - 1;
  const llvm::StringRef opcode = llvm::StringRef(cure.text).take_until([](char c) { return c == ' ' || c == ';'; });
  const bool isThere = neighbour < context.body.size() && graph.blockOf(neighbour) == graph.blockOf(place.number) &&
                       context.opcode(neighbour) == opcode;
  if (!isThere) {
    diagnostic.fix = Fix{"insert `" + cure.text + "` " + (place.isAfter ? "after" : "before") + " `" +
                             context.opcode(place.number).str() + "`",
                         {insertion(cure.text, place, context)}};
    return;
  }
  const Instruction &known = context.body.instruction(neighbour);
  const Operand *operand = context.body.ast->operands.data() + known.operands.first;
  if (known.operands.empty() || operand->kind != OperandKind::Integer || operand->value <= most)
    return;
  const std::string number = std::to_string(most);
  diagnostic.fix = Fix{"write `" + opcode.str() + " " + number + "`", {{operand->range, number}}};
}

static bool isBarrier(const Facts &facts) {
  return facts.has(FactKind::Syncs) ||
         facts.find(FactKind::Arrives, [](const Action &action) { return !action.groups; });
}

/// Returns the block through which every path to the use passes, unless the operation follows that block.
static BlockId above(BlockId block, BlockId operation, HazardContext &context) {
  const DominatorTree &before = context.analyses.dominators();
  const BlockId parent = before.parent[indexOf(block)];
  const bool isTooEarly =
      block == operation || parent == BlockId::None || (parent != operation && before.dominates(parent, operation));
  return isTooEarly ? BlockId::None : parent;
}

/// Returns a location on all paths to the use that the threads which started the operation reach together.
static CurePlace convergedPlace(uint32_t operation, uint32_t use, HazardContext &context) {
  const Graph &graph = context.analyses.graph();
  const DominatorTree &after = context.analyses.postDominators();
  const BlockId started = graph.blockOf(operation);
  CurePlace place{use};
  for (BlockId block = graph.blockOf(use); block != started;) {
    if (after.contains(block) && after.contains(started) && after.dominates(block, started))
      break;
    block = above(block, started, context);
    if (block == BlockId::None)
      break;
    const uint32_t last = graph[block].last();
    place = {last, !hasAny<FactKind::Branches, FactKind::Ends>(context.body.facts(last))};
  }
  return place;
}

/// Returns the location before a barrier between the operation and the use, if there is one, because other threads may
/// execute the use after the barrier.
static CurePlace beforeBarrier(uint32_t operation, CurePlace use, HazardContext &context) {
  const Graph &graph = context.analyses.graph();
  const BlockId started = graph.blockOf(operation);
  uint32_t end = use.number;
  for (BlockId block = graph.blockOf(end); block != BlockId::None; block = above(block, started, context)) {
    const bool isAfterStart = block == started && operation < end;
    for (uint32_t number = end; number-- > (isAfterStart ? operation + 1 : graph[block].first);)
      if (isBarrier(context.body.facts(number)))
        return {number};
    if (const BlockId next = above(block, started, context); next != BlockId::None)
      end = graph[next].end;
  }
  return use;
}

void offerWait(Diagnostic &diagnostic, HazardContext &context, const Operation &operation, uint32_t use,
               uint8_t level) {
  if (level > InFlight::MostBatches)
    return;
  llvm::SmallVector<NeededFact, 2> needed = {{FactKind::Waits, operation.groups}};
  if (level == InFlight::Uncommitted)
    needed.push_back({FactKind::Commits, operation.groups});
  const std::optional<Cure> cure = findCure(needed, context);
  if (!cure)
    return;
  CurePlace place = cure->isConverged ? convergedPlace(operation.number, use, context) : CurePlace{use};
  if (!operation.accesses.empty() && !context.body.facts(operation.number).has(FactKind::Holds))
    place = beforeBarrier(operation.number, place, context);
  offer(diagnostic, context, *cure, place, level == InFlight::Uncommitted ? 0 : level - 1);
}

void offerCommit(Diagnostic &diagnostic, HazardContext &context, const Operation &operation, uint32_t wait) {
  const std::optional<Cure> cure = findCure({{FactKind::Commits, operation.groups}}, context);
  if (!cure)
    return;
  const uint32_t first = context.analyses.graph()[context.analyses.graph().blockOf(wait)].first;
  for (uint32_t number = wait; number-- > first;)
    if (asyncGroups(context.body.facts(number)) & operation.groups)
      return offer(diagnostic, context, *cure, {number, /*isAfter=*/true});
  offer(diagnostic, context, *cure, {wait});
}

void offerRegisterFence(Diagnostic &diagnostic, HazardContext &context, uint32_t operation) {
  if (const std::optional<Cure> cure = findCure({{FactKind::Orders, 0, isa::Ordered::Registers}}, context))
    offer(diagnostic, context, *cure, {operation});
}

/// Returns the last instruction of this kind in a sequence within the block, with only ordinary instructions in
/// between.
static uint32_t lastOfRow(uint32_t first, FactKind kind, const HazardContext &context) {
  const Graph &graph = context.analyses.graph();
  uint32_t last = first;
  for (uint32_t number = first + 1; number < graph[graph.blockOf(first)].end; ++number) {
    const Facts &facts = context.body.facts(number);
    if (isBarrier(facts) || hasAny<FactKind::Awaits, FactKind::Async>(facts))
      break;
    if (facts.has(kind))
      last = number;
  }
  return last;
}

void offerProxyFence(Diagnostic &diagnostic, HazardContext &context, uint32_t write, bool isCopy, uint32_t read) {
  const std::optional<Cure> cure =
      findCure({{FactKind::Orders, 0, isa::Ordered::Generic, isa::Ordered::Async}}, context);
  if (!cure)
    return;
  const CurePlace place = beforeBarrier(write, {read}, context);
  const Graph &graph = context.analyses.graph();
  if (place.number != read || isCopy || graph.blockOf(write) == graph.blockOf(read))
    return offer(diagnostic, context, *cure, place);
  offer(diagnostic, context, *cure, {write, /*isAfter=*/true});
}

void offerInitFence(Diagnostic &diagnostic, HazardContext &context, uint32_t init) {
  if (const std::optional<Cure> cure = findCure({{FactKind::Orders, 0, isa::Ordered::Barriers}}, context))
    offer(diagnostic, context, *cure, {lastOfRow(init, FactKind::Inits, context), /*isAfter=*/true});
}

} // namespace ptxray
