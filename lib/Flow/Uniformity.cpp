#include "Flow/Uniformity.h"
#include "Flow/Steps.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

constexpr uint32_t noUse = ~0u;
/// Blocks nested deeper are not told apart: each is taken for one that decides, so that no text makes them dear.
constexpr unsigned mostPasses = 32;

// ---- who decides
namespace {

/// Which blocks decide, by how control leaves them, who comes to some others: in
///   A: @p bra C;   B: ...   C: @q bra E;   D: ...   E: ...
/// A decides for B, C for D, and none for C and E, where all ways meet again.
class Deciders {
public:
  Deciders(const Graph &graph, const DominatorTree &postDominators);

  void ask(BlockId block);
  /// Those that decide for what was asked for, or for one of themselves; each is named once.
  std::vector<BlockId> take();

private:
  bool decides(BlockId block) const;
  void findNearest();

  const Graph &graph;
  const DominatorTree &after;
  std::vector<BlockId> topDown;          // the tree of post-dominators, parents first
  std::vector<bool> isAskedFor, isKnown; // by block
  std::vector<BlockId> nearest; // by block: the first one asked for from there up the tree; None: there is none
  bool hasNew = false;
};

} // namespace

Deciders::Deciders(const Graph &graph, const DominatorTree &postDominators)
    : graph(graph), after(postDominators), isAskedFor(graph.size() + 1), isKnown(graph.size()),
      nearest(graph.size() + 1, BlockId::None) {
  topDown.resize(llvm::count_if(after.leave, [](uint32_t leave) { return leave != 0; }));
  for (uint32_t node = 0; node <= graph.size(); ++node)
    if (after.contains(BlockId(node)))
      topDown[after.enter[node]] = BlockId(node);
}

void Deciders::ask(BlockId block) {
  hasNew |= !isAskedFor[indexOf(block)];
  isAskedFor[indexOf(block)] = true;
}

void Deciders::findNearest() {
  for (const BlockId node : topDown) {
    const BlockId parent = after.parent[indexOf(node)];
    nearest[indexOf(node)] = isAskedFor[indexOf(node)] ? node
                             : parent == BlockId::None ? BlockId::None
                                                       : nearest[indexOf(parent)];
  }
}

/// On the way from a successor to where all ways meet again there is one that was asked for.
bool Deciders::decides(BlockId block) const {
  const BlockId limit = after.parent[indexOf(block)];
  return llvm::any_of(graph.successors.of(block), [&](BlockId successor) {
    if (!after.contains(successor) || nearest[indexOf(successor)] == BlockId::None)
      return false;
    return !after.dominates(nearest[indexOf(successor)], limit);
  });
}

std::vector<BlockId> Deciders::take() {
  std::vector<BlockId> found;
  for (unsigned pass = 0; std::exchange(hasNew, false); ++pass) {
    findNearest();
    for (const BlockId block : llvm::reverse(graph.order)) {
      const bool isNew = graph.splits(block) && !isKnown[indexOf(block)] && after.contains(block);
      if (!isNew || (pass < mostPasses && !decides(block)))
        continue;
      isKnown[indexOf(block)] = true;
      found.push_back(block);
      ask(block);
    }
  }
  return found;
}

// ---- all together

Uniformity::Uniformity(const Body &body, Analyses &analyses, llvm::ArrayRef<uint32_t> places)
    : body(body), graph(analyses.graph()), shape(analyses.blockShape()), arithmetic(shape),
      after(analyses.postDominators()), values(body.locals.size()), varies(graph.size()),
      splitter(graph.size(), BlockId::None) {
  findSlice(places);
  if (slice.empty() && wanted.empty())
    return;
  for (uint32_t block = 0; block <= graph.size(); ++block)
    marks.unmarked.push_back(BlockId(block));
  for (const uint32_t number : slice)
    wait(number);
  while (!waiting.empty()) {
    const uint32_t number = waiting.back();
    waiting.pop_back();
    isWaiting[number] = false;
    evaluate(number);
    const BlockId block = graph.blockOf(number);
    if (number == graph[block].last() && graph.splits(block))
      part(block);
  }
  findSplits();
}

// ---- what is asked for
void Uniformity::want(LocalId local) {
  if (isWanted[static_cast<uint32_t>(local)])
    return;
  isWanted[static_cast<uint32_t>(local)] = true;
  wanted.push_back(local);
}

void Uniformity::addUses(uint32_t number) {
  if (isInSlice[number])
    return;
  isInSlice[number] = true;
  slice.push_back(number);
  sliceOf[indexOf(graph.blockOf(number))].push_back(number);
  const auto add = [&](LocalId local) {
    want(local);
    uint32_t &first = firstUse[static_cast<uint32_t>(local)];
    users.push_back({number, first});
    first = static_cast<uint32_t>(users.size()) - 1;
  };
  if (body.guard(number) != LocalId::None)
    add(body.guard(number));
  if (!readsMemory(body, number)) // else nothing is known of the result, whatever the address
    body.eachUse(number, [&](NamedUse use) {
      if (use.uses & Reads)
        add(use.local);
    });
}

