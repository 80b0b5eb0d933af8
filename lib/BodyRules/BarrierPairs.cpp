// unpaired-barrier: warps that wait at a named barrier for warps that never arrive, and arrivals without a waiting
// thread. Each warp is simulated separately. If all warps reach their end, their barriers are then simulated together.
#include "BodyRules/BodyRules.h"
#include "Flow/BlockWalk.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <map>

namespace ptxray {
namespace {

/// An arrival: the warp, and the index of the barrier among those that it executes.
using Arriving = std::pair<uint32_t, size_t>;

/// The arrivals at one barrier since it was last complete.
struct Meeting {
  int64_t expected = 0;          // number of threads
  std::vector<Arriving> arrived; // one entry for each warp, which may arrive again
  bool isForAll = false;         // expects all threads that have not exited
  uint32_t last = 0;             // the instruction of the last arrival

  int64_t threads() const { return static_cast<int64_t>(arrived.size() * warpSize); }
};

/// The barriers that a warp executes, in order.
struct WarpBarriers {
  std::vector<WalkEvent> events;
  size_t next = 0;
  bool isWaiting = false;

  bool isAtEnd() const { return next == events.size(); }
};

/// The arrivals that complete a barrier together.
using Pairing = std::map<Arriving, std::vector<Arriving>>;

struct PairFault {
  enum Kind : uint8_t { Wait, Arrival, Reuse };
  Kind kind;
  uint32_t instruction;
  int64_t barrier, arrived, expected;
  std::vector<uint32_t> others; // instructions at which other warps wait
};

/// Simulates the barriers of all warps together, in one order of the warps.
class BarrierPlay {
public:
  explicit BarrierPlay(std::vector<WarpBarriers> warps) : warps(std::move(warps)) {}
  /// Runs the simulation. `step` determines the order of the warps. In each step, a warp executes one barrier, or all
  /// barriers that it can.
  std::optional<PairFault> play(uint32_t step, bool isOneByOne);

  Pairing pairing;
  bool isMixed = false; // arrivals with different counts occur at one barrier

private:
  bool advance(uint32_t warp);
  void complete(Meeting &meeting);
  bool completeAtEnd();
  std::optional<PairFault> leftOver();

  std::vector<WarpBarriers> warps;
  std::map<int64_t, Meeting> meetings;
};

} // namespace

void BarrierPlay::complete(Meeting &meeting) {
  for (const Arriving &one : meeting.arrived) {
    pairing[one] = meeting.arrived;
    llvm::sort(pairing[one]);
    if (WarpBarriers &warp = warps[one.first]; warp.isWaiting && warp.next == one.second) {
      warp.isWaiting = false;
      ++warp.next;
    }
  }
  meeting = {};
}

/// Executes the next barrier of a warp. Returns false if its count differs from that of other arrivals.
bool BarrierPlay::advance(uint32_t warp) {
  WarpBarriers &own = warps[warp];
  const WalkEvent &event = own.events[own.next];
  Meeting &meeting = meetings[event.barrier];
  const int64_t expected = event.count ? event.count : static_cast<int64_t>(warps.size() * warpSize);
  if (!meeting.arrived.empty() && meeting.expected != expected)
    return false;
  meeting.expected = expected;
  meeting.isForAll = !event.count;
  meeting.arrived.push_back({warp, own.next});
  meeting.last = event.instruction;
  own.isWaiting = event.kind == WalkEvent::Barrier;
  own.next += event.kind != WalkEvent::Barrier;
  if (meeting.threads() >= expected)
    complete(meeting);
  return true;
}

/// Completes the barriers of all threads: warps that have exited count as arrived.
bool BarrierPlay::completeAtEnd() {
  const auto isAtEnd = [](const WarpBarriers &one) { return one.isAtEnd(); };
  const auto ended = static_cast<int64_t>(llvm::count_if(warps, isAtEnd) * warpSize);
  const auto threads = static_cast<int64_t>(warps.size() * warpSize);
  bool changes = false;
  for (auto &[number, meeting] : meetings)
    if (ended && !meeting.arrived.empty() && meeting.isForAll && meeting.threads() + ended >= threads) {
      complete(meeting);
      changes = true;
    }
  return changes;
}

std::optional<PairFault> BarrierPlay::leftOver() {
  std::optional<PairFault> fault;
  for (const WarpBarriers &warp : warps) {
    if (!warp.isWaiting)
      continue;
    const WalkEvent &event = warp.events[warp.next];
    const Meeting &meeting = meetings[event.barrier];
    if (!fault)
      fault = PairFault{PairFault::Wait, event.instruction, event.barrier, meeting.threads(), meeting.expected, {}};
    else if (event.instruction != fault->instruction && !llvm::is_contained(fault->others, event.instruction))
      fault->others.push_back(event.instruction);
  }
  if (fault)
    return fault;
  for (const auto &[number, meeting] : meetings)
    if (!meeting.arrived.empty())
      return PairFault{PairFault::Arrival, meeting.last, number, meeting.threads(), meeting.expected, {}};
  return std::nullopt;
}

std::optional<PairFault> BarrierPlay::play(uint32_t step, bool isOneByOne) {
  const auto count = static_cast<uint32_t>(warps.size());
  for (bool changes = true; changes;) {
    changes = false;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t warp = i * step % count;
      while (!warps[warp].isWaiting && !warps[warp].isAtEnd()) {
        if (!advance(warp)) {
          isMixed = true;
          return std::nullopt;
        }
        changes = true;
        if (isOneByOne)
          break;
      }
    }
    changes |= completeAtEnd();
  }
  return leftOver();
}

