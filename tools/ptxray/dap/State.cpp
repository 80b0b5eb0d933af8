// Requests beyond the protocol. One answer holds everything that a picture of a halted launch needs.
#include "Adapter.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::dap {

using namespace machine::debug;
using machine::CodePlace;

static const char *stateName(LaneGroup::State state) {
  switch (state) {
  case LaneGroup::State::Running: return "running";
  case LaneGroup::State::Waiting: return "waiting";
  case LaneGroup::State::Ready: break;
  }
  return "ready";
}

uint32_t Adapter::lineOf(const CodePlace &at) const {
  return prepared->input.report.source->lineColumn(instructionAt(debugger->program(), at).range.begin).line;
}

Json Adapter::warpsNow() const {
  Json all = Json::array();
  for (const WarpView &warp : warpsOf(debugger->launch())) {
    Json groups = Json::array();
    for (const LaneGroup &group : warp.groups) {
      groups.push_back({{"lanes", group.lanes},
                        {"state", stateName(group.state)},
                        {"line", lineOf(group.at)},
                        {"waitsFor", group.waitsFor}});
      if (group.since)
        groups.back()["since"] = *group.since;
    }
    all.push_back({{"id", threadOf(warp.name)},
                   {"block", warp.name.block},
                   {"warp", warp.name.warp},
                   {"alive", warp.alive},
                   {"groups", std::move(groups)}});
  }
  return all;
}

/// Answers with all warps, the places of their lanes, and what the lanes wait for.
Answer Adapter::warps(const Json &) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  return Json{{"warps", warpsNow()}, {"time", debugger->time()}, {"lane", debugger->focus.lane}};
}

/// Returns whether lanes may wait at such an instruction. An instruction that tests the phase of a barrier object does
/// not count: programs repeat it.
static bool canWait(const Facts &facts) {
  return facts.has(isa::FactKind::Syncs) || facts.has(isa::FactKind::Waits) ||
         llvm::any_of(facts.actions,
                      [](const Action &one) { return one.kind == isa::FactKind::Awaits && one.node < 0; });
}

/// Answers with the activity of warps and asynchronous operations in a span of time before now.
Answer Adapter::timeline(const Json &arguments) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  const uint64_t now = debugger->time();
  const auto length = static_cast<uint64_t>(std::max<int64_t>(arguments.value("length", int64_t(256)), 1));
  const uint64_t from = now > length ? now - length : 0;
  const machine::Program &program = debugger->program();
  const HistoryView history = historyOf(debugger->launch());
  Json stretches = Json::array(), operations = Json::array(), barriers = Json::array();
  for (const machine::Stretch &one : history.stretches) {
    if (one.end <= from)
      continue;
    const bool waits = one.waits || canWait(program.functions[one.last.function].body->facts(one.last.instruction));
    stretches.push_back({{"id", threadOf(one.warp)},
                         {"lanes", one.lanes},
                         {"begin", std::max(one.begin, from)},
                         {"end", one.end},
                         {"line", lineOf(one.last)},
                         {"waits", waits}});
  }
  for (const HistoryView::Operation &one : history.operations) {
    if (one.end && *one.end <= from)
      continue;
    operations.push_back({{"id", threadOf(one.warp)}, {"line", lineOf(one.at)}, {"begin", std::max(one.begin, from)}});
    if (one.end)
      operations.back()["end"] = *one.end;
  }
  for (const BarrierView &one : barriersOf(debugger->launch()))
    barriers.push_back({{"block", one.block}, {"name", one.name}, {"variable", one.variable}, {"state", one.state}});
  return Json{{"from", from},
              {"time", now},
              {"stretches", std::move(stretches)},
              {"operations", std::move(operations)},
              {"barriers", std::move(barriers)}};
}

/// Returns the registers of the function that the lane is in, with their values in all lanes.
Json Adapter::registersNow() const {
  Json all = Json::array();
  const auto position = debugger->position();
  if (!position)
    return all;
  for (const RegisterView &one : registersOf(*position->frame, debugger->focus.lane)) {
    Json lanes = Json::array();
    for (unsigned lane = 0; lane < machine::warpSize; ++lane)
      lanes.push_back(registerText(*position->frame, one.local, lane));
    all.push_back({{"name", one.name}, {"type", one.type}, {"lanes", std::move(lanes)}});
  }
  return all;
}

Json Adapter::barriersNow() const {
  Json all = Json::array();
  for (const BarrierView &one : barriersOf(debugger->launch())) {
    all.push_back({{"block", one.block},
                   {"name", one.name},
                   {"state", one.state},
                   {"missing", one.missing},
                   {"expected", one.expected},
                   {"came", one.came},
                   {"due", one.due}});
    if (one.phase)
      all.back().update({{"phase", *one.phase}, {"variable", one.variable}});
  }
  return all;
}

Json Adapter::operationsNow() const {
  Json all = Json::array();
  for (const OperationView &one : operationsOf(debugger->grid()))
    all.push_back({{"block", one.warp.block},
                   {"warp", one.warp.warp},
                   {"lanes", one.lanes},
                   {"line", lineOf(one.at)},
                   {"waiting", one.waiting}});
  return all;
}

/// Answers with the warps, and with everything else that can be shown of them.
Answer Adapter::state(const Json &) {
  if (!debugger)
    return Refusal{"nothing is launched"};
  Json tensor = Json::array();
  for (const TensorView &one : tensorMemoryOf(debugger->grid()))
    tensor.push_back({{"block", one.block}, {"first", one.first}, {"count", one.count}});
  const Focus &focus = debugger->focus;
  const auto position = debugger->position();
  const machine::Warp *warp = debugger->warp();
  return Json{{"time", debugger->time()},
              {"hasEnded", debugger->last().reason == Reason::Ended},
              {"faults", faultTexts(debugger->launch(), prepared->input.report)},
              {"block", focus.warp.block},
              {"warp", focus.warp.warp},
              {"lane", focus.lane},
              {"line", position ? lineOf(position->at) : 0},
              {"shared", warp ? warp->block->shared.size() : 0},
              {"warps", warpsNow()},
              {"registers", registersNow()},
              {"barriers", barriersNow()},
              {"operations", operationsNow()},
              {"tensor", std::move(tensor)}};
}

} // namespace ptxray::dap
