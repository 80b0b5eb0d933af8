// barrier-threads, other-thread-count: the number of threads that a barrier of a block expects, and the number that
// reach it.
#include "BodyRules/BodyRules.h"
#include "Flow/ThreadPaths.h"
#include "llvm/ADT/STLExtras.h"
#include <bitset>

namespace ptxray {
namespace {

constexpr uint64_t mostWarps = 32;
using Warps = std::bitset<mostWarps>;

/// An instruction that arrives at a barrier.
struct Arrival {
  uint32_t instruction;
  int64_t number, count;      // number of the barrier, and number of threads; 0 for the whole block
  std::optional<Warps> warps; // warps that reach it, if known
  int16_t node;               // node of the count
  bool waits;                 // waits until all threads have arrived
  bool isReported = false;
};

class BarrierRules {
public:
  BarrierRules(const Body &body, const BodyContext &context, Analyses &analyses)
      : body(body), context(context), analyses(analyses), shape(analyses.blockShape()), values(analyses.values()),
        paths(body, analyses) {}
  void check();

private:
  void add(uint32_t number, const Action &action);
  std::optional<Warps> warpsAt(uint32_t number);
  void checkBlock(Arrival &arrival);
  std::optional<int64_t> mostTogether(llvm::ArrayRef<Arrival> arrivals);
  void checkBarrier(llvm::ArrayRef<Arrival> arrivals);
  void report(const Arrival &arrival, const llvm::Twine &problem);

