// Models one instruction: its barriers, addresses, formulas and obstacles.
#include "Isa/Words.h"
#include "Prove/Walk.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::prove {

using isa::FactKind;

/// Handles a barrier, after which another segment begins. Returns whether the instruction is one.
bool Walk::barrier(uint32_t number, Term guard, Term predicate) {
  const Facts &facts = body.facts(number);
  const Action *syncs = facts.find(FactKind::Syncs);
  if (!syncs)
    return false;
  const auto constantAt = [&](int node) -> std::optional<Number> {
    if (node < 0)
      return {};
    const Term value = valueAt(number, node, 0, 32);
    return terms.isConstant(value) ? std::optional(terms[value].number) : std::nullopt;
  };
  SegmentEdge::Kind kind = SegmentEdge::BlockBarrier;
  if (syncs->scope() == isa::Scope::Warp) {
    const Action *among = facts.find(FactKind::Among);
    const auto mask = among ? constantAt(among->node) : std::nullopt;
    kind = mask == maskOf(32) ? SegmentEdge::WarpBarrier
                              : SegmentEdge::Plain; // other synchronisation is weaker than what is analysed
  } else if (syncs->scope() == isa::Scope::Cta) {
    const auto amount = constantAt(syncs->amount);
    const Number whole = (model.shape.threads() + 31) / 32 * 32;
    if (syncs->amount >= 0 && amount != whole)
      obstacle(number, "a barrier for some of the threads");
    if (syncs->which >= 0 && !constantAt(syncs->which))
      obstacle(number, "a barrier whose number is not a constant");
  } else {
    obstacle(number, "a barrier of more than a block");
  }
  const uint32_t before = segment;
  newSegment(current);
  if (body.guard(number) != LocalId::None) {
    model.branches.push_back({number, before, guard, predicate});
    model.edges.push_back({before, segment, SegmentEdge::Plain, number});
  }
  model.edges.push_back({before, segment, kind, number});
  return true;
}

/// Handles `cvta` in both directions. Generic addresses of global memory equal global addresses.
bool Walk::convertsAddress(uint32_t number, Term predicate) {
  const Computation &computation = body.facts(number).computation;
  if (!computation.isKnown ||
      (computation.operation != isa::Operation::ToGeneric && computation.operation != isa::Operation::FromGeneric))
    return false;
  const llvm::ArrayRef<Operand> nodes = body.operands(number);
  const int source = static_cast<int>(nodes[0].extent);
  Term value = valueAt(number, source, 0, 64);
  const Opcode &opcode = *body.verdicts[number]->opcode;
  const bool isShared =
      llvm::any_of(opcode.words, [](const OpcodeWord &word) { return isa::wholeSpace(word.id) == isa::words::shared; });
  if (isShared) {
    if (window == Term::None)
      window = terms.variable({"shared window", 64, Sharing::Block, 0, maskOf(64), {}});
    value = computation.operation == isa::Operation::ToGeneric ? terms.add(terms.resized(value, 64, false), window)
                                                               : terms.subtract(value, window);
  } else if (opcode.has(isa::words::global) && terms[value].op == Op::Variable &&
             sharingOf(terms, value) == Sharing::Grid) {
    addBuffer(value);
  }
  assign(number, 0, value, false, predicate);
  return true;
}

/// Returns a fact that ptxray does not analyse yet, or null.
static const char *obstacleOf(const Facts &facts) {
  for (const FactKind kind : {FactKind::Async, FactKind::Commits, FactKind::Waits, FactKind::Arrives, FactKind::Expects,
                              FactKind::Completes, FactKind::Awaits, FactKind::Inits, FactKind::Invalidates,
                              FactKind::Allocates, FactKind::Frees, FactKind::Elects})
    if (facts.has(kind))
      return kind == FactKind::Arrives || kind == FactKind::Awaits ? "a barrier with separate arrivals and waits"
                                                                   : "an asynchronous operation";
  return nullptr;
}

/// Returns the condition under which a thread that reaches the instruction executes it.
Term Walk::predicateOf(uint32_t number) {
  const LocalId local = body.guard(number);
  if (local == LocalId::None)
    return terms.truth(true);
  Term &value = registers[static_cast<uint32_t>(local)];
  if (value == Term::None)
    value = fresh(body.text(local).str(), 1, Sharing::Thread, current);
  return body.instruction(number).guardNot ? terms.no(value) : value;
}

/// Returns whether the instruction calls a known function that only computes.
bool Walk::callsPure(uint32_t number) const {
  bool isPure = false, isOther = body.guard(number) != LocalId::None;
  body.eachUse(number, [&](NamedUse use) {
    if (use.uses & Calls)
      (pure.count(use.operand.name) ? isPure : isOther) = true;
  });
  return isPure && !isOther;
}

