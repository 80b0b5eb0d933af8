// partial-warp, partial-warpgroup, lane-outside-mask, empty-mask, absent-lane: instructions that the lanes of a warp,
// or the warps of a group, must execute together.
#include "BodyRules/BodyRules.h"
#include "Flow/ThreadPaths.h"
#include "Flow/Uniformity.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

class ConvergenceRules {
public:
  ConvergenceRules(const Body &body, const BodyContext &context, Analyses &analyses)
      : body(body), sink(context.sink), shape(analyses.blockShape()), graph(analyses.graph()),
        uniformity(body, analyses, body.joint), values(analyses.values()), paths(body, analyses) {}
  void instruction(uint32_t number);

private:
  bool partialWarp(uint32_t number);
  void partialWarpgroup(uint32_t number);
  void mask(uint32_t number, uint32_t node);
  std::optional<std::pair<uint64_t, uint64_t>> partedWarps(uint32_t number);
  std::optional<Range> partedAt(uint32_t number, bool isBarrier);
  bool isWhole(uint32_t number);

  const Body &body;
  DiagnosticSink &sink;
  const BlockShape &shape;
  const Graph &graph;
  Uniformity uniformity;
  Values &values;
  ThreadPaths paths;
};

} // namespace

/// Returns the location at which some lanes certainly take another path and do not reach the instruction.
std::optional<Range> ConvergenceRules::partedAt(uint32_t number, bool isBarrier) {
  if (const LocalId guard = body.guard(number); guard != LocalId::None && uniformity.differs(guard))
    return body.instruction(number).guardRange;
  const BlockId splitter = uniformity.splitBefore(graph.blockOf(number));
  if (splitter == BlockId::None)
    return std::nullopt;
  // A barrier does not wait for threads that have exited.
  if (isBarrier && !uniformity.meetsAgain(splitter))
    return std::nullopt;
  return body.instruction(graph[splitter].last()).range;
}

bool ConvergenceRules::isWhole(uint32_t number) {
  const LocalId guard = body.guard(number);
  return uniformity.isWhole(graph.blockOf(number)) && (guard == LocalId::None || uniformity.isSame(guard));
}

bool ConvergenceRules::partialWarp(uint32_t number) {
  const Instruction &instruction = body.instruction(number);
  const std::optional<Range> parted = partedAt(number, body.facts(number).has(FactKind::Syncs));
  if (!parted)
    return false;
  Diagnostic &diagnostic =
      sink.report(DiagId::PartialWarp, instruction.opcodeRange, body.ast->text(instruction.opcode));
  diagnostic.notes.push_back({"the lanes of a warp diverge here", parted});
  return true;
}

/// Returns two warps of one group, one of which certainly reaches the instruction, while the other never does.
std::optional<std::pair<uint64_t, uint64_t>> ConvergenceRules::partedWarps(uint32_t number) {
  constexpr unsigned inGroup = warpgroupSize / warpSize;
  std::optional<uint64_t> comes, stays;
  for (uint64_t warp = 0; warp * warpSize < std::min<uint64_t>(shape.threads, 1024); ++warp) {
    if (warp % inGroup == 0)
      comes = stays = std::nullopt;
    const Coming coming = paths.warpComesTo(number, warp);
    if (coming == Coming::Certainly)
      comes = warp;
    else if (coming == Coming::Never)
      stays = warp;
    if (comes && stays)
      return std::pair(*comes, *stays);
  }
  return std::nullopt;
}

/// Reports an instruction that only some warps of a warpgroup reach. This excludes changes of the register count: in
/// CUTLASS, each warp of a group executes its own instruction, with the same number.
void ConvergenceRules::partialWarpgroup(uint32_t number) {
  const bool isChange = body.facts(number).has(FactKind::Grows) || body.facts(number).has(FactKind::Shrinks);
  if (isChange || !shape.isExact || body.function->kind != FunctionKind::Entry)
    return;
  const auto warps = partedWarps(number);
  if (!warps)
    return;
  const Instruction &instruction = body.instruction(number);
  sink.report(DiagId::PartialWarpgroup, instruction.opcodeRange, body.ast->text(instruction.opcode))
      .notes.push_back({"warp " + std::to_string(warps->first) + " of the block comes here, warp " +
                            std::to_string(warps->second) + " does not",
                        std::nullopt});
}

/// Checks a mask: a number, or a register with a known number.
void ConvergenceRules::mask(uint32_t number, uint32_t node) {
  const Numbers mask = values.numbersAt(number, node);
  if (!mask.isNumber())
    return;
  const Range place = body.operands(number)[node].range;
  const uint64_t lanes = static_cast<uint64_t>(mask.low) & UINT32_MAX;
  if (!lanes) {
    sink.report(DiagId::EmptyMask, place, body.opcode(number));
    return;
  }
  const uint64_t present = shape.threads < warpSize ? (uint64_t(1) << shape.threads) - 1 : UINT32_MAX;
  if (const uint64_t outside = present & ~lanes; outside) {
    if (shape.isKnown && body.function->kind == FunctionKind::Entry && isWhole(number))
      sink.report(DiagId::LaneOutsideMask, place, llvm::countr_zero(outside), body.opcode(number));
    return;
  }
  if (const std::optional<Range> parted = partedAt(number, /*isBarrier=*/true))
    sink.report(DiagId::AbsentLane, place, body.opcode(number))
        .notes.push_back({"the lanes of a warp diverge here", parted});
}

void ConvergenceRules::instruction(uint32_t number) {
  if (!graph.isReached(graph.blockOf(number)))
    return;
  for (const Action &action : body.facts(number).actions) {
    if (action.kind == FactKind::Converged && action.scope() >= isa::Scope::Warp) {
      if (!partialWarp(number) && action.scope() == isa::Scope::Warpgroup)
        partialWarpgroup(number);
      return;
    }
    if (action.kind == FactKind::Among)
      return mask(number, static_cast<uint32_t>(action.node));
  }
}

void checkConvergence(const Body &body, const BodyContext &context, Analyses &analyses) {
  if (body.joint.empty())
    return;
  ConvergenceRules rules(body, context, analyses);
  for (const uint32_t number : body.joint)
    rules.instruction(number);
}

} // namespace ptxray
