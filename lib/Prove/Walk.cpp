// Visits the blocks of a kernel in order: conditions, merged registers, loops.
#include "Prove/Walk.h"
#include "Isa/Words.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::prove {

using isa::FactKind;

Walk::Walk(const Body &body, const ModuleState &module, const machine::KernelEntry &kernel, Model &model,
           const std::map<int, ParameterRange> &ranges)
    : body(body), module(module), kernel(kernel), model(model), terms(model.terms), ranges(ranges),
      analyses(body, module), graph(analyses.graph()), dominators(analyses.dominators()), forest(analyses.loops()) {
  const ProvenShape &shape = model.shape;
  for (unsigned i = 0; i < 3; ++i) {
    const std::string name(1, static_cast<char>('x' + i));
    model.thread[i] = terms.variable({"tid." + name, 32, Sharing::Thread, 0, shape.block[i] - 1, {}});
    const Number most = i ? 65535 : 0x7fffffff;
    const Number blocks = shape.grid ? (*shape.grid)[i] : most;
    model.block[i] = terms.variable({"ctaid." + name, 32, Sharing::Block, 0, blocks - 1, {}});
    model.grid[i] =
        shape.grid ? terms.constant(32, blocks) : terms.variable({"nctaid." + name, 32, Sharing::Grid, 1, most, {}});
    model.facts.push_back(terms.less(model.block[i], model.grid[i], false));
  }
}

Term Walk::fresh(std::string name, unsigned width, Sharing sharing, uint32_t block) {
  Variable variable{
      std::move(name) + "#" + std::to_string(counted++), static_cast<uint16_t>(width), sharing, 0, maskOf(width), {}};
  for (const uint32_t loop : model.loopsOf[block])
    variable.loops.push_back(loop);
  return terms.variable(std::move(variable));
}

// ---- control

/// Returns the condition under which a thread continues from a block to one that it dominates.
Term Walk::pathFrom(BlockId root, BlockId to) const {
  Term path = terms.truth(true);
  for (BlockId at = to; at != root && at != BlockId::None; at = dominators.parent[indexOf(at)])
    path = terms.both(relative[indexOf(at)], path);
  return path;
}

Term Walk::edgeCondition(BlockId from, BlockId to, BlockId root) {
  const Term branches = branchConditions[indexOf(from)];
  const Block &block = graph[from];
  const llvm::ArrayRef<BlockId> targets = graph.successors.of(from);
  Term condition = terms.truth(true);
  if (branches != Term::None) {
    condition = terms.truth(false);
    for (size_t i = 0; i < targets.size(); ++i)
      if (targets[i] == to)
        condition = terms.either(condition, block.goesOn && i == 0 ? terms.no(branches) : branches);
  }
  return terms.both(pathFrom(root, from), condition);
}

Walk::Registers Walk::merged(llvm::ArrayRef<std::pair<const Registers *, Term>> from) {
  if (from.empty())
    return Registers(body.locals.size(), Term::None);
  Registers result = *from.front().first;
  for (const auto &[other, condition] : from.drop_front())
    for (size_t i = 0; i < result.size(); ++i)
      if (const Term theirs = (*other)[i]; theirs != result[i] && theirs != Term::None)
        result[i] = result[i] == Term::None ? theirs : terms.choice(condition, theirs, result[i]);
  return result;
}

/// Assigns unknown values to the registers that the loop changes.
void Walk::header(BlockId id) {
  WalkedLoop loop;
  loop.header = indexOf(id);
  std::vector<bool> isWritten(body.locals.size());
  for (const BlockId block : graph.order)
    if (forest.contains(id, block))
      for (uint32_t number = graph[block].first; number < graph[block].end; ++number)
        for (const auto [local, use] : llvm::zip(body.namesOf(number), body.usesOf(number)))
          if (use & Writes)
            isWritten[static_cast<uint32_t>(local)] = true;
  for (uint32_t local = 0; local < registers.size(); ++local) {
    const Term first = registers[local];
    if (first == Term::None || !(local == 0 || isWritten[local]))
      continue;
    const Term unknown =
        fresh(local ? body.text(LocalId(local)).str() : "carry", terms.width(first), Sharing::Thread, loop.header);
    loop.registers.push_back({unknown, first, Term(local)});
    registers[local] = unknown;
  }
  loop.fact = terms.variable({"round#" + std::to_string(counted++), 1, Sharing::Thread, 0, 1, {}});
  relative[loop.header] = terms.both(relative[loop.header], loop.fact);
  loops.push_back(std::move(loop));
}

