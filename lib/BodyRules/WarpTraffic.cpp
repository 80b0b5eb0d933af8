// known-bank-conflict, uncoalesced-access: the cost of an access whose addresses are known for the lanes of a warp.
#include "BodyRules/BodyRules.h"
#include "Flow/Uniformity.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Traffic/Remedies.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

using traffic::AccessKind;
using traffic::LaneAddresses;

/// Returns whether the instruction reads a thread number other than %tid.x, or calls a function that may do so.
bool asksForPlace(const Body &body, uint32_t number) {
  if (body.facts(number).uses & Calls)
    return true;
  const LocalId *local = body.namesOf(number).data();
  for (const Operand &one : body.operands(number)) {
    if (one.kind != OperandKind::Name)
      continue;
    const isa::SpecialRegister *special = body.special(*local++);
    if (special && special->enumerates == isa::Enumerated::Threads && body.ast->text(one.suffix) != ".x")
      return true;
  }
  return false;
}

/// Returns the likely shape of the block if the kernel does not declare it. The block is one-dimensional, unless a
/// thread reads its index in other dimensions, which distinguishes threads of other shapes.
BlockShape likelyShape(const Body &body, const BlockShape &shape) {
  if (shape.isExact || shape.threads < warpSize)
    return shape;
  for (uint32_t number = 0; number < body.size(); ++number)
    if (asksForPlace(body, number))
      return shape;
  return {true, true, shape.threads, 1, shape.threads};
}

class TrafficRules {
public:
  TrafficRules(const Body &body, const BodyContext &context, Analyses &analyses)
      : body(body), sink(context.sink), graph(analyses.graph()), shape(likelyShape(body, analyses.blockShape())),
        areConflictsWanted(isWanted(context.options, DiagId::KnownBankConflict)),
        areSectorsWanted(isWanted(context.options, DiagId::UncoalescedAccess)), uniformity(body, analyses, {}),
        lanes(uniformity.distances(shape)) {}
  void instruction(uint32_t number);

private:
  uint32_t lanesThatCome(uint32_t number);
  void access(const Access &one, AccessKind kind, uint32_t number, uint32_t allowed = ~0u);
  void shared(AccessKind kind, const LaneAddresses &lanes, uint32_t number);
  void global(const LaneAddresses &lanes, uint32_t number);

  const Body &body;
  DiagnosticSink &sink;
  const Graph &graph;
  const BlockShape shape;
  const bool areConflictsWanted, areSectorsWanted;
  Uniformity uniformity;
  WarpLanes lanes;
};

} // namespace

/// Returns the lanes of a full warp, or of the only warp, that execute the instruction; 0 if they are unknown.
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

/// Returns the minimum cost of an access over all addresses of the first lane, of which only the alignment is known.
template <typename Cost, typename Number, typename CostOf>
static Cost leastOf(const LaneAddresses &lanes, uint32_t places, Number Cost::*count, CostOf costOf) {
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
  sink.report(DiagId::UncoalescedAccess, instruction.range, body.ast->text(instruction.opcode), +least.sectors,
              +least.ideal);
}

/// Reports the cost of an access. Considers only the addresses of lanes in `allowed`.
void TrafficRules::access(const Access &one, AccessKind kind, uint32_t number, uint32_t allowed) {
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
  const uint32_t mask = lanesThatCome(number) & allowed;
  if (mask && isShared)
    shared(kind, {at.data(), mask, one.bytes}, number);
  else if (mask)
    global({at.data(), mask, one.bytes}, number);
}

/// Returns the lanes that provide row addresses when lanes load or store matrices together: the first eight lanes for
/// each register.
static uint32_t lanesOfRows(const Body &body, uint32_t number) {
  const size_t rows = 8 * (body.namesOf(number).size() - 1); // one of the names is the address
  return rows < warpSize ? (1u << rows) - 1 : ~0u;
}

/// Returns whether ptxas may combine lanes with the same address, because the instruction adds the same number in all
/// lanes.
static bool mayBeIncrement(const Body &body, uint32_t number) {
  const Instruction &one = body.instruction(number);
  return llvm::any_of(body.ast->operandsOf(one.operands),
                      [](const Operand &operand) { return operand.kind == OperandKind::Integer; });
}

void TrafficRules::instruction(uint32_t number) {
  constexpr uint32_t mostByThread = 16, rowBytes = 16; // larger copies are bulk copies
  const Facts &facts = body.facts(number);
  if (!graph.isReached(graph.blockOf(number)))
    return;
  const bool isCopy = facts.has(FactKind::Async), isTogether = facts.has(FactKind::Converged);
  for (const Access &one : facts.accesses) {
    if (isTogether) {
      if (one.bytes == rowBytes)
        access(one, AccessKind::Matrix, number, lanesOfRows(body, number));
    } else if (!isCopy && one.kind == isa::Access::Updates)
      access(one, mayBeIncrement(body, number) ? AccessKind::Increment : AccessKind::Atomic, number);
    else if (isCopy && one.bytes <= mostByThread)
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
