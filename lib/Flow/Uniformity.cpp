#include "Flow/Uniformity.h"
#include "Flow/Values.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

// ---- blocks
WarpLanes::WarpLanes(const Body &body, Analyses &analyses, const BlockShape &shape, Kind kind,
                     const Adjacency *deciders)
    : Backward(body, kind == Certain ? 0 : analyses.graph().size()), body(body), analyses(analyses),
      graph(analyses.graph()), shape(shape), kind(kind), arithmetic(shape, analyses.budget(), kind == Distant),
      deciders(deciders) {}

void WarpLanes::addDecision(BlockId block, llvm::SmallVectorImpl<LocalId> &sources) const {
  const uint32_t last = graph[block].last();
  if (body.guard(last) != LocalId::None)
    sources.push_back(body.guard(last));
  if (body.facts(last).has(FactKind::Branches))
    body.eachUse(last, [&](NamedUse use) {
      if (use.uses & Reads && body.isRegister(use.local))
        sources.push_back(use.local);
    });
}

LaneValue WarpLanes::decision(BlockId block) {
  llvm::SmallVector<LocalId, 4> sources;
  addDecision(block, sources);
  LaneValue decision = LaneValue::of(LaneValue::Same);
  for (const LocalId one : sources)
    if (const LaneValue &value = of(one); differ(value) && decision.kind != LaneValue::Unknown)
      decision = value;
  return decision;
}

// ---- registers
/// Returns whether the instruction may write different values in each lane, or a uniform value, regardless of its
/// sources.
static bool setsLanes(const Facts &facts) { return facts.has(FactKind::Elects) || facts.has(FactKind::Per); }

bool WarpLanes::isLeaf(LocalId node) const {
  if (isBlock(node))
    return false;
  const uint32_t newest = body.definitions.newest(node);
  if (newest == Definitions::none)
    return true;
  return (kind == Certain && body.guard(newest) != LocalId::None) ||
         (readsMemory(body, newest) && !setsLanes(body.facts(newest)));
}

bool WarpLanes::addSources(LocalId node, llvm::SmallVectorImpl<LocalId> &sources) {
  if (isBlock(node)) {
    for (const BlockId decider : deciders->of(BlockId(static_cast<uint32_t>(node) - body.locals.size()))) {
      sources.push_back(nodeOf(decider));
      addDecision(decider, sources);
    }
    return false;
  }
  bool needsAll = kind == Certain;
  body.definitions.eachWriter(node, [&](uint32_t number) {
    needsAll &= !setsLanes(body.facts(number));
    if (!readsMemory(body, number)) // otherwise, the address does not determine the result
      for (const auto &[name, uses] : llvm::zip(body.namesOf(number), body.usesOf(number)))
        if (uses & Reads && body.isRegister(name))
          sources.push_back(name);
    if (kind == Certain)
      return;
    if (body.guard(number) != LocalId::None)
      sources.push_back(body.guard(number));
    if (deciders)
      sources.push_back(nodeOf(graph.blockOf(number)));
  });
  return needsAll;
}

LaneValue WarpLanes::special(const Source &source) {
  const isa::SpecialRegister *known = body.special(source.local);
  if (!known)
    return LaneValue::of(LaneValue::Unknown);
  if (known->scope != isa::Scope::Lane)
    return LaneValue::of(LaneValue::Same);
  if (known->enumerates == isa::Enumerated::Lanes)
    return arithmetic.enumerated(0);
  const bool isOfThread = known->enumerates == isa::Enumerated::Threads && source.suffix != SpellingId::None;
  return isOfThread ? ofThread(source) : LaneValue::of(LaneValue::Unknown);
}

LaneValue WarpLanes::ofThread(const Source &source) {
  const unsigned dimension = dimensionOf(body.ast->text(source.suffix));
  if (kind == Distant) // for computing addresses
    return shape.isExact ? arithmetic.placed(std::min(dimension, 2u)) : LaneValue::of(LaneValue::Unknown);
  if (dimension == 0)
    return shape.isExact && shape.x == 1 ? LaneValue::ofNumber(0) : arithmetic.enumerated(warpSize);
  if (shape.isExact && (dimension == 1 ? shape.y == 1 : shape.x * shape.y == shape.threads))
    return LaneValue::ofNumber(0);
  return LaneValue::of(shape.isExact && shape.x % warpSize == 0 ? LaneValue::Same : LaneValue::Unknown);
}