void Walk::enter(BlockId id) {
  const BlockId root = dominators.parent[indexOf(id)];
  const bool isHeader = forest.header[indexOf(id)] == id;
  std::vector<std::pair<const Registers *, Term>> from;
  Term any = terms.truth(false);
  for (const BlockId before : graph.predecessors.of(id)) {
    if (isHeader && forest.contains(id, before))
      continue;
    const Term condition = edgeCondition(before, id, root);
    any = terms.either(any, condition);
    from.emplace_back(&atEnd[indexOf(before)], condition);
  }
  const bool isFirst = root == BlockId::None;
  relative[indexOf(id)] = isFirst ? terms.truth(true) : any;
  if (!isFirst) {
    const DominatorTree &after = analyses.postDominators();
    bool isSameLoop = !isHeader && forest.header[indexOf(root)] == forest.header[indexOf(id)];
    for (const BlockId before : graph.predecessors.of(id))
      isSameLoop &= forest.header[indexOf(before)] == forest.header[indexOf(id)];
    if (isSameLoop && after.contains(id) && after.contains(root) && after.dominates(id, root))
      relative[indexOf(id)] = terms.truth(true);
  }
  registers = merged(from);
  if (isHeader) {
    if (forest.isEnteredAside[indexOf(id)])
      obstacle(graph[id].first, "a loop with several entries");
    header(id);
  }
  guards[indexOf(id)] = isFirst ? relative[indexOf(id)] : terms.both(guards[indexOf(root)], relative[indexOf(id)]);
}

void Walk::block(BlockId id) {
  current = indexOf(id);
  enter(id);
  newSegment(current);
  const Term guard = guards[current];
  for (uint32_t number = graph[id].first; number < graph[id].end; ++number)
    instruction(number, guard);
  const uint32_t last = graph[id].last();
  if (graph.splits(id) && branchConditions[current] != Term::None)
    model.branches.push_back({last, segment, guard, branchConditions[current]});
  model.segments[segment].leaves = graph[id].leaves;
  model.segments[segment].aborts = graph[id].aborts;
  atEnd[current] = registers;
}

/// Records the values of loop registers after an iteration.
void Walk::closeLoops() {
  for (WalkedLoop &loop : loops) {
    const BlockId header = BlockId(loop.header);
    std::vector<std::pair<const Registers *, Term>> from;
    loop.continues = terms.truth(false);
    for (const BlockId before : graph.predecessors.of(header))
      if (forest.contains(header, before)) {
        const Term condition = edgeCondition(before, header, header);
        loop.continues = terms.either(loop.continues, condition);
        from.emplace_back(&atEnd[indexOf(before)], condition);
      }
    const Registers next = merged(from);
    for (WalkedLoop::Register &one : loop.registers) {
      const Term after = next[static_cast<uint32_t>(one.next)];
      one.next = after == Term::None ? one.unknown : after;
    }
    for (const BlockId block : graph.order) {
      if (!forest.contains(header, block))
        continue;
      for (const BlockId to : graph.successors.of(block))
        if (!forest.contains(header, to))
          loop.exits.push_back(edgeCondition(block, to, header));
      if (graph[block].leaves && graph.splits(block))
        loop.exits.push_back(terms.both(pathFrom(header, block), branchConditions[indexOf(block)]));
    }
  }
  std::reverse(loops.begin(), loops.end());
}

void Walk::run() {
  const uint32_t count = graph.size();
  atEnd.resize(count);
  relative.assign(count, terms.truth(false));
  guards.assign(count, terms.truth(false));
  branchConditions.assign(count, Term::None);
  model.loopsOf.resize(count);
  for (const BlockId id : graph.order)
    for (BlockId loop = forest.header[indexOf(id)]; loop != BlockId::None; loop = forest.outer[indexOf(loop)])
      model.loopsOf[indexOf(id)].push_back(indexOf(loop));
  std::vector<uint32_t> first(count), last(count);
  for (const BlockId id : graph.order) {
    first[indexOf(id)] = static_cast<uint32_t>(model.segments.size());
    block(id);
    last[indexOf(id)] = segment;
    if (terms.size() > 400'000)
      return obstacle(graph[id].first, "more formulas than ptxray keeps");
  }
  for (const BlockId id : graph.order)
    for (const BlockId to : graph.successors.of(id))
      if (graph.isReached(to))
        model.edges.push_back({last[indexOf(id)], first[indexOf(to)], SegmentEdge::Plain, graph[id].last()});
  closeLoops();
}

} // namespace ptxray::prove