void Uniformity::findSlice(llvm::ArrayRef<uint32_t> places) {
  const auto isDecided = [&](uint32_t number) {
    return body.guard(number) != LocalId::None || body.facts(number).has(isa::FactKind::Branches);
  };
  Deciders deciders(graph, after);
  for (const uint32_t number : places)
    deciders.ask(graph.blockOf(number));
  std::vector<BlockId> deciding = deciders.take();
  if (deciding.empty() && llvm::none_of(places, isDecided))
    return;
  isWanted.resize(body.locals.size());
  firstUse.assign(body.locals.size(), noUse);
  isInSlice.resize(body.size());
  isWaiting.resize(body.size());
  sliceOf.resize(graph.size());
  for (const uint32_t number : places)
    if (body.guard(number) != LocalId::None)
      addUses(number);
  for (size_t known = 0; !deciding.empty() || known < wanted.size(); deciding = deciders.take()) {
    for (const BlockId block : deciding)
      if (isDecided(graph[block].last()))
        addUses(graph[block].last());
    for (; known < wanted.size(); ++known) { // it grows
      if (!body.definitions.isWritten(wanted[known]))
        values[static_cast<uint32_t>(wanted[known])] = LaneValue::of(LaneValue::Unknown);
      body.definitions.eachWriter(wanted[known], [&](uint32_t number) {
        addUses(number);
        deciders.ask(graph.blockOf(number));
      });
    }
  }
}

// ---- values
LaneValue Uniformity::special(const Source &source) {
  const isa::SpecialRegister *known = body.special(source.local);
  if (!known)
    return LaneValue::of(LaneValue::Unknown);
  if (known->scope != isa::Scope::Lane)
    return LaneValue::of(LaneValue::Same);
  if (known->enumerates == isa::Enumerated::Lanes)
    return arithmetic.enumerated(0);
  if (known->enumerates == isa::Enumerated::Threads && source.suffix != SpellingId::None) {
    const llvm::StringRef dimension = body.ast->text(source.suffix);
    if (dimension == ".x")
      return shape.isExact && shape.x == 1 ? LaneValue::ofNumber(0) : arithmetic.enumerated(warpSize);
    if (shape.isExact && (dimension == ".y" ? shape.y == 1 : shape.x * shape.y == shape.threads))
      return LaneValue::ofNumber(0);
    if (shape.isExact && shape.x % warpSize == 0)
      return LaneValue::of(LaneValue::Same);
  }
  return LaneValue::of(LaneValue::Unknown);
}

LaneValue Uniformity::valueOf(const Source &source) {
  const Symbol *symbol = body.symbol(source.local);
  if (!symbol)
    return special(source);
  if (symbol->kind != SymbolKind::Register)
    return LaneValue::of(LaneValue::Same);
  LaneValue value = values[static_cast<uint32_t>(source.local)];
  if (!(source.flags & (Not | Negated | HasOffset)) && source.suffix == SpellingId::None)
    return value;
  if (source.flags == Not && value.isNumber)
    return LaneValue::ofNumber(!value.number);
  if (value.kind == LaneValue::Lanes)
    return LaneValue::of(source.flags == Not ? LaneValue::Splits : LaneValue::Unknown);
  value.isNumber = false;
  value.number = 0;
  return value;
}

/// The sharing of the first result, if it is an integer function; else of what all results have in common.
LaneValue Uniformity::wholeResult(uint32_t number) {
  if (readsMemory(body, number))
    return LaneValue::of(LaneValue::Unknown);
  const Step step = stepOf(body, number);
  const auto isUnknown = [](const Source &source) { return source.kind == Source::Unknown; };
  if (step.isKnown() && !step.isBroadcast() && llvm::none_of(step.sources(), isUnknown)) {
    llvm::SmallVector<LaneValue, 4> sources;
    for (const Source &source : step.sources())
      sources.push_back(source.kind == Source::Number ? LaneValue::ofNumber(static_cast<uint64_t>(source.number))
                                                      : valueOf(source));
    return arithmetic.result(*step.computation, sources);
  }
  LaneValue whole = LaneValue::of(LaneValue::Same);
  body.eachUse(number, [&](NamedUse use) {
    if (!(use.uses & Reads) || whole.kind == LaneValue::Unknown)
      return;
    const LaneValue value = valueOf(sourceOf(use.operand, use.local));
    if (value.kind == LaneValue::Unset)
      whole = value;
    else if (value.kind != LaneValue::Same)
      whole = LaneValue::of(LaneValue::Unknown);
  });
  return whole;
}