static std::optional<std::vector<WarpBarriers>> barriersOf(const Body &body, Analyses &analyses, uint64_t assumed) {
  const auto block = likelyBlock(body);
  const uint64_t threads = block ? (*block)[0] * (*block)[1] * (*block)[2] : 0;
  if (!threads || threads > mostBlockThreads)
    return std::nullopt;
  std::vector<WarpBarriers> warps;
  for (uint32_t first = 0; first < threads; first += warpSize) {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(threads - first, warpSize));
    Walk walk = walkThreads(body, analyses, *block, {first, count, assumed, /*isWholeBlock=*/false});
    if (!walk.isComplete)
      return std::nullopt;
    llvm::erase_if(walk.events, [](const WalkEvent &event) {
      return event.kind != WalkEvent::Barrier && event.kind != WalkEvent::Arrival;
    });
    warps.push_back({std::move(walk.events)});
  }
  return warps;
}

/// Returns the first fault for assumed values of parameters. If several orders of the warps have no fault, the same
/// threads must synchronise in each of them.
static std::optional<PairFault> findFault(const Body &body, Analyses &analyses, uint64_t assumed) {
  const auto warps = barriersOf(body, analyses, assumed);
  if (!warps)
    return std::nullopt;
  const auto last = static_cast<uint32_t>(warps->size() - 1);
  std::optional<Pairing> known;
  for (const uint32_t step : {1u, std::max(last, 1u)})
    for (const bool isOneByOne : {false, true}) {
      BarrierPlay play(*warps);
      const auto fault = play.play(step, isOneByOne);
      if (fault || play.isMixed)
        return fault;
      if (!known)
        known = std::move(play.pairing);
      for (const auto &[one, together] : play.pairing)
        if (known->at(one) != together) {
          const WalkEvent &event = (*warps)[one.first].events[one.second];
          return PairFault{PairFault::Reuse, event.instruction, event.barrier, 0, 0, {}};
        }
    }
  return std::nullopt;
}

void checkBarrierPairs(const Body &body, const BodyContext &context, Analyses &analyses) {
  const auto isNamed = [&](uint32_t number) {
    return body.facts(number).find(FactKind::Syncs, [](const Action &action) {
      return action.node < 0 && action.scope() == isa::Scope::Cta && action.amount >= 0;
    }) || body.facts(number).find(FactKind::Arrives, [](const Action &action) {
      return action.node < 0 && action.scope() == isa::Scope::Cta;
    });
  };
  if (body.function->kind != FunctionKind::Entry || llvm::none_of(body.notable, isNamed))
    return;
  // Prefer a fault in the counts, which is more informative.
  const Range whole = {body.instruction(0).range.begin, body.instruction(body.size() - 1).range.end};
  if (llvm::any_of(context.sink.diagnostics(), [&](const Diagnostic &one) {
        return (one.id == DiagId::BarrierThreads || one.id == DiagId::OtherThreadCount) &&
               whole.begin <= one.range.begin && one.range.begin < whole.end;
      }))
    return;
  // A fault that occurs only for some iteration counts may reflect a condition that launches must satisfy.
  const auto fault = findFault(body, analyses, 4);
  const auto isFaulty = [&](uint64_t assumed) { return findFault(body, analyses, assumed).has_value(); };
  if (!fault || !llvm::all_of(std::array<uint64_t, 4>{6, 3, 2, 1}, isFaulty))
    return;
  const Instruction &instruction = body.instruction(fault->instruction);
  const llvm::StringRef opcode = body.ast->text(instruction.opcode);
  switch (fault->kind) {
  case PairFault::Wait:
    context.sink.report(DiagId::UnpairedWait, instruction.range, opcode, fault->barrier, fault->arrived,
                        fault->expected);
    for (const uint32_t other : fault->others)
      context.sink.at(context.sink.diagnostics().size() - 1)
          .notes.push_back({"other warps wait here", body.instruction(other).range});
    break;
  case PairFault::Arrival:
    context.sink.report(DiagId::UnpairedArrival, instruction.range, opcode, fault->barrier, fault->arrived,
                        fault->expected);
    break;
  case PairFault::Reuse: context.sink.report(DiagId::ReusedBarrier, instruction.range, fault->barrier, opcode); break;
  }
}

} // namespace ptxray
