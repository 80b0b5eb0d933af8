// known-bank-conflict, uncoalesced-access: what an access costs whose addresses are known in the lanes of a warp.
#include "Flow/BodyRules.h"
#include "Flow/Uniformity.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Traffic/Remedies.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

using traffic::AccessKind;
using traffic::LaneAddresses;

class TrafficRules {
public:
  TrafficRules(const Body &body, const BodyContext &context, Analyses &analyses)
      : body(body), sink(context.sink), graph(analyses.graph()), shape(analyses.blockShape()),
        areConflictsWanted(isWanted(context.options, DiagId::KnownBankConflict)),
        areSectorsWanted(isWanted(context.options, DiagId::UncoalescedAccess)), uniformity(body, analyses, {}),
        lanes(uniformity.distances()) {}
  void instruction(uint32_t number);

private:
  uint32_t lanesThatCome(uint32_t number);
  void access(const Access &one, AccessKind kind, uint32_t number);
  void shared(AccessKind kind, const LaneAddresses &lanes, uint32_t number);
  void global(const LaneAddresses &lanes, uint32_t number);

  const Body &body;
  DiagnosticSink &sink;
  const Graph &graph;
  const BlockShape &shape;
  const bool areConflictsWanted, areSectorsWanted;
  Uniformity uniformity;
  WarpLanes lanes;
};

} // namespace

/// The lanes of a full warp, or of the only one, that execute the instruction; none: they are not known.
uint32_t TrafficRules::lanesThatCome(uint32_t number) {
  if (lanes.varies(graph.blockOf(number)))
    return 0;
  const uint32_t all = shape.isExact && shape.threads < warpSize ? (1u << shape.threads) - 1 : ~0u;
  const LocalId guard = body.guard(number);
  if (guard == LocalId::None || lanes.of(guard).kind == LaneValue::Same)
    return all;
  const LaneValue value = lanes.of(guard);
  if (value.kind != LaneValue::Lanes)
    return 0;
  uint32_t allowed = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if ((lanes.patternOf(value).lanes[lane] != 0) != body.instruction(number).guardNot)
      allowed |= 1u << lane;
  return allowed & all;
}

/// The least that an access costs, wherever the first lane's address is, of which only the alignment is known.
template <typename Cost, typename CostOf>
static Cost leastOf(const LaneAddresses &lanes, uint32_t places, uint32_t Cost::*count, CostOf costOf) {
  std::array<uint64_t, traffic::warpLanes> at;
  Cost least = costOf(lanes);
  for (uint64_t moved = lanes.bytes; moved < places; moved += lanes.bytes) {
    std::transform(lanes.at, lanes.at + at.size(), at.begin(), [moved](uint64_t one) { return one + moved; });
    if (const Cost one = costOf({at.data(), lanes.mask, lanes.bytes}); one.*count < least.*count)
      least = one;
  }
  return least;
}

void TrafficRules::shared(AccessKind kind, const LaneAddresses &access, uint32_t number) {
  const auto least = leastOf(access, traffic::alignmentOfPasses, &traffic::Wavefronts::count,
                             [kind](const LaneAddresses &one) { return wavefrontsOf(kind, one); });
  if (!least.haveConflicts())
    return;
  const Instruction &instruction = body.instruction(number);
  sink.report(DiagId::KnownBankConflict, instruction.range, body.ast->text(instruction.opcode), least.count,
              least.ideal)
      .notes.push_back({traffic::adviceFor(kind, access), std::nullopt});
}

void TrafficRules::global(const LaneAddresses &access, uint32_t number) {
  const auto least = leastOf(access, traffic::alignmentOfPieces, &traffic::Pieces::sectors, traffic::piecesOf);
  if (!least.areScattered())
    return;
  const Instruction &instruction = body.instruction(number);
  sink.report(DiagId::UncoalescedAccess, instruction.range, body.ast->text(instruction.opcode), least.sectors,
              least.ideal);
}

void TrafficRules::access(const Access &one, AccessKind kind, uint32_t number) {
  const isa::WordId space = isa::wholeSpace(one.space);
  const bool isShared = space == isa::words::shared, isGlobal = space == isa::words::global;
  constexpr uint32_t mostByLane = 32;
  if (!one.bytes || one.bytes > mostByLane || one.isLeast || one.isGeneric || one.isDescribed ||
      !(isShared ? areConflictsWanted : isGlobal && areSectorsWanted))
    return;
  const Source source = sourceAt(body, number, one.node);
  if (source.kind != Source::Name || !body.isRegister(source.local))
    return;
  const LaneValue &value = lanes.of(source.local);
  if (value.kind != LaneValue::Lanes && value.kind != LaneValue::Spread)
    return;
  const std::array<uint64_t, warpSize> at = lanes.patternOf(value).lanes;
  const uint32_t mask = lanesThatCome(number);
  if (!mask)
    return;
  if (isShared)
    shared(kind, {at.data(), mask, one.bytes}, number);
  else
    global({at.data(), mask, one.bytes}, number);
}

/// Instructions that the lanes of a warp execute together access more than each lane says, and of atomic operations the
/// order counts, too.
void TrafficRules::instruction(uint32_t number) {
  constexpr uint32_t mostByThread = 16; // larger copies are made in bulk
  const Facts &facts = body.facts(number);
  if (!graph.isReached(graph.blockOf(number)) || facts.has(isa::FactKind::Converged))
    return;
  const bool isCopy = facts.has(isa::FactKind::Async);
  for (const Access &one : facts.accesses) {
    if (isCopy && one.bytes <= mostByThread)
      access(one, AccessKind::Copy, number);
    else if (!isCopy && one.kind == isa::Access::Reads)
      access(one, AccessKind::Load, number);
    else if (!isCopy && one.kind == isa::Access::Writes)
      access(one, AccessKind::Store, number);
  }
}

void checkTraffic(const Body &body, const BodyContext &context, Analyses &analyses) {
  const bool isWhole = body.function->kind == FunctionKind::Entry;
  if (!isWhole || body.accessing.empty() ||
      !(isWanted(context.options, DiagId::KnownBankConflict) || isWanted(context.options, DiagId::UncoalescedAccess)))
    return;
  TrafficRules rules(body, context, analyses);
  for (const uint32_t number : body.accessing)
    rules.instruction(number);
}

} // namespace ptxray