/// The sharing of the register at a node, by what is known of all results.
LaneValue Uniformity::resultAt(uint32_t number, uint32_t node, const LaneValue &whole) const {
  LaneValue result = whole;
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(body.instruction(number).operands);
  for (const Action &action : body.facts(number).actions) {
    if (action.node >= 0 && static_cast<uint32_t>(action.node) != node)
      continue;
    if (action.kind == isa::FactKind::Elects)
      return LaneValue::of(LaneValue::Splits);
    if (action.kind != isa::FactKind::Per)
      continue;
    if (action.condition >= 0 && nodes[action.condition].kind != OperandKind::Integer)
      continue;
    result = LaneValue::of(action.scope() == isa::Scope::Lane ? LaneValue::Unknown : LaneValue::Same);
  }
  return result;
}

void Uniformity::wait(uint32_t number) {
  if (isWaiting[number])
    return;
  isWaiting[number] = true;
  waiting.push_back(number);
}

void Uniformity::assign(LocalId local, LaneValue value, BlockId block, bool isGuarded) {
  const bool isOne = body.definitions.only(local) != Definitions::none && !isGuarded;
  if (varies[indexOf(block)] && value.kind != LaneValue::Unset &&
      (!isOne || (value.kind == LaneValue::Same && !value.isNumber)))
    value = LaneValue::of(LaneValue::Unknown);
  LaneValue &known = values[static_cast<uint32_t>(local)];
  const LaneValue joined = arithmetic.join(known, value);
  if (joined == known)
    return;
  known = joined;
  for (uint32_t use = firstUse[static_cast<uint32_t>(local)]; use != noUse; use = users[use].next)
    wait(users[use].instruction);
}

void Uniformity::evaluate(uint32_t number) {
  if (!(body.facts(number).uses & Writes))
    return;
  LaneValue whole = wholeResult(number);
  const LocalId guard = body.guard(number);
  LaneValue::Kind guardKind = guard == LocalId::None ? LaneValue::Same : values[static_cast<uint32_t>(guard)].kind;
  const BlockId block = graph.blockOf(number);
  const Operand *first = body.ast->operands.data() + body.instruction(number).operands.first;
  body.eachUse(number, [&](NamedUse use) {
    if (!(use.uses & Writes) || !isWanted[static_cast<uint32_t>(use.local)])
      return;
    LaneValue value = resultAt(number, static_cast<uint32_t>(&use.operand - first), whole);
    // With another predicate only some lanes get it.
    if (guardKind == LaneValue::Unset)
      return;
    if (guardKind != LaneValue::Same && value.kind != LaneValue::Unset)
      value = LaneValue::of(LaneValue::Unknown);
    assign(use.local, value, block, guard != LocalId::None);
  });
}

// ---- blocks
/// What decides how control leaves the block; Same, if there is nothing to decide.
LaneValue Uniformity::decision(BlockId block) {
  const uint32_t last = graph[block].last();
  LaneValue decision = LaneValue::of(LaneValue::Same);
  const auto consider = [&](const LaneValue &value) {
    if (value.kind != LaneValue::Same && decision.kind != LaneValue::Unknown)
      decision = value;
  };
  if (body.guard(last) != LocalId::None)
    consider(values[static_cast<uint32_t>(body.guard(last))]);
  if (body.facts(last).has(isa::FactKind::Branches))
    body.eachUse(last, [&](NamedUse use) {
      if (use.uses & Reads)
        consider(valueOf(sourceOf(use.operand, use.local)));
    });
  return decision;
}

BlockId Uniformity::Marks::from(BlockId block) {
  while (unmarked[indexOf(block)] != block) {
    BlockId &above = unmarked[indexOf(block)];
    above = unmarked[indexOf(above)];
    block = above;
  }
  return block;
}

/// Blocks that depend on how control leaves this one, and on how it leaves those in turn.
template <typename Mark> void Uniformity::eachParted(BlockId block, Marks &marks, Mark mark) {
  llvm::SmallVector<BlockId, 8> branches = {block};
  while (!branches.empty()) {
    const BlockId branch = branches.pop_back_val();
    if (!after.contains(branch))
      continue;
    const BlockId limit = after.parent[indexOf(branch)];
    for (const BlockId successor : graph.successors.of(branch)) {
      if (!after.contains(successor))
        continue;
      for (BlockId parted = marks.from(successor); !after.dominates(parted, limit); parted = marks.from(parted)) {
        marks.unmarked[indexOf(parted)] = after.parent[indexOf(parted)];
        mark(parted);
        if (graph.splits(parted))
          branches.push_back(parted);
      }
    }
  }
}

void Uniformity::part(BlockId block) {
  const LaneValue::Kind kind = decision(block).kind;
  if (kind == LaneValue::Same || kind == LaneValue::Unset)
    return;
  eachParted(block, marks, [&](BlockId parted) {
    varies[indexOf(parted)] = true;
    for (const uint32_t number : sliceOf[indexOf(parted)])
      wait(number);
  });
}

void Uniformity::findSplits() {
  Marks certain;
  for (uint32_t block = 0; block <= graph.size(); ++block)
    certain.unmarked.push_back(BlockId(block));
  for (const BlockId block : graph.order)
    if (graph.splits(block) && decision(block).differs())
      eachParted(block, certain, [&](BlockId parted) { splitter[indexOf(parted)] = block; });
}

} // namespace ptxray
