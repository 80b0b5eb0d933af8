#include "Emulate/Hangs.h"
#include "Machine/BarrierObject.h"
#include "Observe/RaceState.h"
#include "Source/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

namespace ptxray::machine {

std::string objectText(const BlockState &block, uint64_t offset) {
  const uint8_t *bytes = block.shared.data() + offset;
  uint64_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  const std::optional<BarrierObject> object = readBarrier(bits);
  const std::string name = "the barrier object at 0x" + llvm::utohexstr(offset, /*LowerCase=*/true);
  if (!object)
    return name + " was written over";
  const auto found = block.agents->objects.find(reinterpret_cast<uintptr_t>(bytes));
  const ObjectHistory history = found == block.agents->objects.end() ? ObjectHistory() : found->second;
  std::string text =
      name + " is in phase " + std::to_string(history.phases) + ", of parity " + (object->isOdd ? "1" : "0") + ": ";
  if (object->pending == object->expected && !object->bytes && history.phases)
    return text + "nobody has arrived since phase " + std::to_string(history.phases - 1) + ", of parity " +
           (object->isOdd ? "0" : "1") + ", is complete";
  llvm::SmallVector<std::string, 2> parts;
  if (object->pending)
    parts.push_back(std::to_string(object->pending) + " of " + counted(object->expected, "arrival") +
                    (object->pending == 1 ? " is" : " are") + " missing");
  if (object->bytes)
    parts.push_back("it expects " + counted(static_cast<uint64_t>(history.expected), "byte") + ", and " +
                    std::to_string(history.came) + " came");
  return text + llvm::join(parts, "; ");
}

std::string barrierText(const NumberedBarrier &barrier) {
  uint32_t threads = 0;
  for (const auto &[warp, lanes] : barrier.arrived)
    threads += static_cast<uint32_t>(__builtin_popcount(lanes));
  return counted(threads, "thread") + (threads == 1 ? " has" : " have") + " arrived" +
         (barrier.threads ? " of " + std::to_string(barrier.threads) : std::string());
}

static WaitingLanes waiting(const Warp &warp, const Fragment &one, std::string reason) {
  const FunctionCode &code = one.frame->code;
  return {&warp, one.frame, code.blocks[one.at - 1].instruction, one.mask, std::move(reason), nullptr, 0};
}

std::vector<WaitingLanes> waitingIn(const BlockState &block) {
  std::vector<WaitingLanes> all;
  for (const NumberedBarrier &barrier : block.barriers)
    for (const WaitingAtBarrier &one : barrier.waiting)
      all.push_back(waiting(*one.warp, one.fragment, barrierText(barrier)));
  for (const auto &[number, meeting] : block.warpgroups)
    for (const WaitingAtBarrier &one : meeting.waiting)
      all.push_back(waiting(*one.warp, one.fragment, ""));
  for (const WaitingAtBarrier &one : block.waitingForCluster)
    all.push_back(waiting(*one.warp, one.fragment, ""));
  for (const Warp &warp : block.warps) {
    for (const Fragment &one : warp.others.parted)
      all.push_back(waiting(warp, one,
                            "its warp executes it together: " + std::to_string(__builtin_popcount(one.mask)) + " of " +
                                counted(static_cast<uint64_t>(__builtin_popcount(warp.alive)), "thread") +
                                " have come"));
    if (!warp.waitsInVain || warp.isDone())
      continue;
    const VainWait &wait = *warp.waitsInVain;
    all.push_back({&warp, &warp.frames.back(), wait.instruction, wait.lanes,
                   wait.block ? objectText(*wait.block, wait.offset) : std::string(), wait.block, wait.offset});
  }
  return all;
}

namespace {

/// Threads that wait at one instruction, and what is missing at each location for which they wait.
struct Waiting {
  uint32_t lanes = 0;
  std::map<std::string, WaitingLanes> reasons;
};

} // namespace

static uint32_t endedThreads(const BlockState &block) {
  uint32_t alive = 0;
  for (const Warp &warp : block.warps)
    alive += static_cast<uint32_t>(__builtin_popcount(warp.alive));
  return block.threads() - alive;
}

/// Describes the current place of a warp.
static std::string stateOf(const Warp &warp, llvm::ArrayRef<WaitingLanes> waiting, const ReadModule &module) {
  if (warp.isDone())
    return "has ended";
  for (const WaitingLanes &one : waiting)
    if (one.warp == &warp)
      return "waits at `" + module.ast().text(one.frame->code.instruction(one.instruction).opcode).str() + "`";
  return "is elsewhere";
}

/// Adds a note that a wait for the other parity would succeed, if nothing has arrived in the awaited phase.
static void explainParity(const WaitingLanes &one, Diagnostic &diagnostic) {
  uint64_t bits;
  std::memcpy(&bits, one.block->shared.data() + one.offset, sizeof bits);
  const std::optional<BarrierObject> object = readBarrier(bits);
  if (object && object->pending == object->expected && !object->bytes)
    diagnostic.notes.push_back({std::string("a wait for parity ") + (object->isOdd ? "0" : "1") +
                                    ", the parity of the previous phase, would not wait",
                                std::nullopt});
}

/// Lists the instructions that added arrivals or bytes to the object, and the current locations of their warps.
static void explainArrivals(const WaitingLanes &one, llvm::ArrayRef<WaitingLanes> waiting, const ReadModule &module,
                            Diagnostic &diagnostic) {
  const Agents &agents = *one.block->agents;
  const auto &objects = raceOf(*one.block).cluster->objects;
  const auto found = objects.find(reinterpret_cast<uintptr_t>(one.block->shared.data() + one.offset));
  if (found == objects.end() || found->second.arrivals.empty()) {
    diagnostic.notes.push_back({"it has received neither arrivals nor bytes", std::nullopt});
    return;
  }
  const size_t warps = agents.warps / one.block->cluster.size();
  for (const auto &[at, agent] : found->second.arrivals) {
    const BlockState &block = *one.block->cluster[(agent - 1) / warps];
    const Warp &warp = block.warps[(agent - 1) % warps];
    std::string name = "warp " + std::to_string(warp.number);
    if (one.block->cluster.size() > 1)
      name += " of block " + std::to_string(block.rank) + " of the cluster";
    diagnostic.notes.push_back({name + " has executed `" + module.ast().text(at->opcode).str() + "` for it, and " +
                                    stateOf(warp, waiting, module),
                                at->range});
  }
}

DiagnosticList explainHang(const GridState &grid, llvm::ArrayRef<BlockState *> blocks) {
  DiagnosticSink sink;
  for (const BlockState *block : blocks) {
    std::map<std::pair<const FunctionCode *, uint32_t>, Waiting> waiting; // keyed by instruction
    const std::vector<WaitingLanes> all = waitingIn(*block);
    const ReadModule &module = *grid.program.module;
    for (const WaitingLanes &one : all) {
      Waiting &entry = waiting[{&one.frame->code, one.instruction}];
      entry.lanes += static_cast<uint32_t>(__builtin_popcount(one.lanes));
      if (!one.reason.empty())
        entry.reasons.try_emplace(one.reason, one);
    }
    const auto &at = block->index;
    const std::string name =
        "(" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]) + ")";
    for (const auto &[place, one] : waiting) {
      const Instruction &instruction = place.first->instruction(place.second);
      Diagnostic &diagnostic =
          sink.report(DiagId::RunHang, instruction.range, one.lanes, name, module.ast().text(instruction.opcode).str());
      for (const auto &[reason, lanes] : one.reasons) {
        diagnostic.notes.push_back({reason, std::nullopt});
        if (!lanes.block)
          continue;
        explainParity(lanes, diagnostic);
        if (grid.launch.checks)
          explainArrivals(lanes, all, module, diagnostic);
      }
      if (const uint32_t ended = endedThreads(*block))
        diagnostic.notes.push_back(
            {counted(ended, "thread") + " of the block " + (ended == 1 ? "has" : "have") + " ended", std::nullopt});
    }
    if (!waiting.empty())
      break;
  }
  return sink.take();
}

} // namespace ptxray::machine