std::set<NameId> pureFunctions(const ReadModule &module) {
  std::set<NameId> pure;
  for (const Body &body : module.bodies()) {
    bool isPure = body.function->kind == FunctionKind::Func && !body.isBroken;
    for (uint32_t number = 0; number < body.size(); ++number) {
      const Facts &facts = body.facts(number);
      isPure &= facts.known && !(facts.uses & Calls) && !facts.has(FactKind::Calls) && !facts.has(FactKind::Syncs) &&
                !obstacleOf(facts);
      for (const Access &access : facts.accesses) {
        const isa::WordId space = isa::wholeSpace(access.space);
        isPure &= !access.isGeneric && (space == isa::words::param || space == isa::words::local);
      }
    }
    if (isPure)
      pure.insert(body.function->name);
  }
  return pure;
}

/// Records obstacles, and the condition of a branch.
void Walk::noteControl(uint32_t number, Term predicate) {
  const Facts &facts = body.facts(number);
  const bool calls = facts.uses & Calls || facts.has(FactKind::Calls), isGuarded = body.guard(number) != LocalId::None;
  if (const char *what = obstacleOf(facts))
    obstacle(number, what);
  if (calls && !callsPure(number))
    obstacle(number, "a call");
  if (isGuarded && (facts.endsControl() || calls))
    branchConditions[current] = predicate;
  if (facts.has(FactKind::Branches) && graph.successors.of(BlockId(current)).size() > (isGuarded ? 2u : 1u))
    obstacle(number, "a branch by a list of labels");
}

static Recipe recipeFor(const ptxray::Verdict &verdict, llvm::ArrayRef<Operand> nodes,
                        const Availability &availability) {
  llvm::SmallVector<ptxray::Shape, 16> shapes(verdict.shapes);
  for (auto [shape, node] : llvm::zip(shapes, nodes))
    if (shape.kind == ShapeKind::Integer || shape.kind == ShapeKind::Float || node.flags & HasOffset)
      shape.value = node.value;
  return recipeOf({*verdict.opcode, shapes, availability}, *verdict.match);
}

/// Computes the results of an instruction and assigns them.
void Walk::compute(uint32_t number, const Recipe &recipe, FormulaInput &input, size_t firstAccess, Term predicate) {
  const Facts &facts = body.facts(number);
  if (asksLanes(recipe) || !recipe.refusal.empty())
    input.unknown = fresh("lanes", 1, Sharing::Thread, current);
  if (const Action *per = facts.find(FactKind::Per); per && per->scope() == isa::Scope::Cta) {
    input.unknown = fresh("common", 1, Sharing::Block, current);
    input.isCommon = true;
  }
  size_t needed = 0;
  for (const MemoryRead &read : memoryReads(recipe))
    needed += read.elements;
  while (input.loaded.size() < needed)
    input.loaded.push_back(fresh("loaded", 128, Sharing::Thread, current));
  const FormulaOutput output = computed(terms, recipe, body.opcode(number), input);
  for (const FormulaOutput::Register &one : output.registers)
    assign(number, one.node, one.bits, one.isSigned, predicate);
  if (output.carry != Term::None)
    registers[0] = registers[0] == Term::None ? output.carry : terms.choice(predicate, output.carry, registers[0]);
  for (const auto &[operand, elements] : output.stores)
    for (size_t i = firstAccess; i < model.accesses.size(); ++i)
      if (model.accesses[i].isWrite && !model.accesses[i].isAtomic)
        model.accesses[i].values = elements;
}

void Walk::instruction(uint32_t number, Term guard) {
  const ptxray::Verdict &verdict = *body.verdicts[number];
  const Facts &facts = *verdict.facts;
  const Term predicate = predicateOf(number);
  if (!verdict.match || !facts.known)
    return obstacle(number, "this instruction");
  noteControl(number, predicate);
  if (facts.endsControl() || convertsAddress(number, predicate))
    return;
  if (facts.uses & Calls) {
    for (const auto [local, use] : llvm::zip(body.namesOf(number), body.usesOf(number)))
      if (use & Writes && body.isRegister(local)) {
        Term &value = registers[static_cast<uint32_t>(local)];
        const unsigned width = std::max<unsigned>(isa::word(body.symbol(local)->type).bits, 1);
        value = fresh("returned", body.symbol(local)->isPredicate ? 1 : width, Sharing::Thread, current);
      }
    return;
  }
  const llvm::ArrayRef<Operand> nodes = body.operands(number);
  const Recipe recipe = recipeFor(verdict, nodes, module.availability);
  if (recipe.move.function)
    obstacle(number, "a move of matrices");
  FormulaInput input;
  input.carry = registers[0];
  for (const RecipeOperand &operand : recipe.operands)
    for (const RecipeOperand::Register &one : operand.registers)
      if (!one.isConstant && one.node >= 0 && nodes[one.node].kind != OperandKind::Sink)
        input.registers[{one.node, one.part}] =
            valueAt(number, one.node, one.part, std::max<unsigned>(operand.type.bits * operand.type.count, 1));
  const size_t firstAccess = model.accesses.size();
  for (const Access &one : facts.accesses)
    access(number, one, terms.both(guard, predicate), recipe, input);
  barrier(number, guard, predicate);
  compute(number, recipe, input, firstAccess, predicate);
}

} // namespace ptxray::prove