LaneValue WarpLanes::operand(const Source &source) {
  if (source.kind == Source::Number)
    return LaneValue::ofNumber(static_cast<uint64_t>(source.number));
  const Symbol *symbol = body.symbol(source.local);
  if (!symbol)
    return special(source);
  if (symbol->kind != SymbolKind::Register)
    return LaneValue::of(LaneValue::Same);
  LaneValue value = known(source.local);
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

/// Returns whether no bit is set in both sources, so that `or` equals addition.
bool WarpLanes::areApart(const Step &step) {
  if (kind != Distant || !step.is(isa::Operation::Or, 2))
    return false;
  const Numbers a = analyses.values().numbersOf(step.list[0]), b = analyses.values().numbersOf(step.list[1]);
  return a.base == LocalId::None && b.base == LocalId::None && ptxray::areApart(a, b);
}

/// Returns the value of the first result if it is an integer operation; otherwise the common value of all results.
LaneValue WarpLanes::wholeResult(uint32_t number) {
  if (readsMemory(body, number))
    return LaneValue::of(LaneValue::Unknown);
  const Step step = stepOf(body, number);
  const auto isUnknown = [](const Source &source) { return source.kind == Source::Unknown; };
  if (step.isKnown() && !step.isBroadcast() && llvm::none_of(step.sources(), isUnknown)) {
    llvm::SmallVector<LaneValue, 4> sources;
    for (const Source &source : step.sources())
      sources.push_back(operand(source));
    Computation computation = *step.computation;
    if (areApart(step))
      computation.operation = isa::Operation::Add;
    return arithmetic.result(computation, sources);
  }
  LaneValue whole = LaneValue::of(LaneValue::Same);
  body.eachUse(number, [&](NamedUse use) {
    if (!(use.uses & Reads) || whole.kind == LaneValue::Unknown)
      return;
    const LaneValue value = operand(sourceOf(use.operand, use.local));
    if (value.isUnset)
      whole = value;
    else if (value.kind != LaneValue::Same)
      whole = LaneValue::of(LaneValue::Unknown);
  });
  return whole;
}

/// Returns the value of a register that an instruction writes, given the common value of all its results.
LaneValue WarpLanes::resultAt(uint32_t number, LocalId local, const LaneValue &whole) const {
  LaneValue result = whole;
  if (!setsLanes(body.facts(number)))
    return result;
  const llvm::ArrayRef<Operand> nodes = body.operands(number);
  for (const Action &action : body.facts(number).actions) {
    if (action.node >= 0 && sourceAt(body, number, action.node).local != local)
      continue;
    if (action.kind == FactKind::Elects)
      return LaneValue::of(LaneValue::Splits);
    if (action.kind != FactKind::Per)
      continue;
    if (action.condition >= 0 && nodes[action.condition].kind != OperandKind::Integer)
      continue;
    result = LaneValue::of(action.scope() == isa::Scope::Lane ? LaneValue::Unknown : LaneValue::Same);
  }
  return result;
}

LaneValue WarpLanes::written(uint32_t number, LocalId local) {
  const LocalId guard = body.guard(number);
  if (kind == Certain && guard != LocalId::None)
    return LaneValue::of(LaneValue::Unknown);
  const LaneValue value = resultAt(number, local, wholeResult(number));
  if (kind == Certain || value.isUnset)
    return value;
  if (guard != LocalId::None && known(guard).isUnset)
    return {};
  // If the predicate differs between lanes, only some lanes receive the value.
  const bool isPartial = guard != LocalId::None && known(guard).kind != LaneValue::Same;
  const bool isOne = body.definitions.only(local) != Definitions::none && guard == LocalId::None;
  const bool isOther = !isOne || value.kind == LaneValue::Spread || (value.kind == LaneValue::Same && !value.isNumber);
  return isPartial || (isOther && (!deciders || differ(known(nodeOf(graph.blockOf(number))))))
             ? LaneValue::of(LaneValue::Unknown)
             : value;
}

LaneValue WarpLanes::transfer(LocalId node) {
  if (!isBlock(node)) {
    LaneValue value;
    body.definitions.eachWriter(node, [&](uint32_t number) { value = arithmetic.join(value, written(number, node)); });
    const bool isUseful = kind != Certain || value.kind != LaneValue::Same || value.isNumber;
    return isUseful ? value : unknown(node);
  }
  llvm::SmallVector<LocalId, 8> sources;
  addSources(node, sources);
  const bool varies = llvm::any_of(sources, [&](LocalId one) { return differ(known(one)); });
  return LaneValue::of(varies ? LaneValue::Unknown : LaneValue::Same);
}

// ---- all together
Uniformity::Uniformity(const Body &body, Analyses &analyses, llvm::ArrayRef<uint32_t> places)
    : body(body), analyses(analyses), graph(analyses.graph()), after(analyses.postDominators()),
      certain(body, analyses, analyses.blockShape(), WarpLanes::Certain, nullptr),
      splitter(graph.size(), BlockId::None) {
  findDeciders();
  findSplits(decidingFor(places));
}

/// Finds the deciders of each block: branches such that the block is between them and their reconvergence point.
void Uniformity::findDeciders() {
  const size_t most = size_t(32) * graph.size() + 4096; // compiled functions have fewer than two deciders per block
  Edges edges;
  for (const BlockId branch : graph.order) {
    if (!graph.splits(branch) || !after.contains(branch))
      continue;
    const BlockId limit = after.parent[indexOf(branch)];
    for (const BlockId successor : graph.successors.of(branch))
      for (BlockId one = successor; after.contains(one) && !after.dominates(one, limit) && edges.size() <= most;
           one = after.parent[indexOf(one)])
        edges.push_back({one, branch});
  }
  isBeyond = edges.size() > most;
  if (!isBeyond)
    deciders = Adjacency(graph.size(), edges);
}

/// Returns the blocks that decide whether `places`, or other such blocks, are reached; none if there are too many.
FoundBlocks Uniformity::decidingFor(llvm::ArrayRef<uint32_t> places) const {
  FoundBlocks deciding(graph.size());
  for (const uint32_t number : isBeyond ? llvm::ArrayRef<uint32_t>() : places)
    deciding.addAll(deciders.of(graph.blockOf(number)));
  deciding.spread(deciders);
  return deciding;
}

/// Finds the blocks that depend on a certain decision at the end of another block, directly or transitively.
void Uniformity::findSplits(const FoundBlocks &deciding) {
  // For each block: the closest ancestor in the post-dominator tree that may have no splitter.
  std::vector<BlockId> unmarked;
  const auto from = [&](BlockId block) {
    while (unmarked[indexOf(block)] != block) {
      BlockId &above = unmarked[indexOf(block)];
      above = unmarked[indexOf(above)];
      block = above;
    }
    return block;
  };
  for (const BlockId block : graph.order) {
    if (!(isBeyond || deciding.contains(block)) || !certain.decision(block).differs())
      continue;
    for (uint32_t one = static_cast<uint32_t>(unmarked.size()); one <= graph.size(); ++one)
      unmarked.push_back(BlockId(one));
    llvm::SmallVector<BlockId, 8> branches = {block};
    while (!branches.empty()) {
      const BlockId branch = branches.pop_back_val();
      if (!after.contains(branch))
        continue;
      const BlockId limit = after.parent[indexOf(branch)];
      for (const BlockId successor : graph.successors.of(branch)) {
        if (!after.contains(successor))
          continue;
        for (BlockId parted = from(successor); !after.dominates(parted, limit); parted = from(parted)) {
          unmarked[indexOf(parted)] = after.parent[indexOf(parted)];
          splitter[indexOf(parted)] = block;
          if (graph.splits(parted))
            branches.push_back(parted);
        }
      }
    }
  }
}

} // namespace ptxray