  const Body &body;
  const BodyContext &context;
  Analyses &analyses;
  const BlockShape &shape;
  Values &values;
  ThreadPaths paths;
  std::vector<Arrival> arrivals;
  bool areAllKnown = true; // the numbers of all barriers are known
};

} // namespace

std::optional<Warps> BarrierRules::warpsAt(uint32_t number) {
  if (!shape.isExact || shape.threads > mostWarps * warpSize)
    return std::nullopt;
  Warps warps;
  for (uint64_t warp = 0; warp * warpSize < shape.threads; ++warp) {
    const Coming coming = paths.warpComesTo(number, warp);
    if (coming == Coming::Perhaps)
      return std::nullopt;
    warps[warp] = coming == Coming::Certainly;
  }
  return warps;
}

void BarrierRules::add(uint32_t number, const Action &action) {
  const Numbers barrier = action.which < 0 ? Numbers() : values.numbersAt(number, static_cast<uint32_t>(action.which));
  const Numbers count =
      action.amount < 0 ? Numbers::of(0) : values.numbersAt(number, static_cast<uint32_t>(action.amount));
  if (barrier.isNumber() && count.isNumber())
    arrivals.push_back({number, barrier.low, count.low, std::nullopt, action.amount, action.kind == FactKind::Syncs});
  else
    areAllKnown = false;
}

void BarrierRules::report(const Arrival &arrival, const llvm::Twine &problem) {
  const Instruction &instruction = body.instruction(arrival.instruction);
  const Range place = body.ast->operandsOf(instruction.operands)[static_cast<size_t>(arrival.node)].range;
  context.sink.report(DiagId::BarrierThreads, place, body.ast->text(instruction.opcode), arrival.count, problem);
}

/// Reports a barrier for more threads than the block has, if no thread arrives twice.
void BarrierRules::checkBlock(Arrival &arrival) {
  const bool mayComeAgain = !areAllKnown || llvm::any_of(arrivals, [&](const Arrival &other) {
    return other.number == arrival.number && !other.waits;
  });
  arrival.isReported = shape.isKnown && !mayComeAgain && static_cast<uint64_t>(arrival.count) > shape.threads;
  if (arrival.isReported)
    report(arrival, "a block of `" + body.ast->text(body.function->name) + "` has " + std::to_string(shape.threads));
}

/// Returns the number of threads that can arrive before the barrier is complete. A waiting warp cannot arrive again
/// before completion, but a warp that only arrives can. In loops, the number is unknown.
std::optional<int64_t> BarrierRules::mostTogether(llvm::ArrayRef<Arrival> arrivals) {
  Warps waiting;
  size_t warps = 0;
  for (const Arrival &one : arrivals) {
    const BlockId block = analyses.graph().blockOf(one.instruction);
    if (one.waits)
      waiting |= *one.warps;
    else if (analyses.loops().header[indexOf(block)] == BlockId::None)
      warps += one.warps->count();
    else
      return std::nullopt;
  }
  return static_cast<int64_t>((warps + waiting.count()) * warpSize);
}

/// Checks the barriers with one number, if all instructions that use it are known.
void BarrierRules::checkBarrier(llvm::ArrayRef<Arrival> arrivals) {
  const std::optional<int64_t> together = mostTogether(arrivals);
  for (const Arrival &one : arrivals) {
    const auto own = static_cast<int64_t>(one.warps->count()) * warpSize;
    if (!one.count || one.warps->none() || one.isReported)
      continue;
    if (own > one.count) {
      report(one, std::to_string(own) + " come to it");
      continue;
    }
    if (together && *together < one.count) {
      report(one, "only " + std::to_string(*together) + " come to barrier " + std::to_string(one.number));
      continue;
    }
    // Checks for threads that reach another barrier, and never this one.
    const auto isPartner = [&](const Arrival &other) {
      const bool mayComeAgain = other.instruction != one.instruction && !(one.waits && other.waits);
      return ((*other.warps & ~*one.warps).any() || mayComeAgain) && other.count == one.count;
    };
    const auto *other = llvm::find_if(arrivals, [&](const Arrival &two) {
      return two.count && two.count != one.count && (*two.warps & *one.warps).none() && two.warps->any();
    });
    if (own == one.count || llvm::any_of(arrivals, isPartner) || other == arrivals.end())
      continue;
    const Operand *nodes = body.operands(one.instruction).data();
    context.sink.report(DiagId::OtherThreadCount, nodes[one.node].range, one.number, one.count, other->count)
        .notes.push_back({"the others come here", body.instruction(other->instruction).range});
  }
}

void BarrierRules::check() {
  for (const uint32_t number : body.notable)
    if (body.facts(number).uses & Calls)
      areAllKnown &= !body.callsUnknown(number);
  for (const uint32_t number : body.notable)
    for (const Action &action : body.facts(number).actions)
      if ((action.kind == FactKind::Syncs || action.kind == FactKind::Arrives) && action.node < 0 &&
          action.scope() == isa::Scope::Cta)
        add(number, action);
  for (Arrival &arrival : arrivals)
    if (arrival.count > 0)
      checkBlock(arrival);
  const bool isCounted = llvm::any_of(arrivals, [](const Arrival &arrival) { return arrival.count > 0; });
  if (!areAllKnown || !isCounted || !shape.isExact)
    return;
  for (Arrival &arrival : arrivals)
    arrival.warps = warpsAt(arrival.instruction);
  llvm::stable_sort(arrivals, [](const Arrival &a, const Arrival &b) { return a.number < b.number; });
  for (llvm::ArrayRef<Arrival> rest = arrivals; !rest.empty();) {
    const auto own = rest.take_while([&](const Arrival &one) { return one.number == rest.front().number; });
    if (llvm::all_of(own, [](const Arrival &one) { return one.warps.has_value(); }))
      checkBarrier(own);
    rest = rest.drop_front(own.size());
  }
}

void checkBarrierThreads(const Body &body, const BodyContext &context, Analyses &analyses) {
  const auto isBarrier = [&](uint32_t number) { return body.facts(number).has(FactKind::Syncs); };
  if (body.function->kind == FunctionKind::Entry && llvm::any_of(body.notable, isBarrier))
    BarrierRules(body, context, analyses).check();
}

} // namespace ptxray
