// partial-warp, lane-outside-mask, absent-lane: instructions that the lanes of a warp execute together.
#include "Flow/BodyRules.h"
#include "Flow/Uniformity.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

constexpr uint32_t together = bitOf(isa::FactKind::Converged) | bitOf(isa::FactKind::Among);

class ConvergenceRules {
public:
  ConvergenceRules(const Body &body, const BodyContext &context, Analyses &analyses, llvm::ArrayRef<uint32_t> places)
      : body(body), sink(context.sink), graph(analyses.graph()), uniformity(body, analyses, places) {}
  void instruction(uint32_t number);

private:
  void partialWarp(uint32_t number);
  void mask(uint32_t number, const Operand &mask, Range place);
  std::optional<Range> partedAt(uint32_t number, bool isBarrier) const;
  bool isWhole(uint32_t number) const;

  const Body &body;
  DiagnosticSink &sink;
  const Graph &graph;
  const Uniformity uniformity;
};

} // namespace

static bool isGuardDiffering(const Body &body, const Uniformity &uniformity, uint32_t number) {
  const LocalId guard = body.guard(number);
  return guard != LocalId::None && uniformity.of(guard).differs();
}

/// Where it is certain that some lanes go another way, and do not come to the instruction.
std::optional<Range> ConvergenceRules::partedAt(uint32_t number, bool isBarrier) const {
  if (isGuardDiffering(body, uniformity, number))
    return body.instruction(number).guardRange;
  const BlockId splitter = uniformity.splitBefore(graph.blockOf(number));
  if (splitter == BlockId::None)
    return std::nullopt;
  // A barrier does not wait for threads that have ended.
  if (isBarrier && !uniformity.meetsAgain(splitter))
    return std::nullopt;
  return body.instruction(graph[splitter].last()).range;
}

bool ConvergenceRules::isWhole(uint32_t number) const {
  const LocalId guard = body.guard(number);
  return uniformity.isWhole(graph.blockOf(number)) &&
         (guard == LocalId::None || uniformity.of(guard).kind == LaneValue::Same);
}

void ConvergenceRules::partialWarp(uint32_t number) {
  const Instruction &instruction = body.instruction(number);
  const std::optional<Range> parted = partedAt(number, body.facts(number).has(isa::FactKind::Syncs));
  if (!parted)
    return;
  Diagnostic &diagnostic =
      sink.report(DiagId::PartialWarp, instruction.opcodeRange, body.ast->text(instruction.opcode));
  diagnostic.notes.push_back({"here the lanes of a warp part", parted});
}

void ConvergenceRules::mask(uint32_t number, const Operand &mask, Range place) {
  const uint64_t lanes = static_cast<uint64_t>(mask.value) & UINT32_MAX;
  const BlockShape &shape = uniformity.blockShape();
  const uint64_t present = shape.threads < warpSize ? (uint64_t(1) << shape.threads) - 1 : UINT32_MAX;
  if (const uint64_t outside = present & ~lanes; outside) {
    if (shape.isKnown && body.function->kind == FunctionKind::Entry && isWhole(number))
      sink.report(DiagId::LaneOutsideMask, place, llvm::countr_zero(outside),
                  body.ast->text(body.instruction(number).opcode));
    return;
  }
  if (const std::optional<Range> parted = partedAt(number, /*isBarrier=*/true))
    sink.report(DiagId::AbsentLane, place, body.ast->text(body.instruction(number).opcode))
        .notes.push_back({"here the lanes of a warp part", parted});
}

void ConvergenceRules::instruction(uint32_t number) {
  if (!graph.isReached(graph.blockOf(number)))
    return;
  const Operand *nodes = body.ast->operands.data() + body.instruction(number).operands.first;
  for (const Action &action : body.facts(number).actions) {
    if (action.kind == isa::FactKind::Converged && action.scope() >= isa::Scope::Warp)
      return partialWarp(number);
    if (action.kind == isa::FactKind::Among && nodes[action.node].kind == OperandKind::Integer)
      return mask(number, nodes[action.node], nodes[action.node].range);
  }
}

void checkConvergence(const Body &body, const BodyContext &context, Analyses &analyses) {
  std::vector<uint32_t> places;
  for (uint32_t number = 0; number < body.size(); ++number)
    if (body.facts(number).kinds & together)
      places.push_back(number);
  if (places.empty())
    return;
  ConvergenceRules rules(body, context, analyses, places);
  for (const uint32_t number : places)
    rules.instruction(number);
}

} // namespace ptxray
