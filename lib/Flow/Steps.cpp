#include "Flow/Steps.h"
#include "Isa/Words.h"

namespace ptxray {

Source sourceOf(const Operand &operand, LocalId local) {
  if (operand.kind == OperandKind::Name)
    return {Source::Name, operand.flags, local, operand.suffix, operand.value};
  if (operand.kind == OperandKind::Integer && !(operand.flags & AnyValue))
    return {Source::Number, operand.flags, LocalId::None, SpellingId::None, operand.value};
  return {};
}

Source sourceAt(const Body &body, uint32_t instruction, int node) {
  const llvm::ArrayRef<Operand> nodes = body.operands(instruction);
  if (node < 0 || static_cast<size_t>(node) >= nodes.size())
    return {};
  auto at = static_cast<size_t>(node);
  at += nodes[at].kind == OperandKind::Address;
  const LocalId *local = body.namesOf(instruction).data();
  for (const Operand &one : nodes.take_front(at))
    local += one.kind == OperandKind::Name;
  return sourceOf(nodes[at], nodes[at].kind == OperandKind::Name ? *local : LocalId::None);
}

int64_t asResult(const Computation &computation, int64_t number) {
  return computation.resultBits == 32 ? static_cast<int32_t>(number) : number;
}

/// Returns the lane from which all lanes of a warp receive a value, or -1.
static int8_t laneOf(const Facts &facts, llvm::ArrayRef<Operand> nodes) {
  for (const Action &action : facts.actions)
    if (action.kind == FactKind::Per && action.scope() == isa::Scope::Warp && action.condition >= 0) {
      const Operand &lane = nodes[action.condition];
      return lane.kind == OperandKind::Integer && lane.value >= 0 && lane.value < 32 ? static_cast<int8_t>(lane.value)
                                                                                     : int8_t(-1);
    }
  return -1;
}

static void setBroadcast(Step &step, const Facts &facts, llvm::ArrayRef<Operand> nodes, const LocalId *names) {
  static constexpr Computation move{true, isa::Operation::Mov, isa::TypeKind::Bits, isa::TypeKind::Bits, 64, 64, 0};
  step.lane = nodes.size() > 1 && nodes[1].kind == OperandKind::Name ? laneOf(facts, nodes) : int8_t(-1);
  if (!step.isBroadcast())
    return;
  step.computation = &move;
  step.list[step.count++] = sourceOf(nodes[1], names[1]);
}

Step stepOf(const Body &body, uint32_t instruction) {
  Step step;
  const Facts &facts = body.facts(instruction);
  const Computation &computation = facts.computation;
  if (!facts.known || !(computation.isKnown || facts.has(FactKind::Copies)))
    return step;
  const Instruction &written = body.instruction(instruction);
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(written.operands);
  if (nodes.empty() || nodes.front().kind != OperandKind::Name)
    return step;
  const LocalId *local = body.namesOf(instruction).data();
  step.isGuarded = written.guard != NameId::None;
  step.result = *local;
  if (!computation.isKnown) {
    setBroadcast(step, facts, nodes, local);
    return step;
  }
  for (const Operand &node : nodes.drop_front()) {
    const bool isList = node.kind == OperandKind::Vector || node.kind == OperandKind::Pair;
    if (isList && computation.operation == isa::Operation::Mov)
      continue; // its elements follow
    if (isList || step.count == Step::mostSources)
      return step;
    step.list[step.count++] = sourceOf(node, node.kind == OperandKind::Name ? *++local : LocalId::None);
  }
  step.computation = &computation;
  return step;
}

Step onlyStepOf(const Body &body, LocalId local) {
  const uint32_t writer = body.definitions.only(local);
  return writer == Definitions::none ? Step() : stepOf(body, writer);
}

void addComputedWith(const Body &body, uint32_t instruction, llvm::SmallVectorImpl<LocalId> &sources) {
  const Facts &facts = body.facts(instruction);
  const llvm::ArrayRef<LocalId> names = body.namesOf(instruction);
  if (names.empty() || !(facts.computation.isKnown || facts.has(FactKind::Copies)))
    return;
  for (const LocalId local : names.drop_front())
    if (body.symbol(local))
      sources.push_back(local);
}

/// Returns whether a mask preserves an address. Shared-memory addresses have 24 bits, and descriptors count units of at
/// least 16 bytes.
static bool leavesAddress(const Step &step) {
  return step.is(isa::Operation::And, 2) && step.list[1].kind == Source::Number && !(~step.list[1].number & 0xffffc0);
}

/// Returns whether the operation copies its only source, possibly with another size or space.
static bool isMove(isa::Operation operation) {
  return operation == isa::Operation::Mov || operation == isa::Operation::Cvt ||
         operation == isa::Operation::ToGeneric || operation == isa::Operation::FromGeneric;
}

Sum sumOf(const Step &step) {
  if (!step.isKnown() || step.isGuarded || step.isBroadcast())
    return {};
  const isa::Operation operation = step.computation->operation;
  const bool isDifference = operation == isa::Operation::Sub, isProduct = operation == isa::Operation::Mad;
  const size_t count = isProduct ? 3 : isDifference || operation == isa::Operation::Add ? 2 : 1;
  if (leavesAddress(step))
    return {step.list[0].local, LocalId::None, 0, true};
  if (step.count != count || (count == 1 && !isMove(operation)))
    return {};
  Sum sum;
  sum.isCut = operation == isa::Operation::Cvt;
  for (size_t i = 0; i < count; ++i) {
    const Source &source = step.list[i];
    const bool isNegative = isDifference && i == 1, isFactor = isProduct && i < 2;
    if (source.kind == Source::Number) {
      const int64_t number = asResult(*step.computation, source.number);
      sum.added += isFactor ? 0 : isNegative ? -number : number;
    } else if (source.isSum()) {
      (isNegative || isFactor || sum.source != LocalId::None ? sum.index : sum.source) = source.local;
      sum.added += source.offset();
    } else {
      return {};
    }
  }
  return sum;
}

bool readsMemory(const Body &body, uint32_t instruction) {
  const Facts &facts = body.facts(instruction);
  return (facts.uses & Calls) || !facts.known || llvm::any_of(facts.accesses, [&](const Access &access) {
           if (access.kind == isa::Access::Names || access.kind == isa::Access::Writes)
             return false;
           const isa::WordId space = isa::wholeSpace(access.space);
           const bool isOfKernel = space == isa::words::param && body.function->kind == FunctionKind::Entry;
           return space != isa::words::const_ && !isOfKernel;
         });
}

} // namespace ptxray
