// peer-may-have-ended, peer-may-not-have-started: accesses to the shared memory of other blocks in the cluster, which
// exists only while these blocks run.
#include "Flow/Addresses.h"
#include "Flow/Sharing.h"
#include "Hazards/Hazards.h"
#include "Hazards/Paths.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Match/Opcode.h"
#include "Module/KernelHead.h"

namespace ptxray {
namespace {

/// An instruction that accesses shared memory of another block.
struct RemoteAccess {
  uint32_t number;
  bool isLate = false;   // an asynchronous operation makes the access
  bool isSignal = false; // an arrival at a barrier object, or a completion of bytes
};

class Peers {
public:
  Peers(const Body &body, const BodyContext &context, Analyses &analyses)
      : body(body), context(context), analyses(analyses), graph(analyses.graph()) {}
  void check();

private:
  bool isRemote(uint32_t number);
  bool isOfPeer(uint32_t number, int node);
  void collect();
  bool mayStartEarly(const RemoteAccess &access);
  std::optional<uint32_t> mayEndEarly(const RemoteAccess &access);
  std::optional<uint32_t> leavesUnawaited(const RemoteAccess &access);
  bool isHandedOn(uint32_t number);
  void report(IdTakingTexts<1> id, const RemoteAccess &access, std::optional<uint32_t> end);

  const Body &body;
  const BodyContext &context;
  Analyses &analyses;
  const Graph &graph;
  std::vector<RemoteAccess> accesses;
  std::vector<uint32_t> arrivals, waits; // instructions at the barrier of the cluster
  std::vector<uint32_t> objectWaits;     // waits for barrier objects
};

} // namespace

bool Peers::isOfPeer(uint32_t number, int node) {
  const LocalId local = sourceAt(body, number, node).local;
  const Symbol *symbol = local == LocalId::None ? nullptr : body.symbol(local);
  return symbol && symbol->kind == SymbolKind::Register && analyses.addresses().of(local).root.isRemote;
}

static bool isMulticast(const Body &body, uint32_t number) {
  return body.verdicts[number]->opcode->has(isa::words::multicast_cluster);
}

bool Peers::isRemote(uint32_t number) {
  const Facts &facts = body.facts(number);
  return llvm::any_of(facts.accesses, [&](const Access &access) {
    return access.kind != isa::Access::Names && access.kind != isa::Access::TensorMap && !access.isDescribed &&
           isOfPeer(number, access.node);
  });
}

void Peers::collect() {
  const auto isOfCluster = [](const Action &action) {
    return action.node < 0 && action.scope() == isa::Scope::Cluster;
  };
  const auto isOfObject = [](const Action &action) { return action.node >= 0; };
  for (uint32_t number = 0; number < body.size(); ++number) {
    const Facts &facts = body.facts(number);
    if (!graph.isReached(graph.blockOf(number)))
      continue;
    if (facts.find(FactKind::Arrives, isOfCluster))
      arrivals.push_back(number);
    if (facts.find(FactKind::Awaits, isOfCluster))
      waits.push_back(number);
    if (facts.find(FactKind::Awaits, isOfObject))
      objectWaits.push_back(number);
    const bool isLate = facts.has(FactKind::Async);
    if (facts.accesses.empty() || !(isRemote(number) || (isLate && isMulticast(body, number))))
      continue;
    accesses.push_back({number, isLate, hasAny<FactKind::Arrives, FactKind::Completes>(facts) && !isLate});
  }
}

/// Returns whether a block may reach the access before its peers have started.
bool Peers::mayStartEarly(const RemoteAccess &access) {
  bool isFound = false;
  PathSearch search(body, analyses, waits, isa::Scope::Cluster);
  const bool isWhole = search.follow(
      graph[graph.order.front()].first, {},
      [&](uint32_t number, const PathPoint &) {
        isFound |= number == access.number;
        const bool mayWait = body.callsUnknown(number) || llvm::is_contained(objectWaits, number);
        return isFound ? PathStep::Found : mayWait ? PathStep::Ends : PathStep::Continues;
      },
      [](uint32_t) {});
  return isWhole && isFound;
}

/// Returns whether the instruction may signal another block, or wait for a signal, that this block may end.
bool Peers::isHandedOn(uint32_t number) {
  const Facts &facts = body.facts(number);
  return body.callsUnknown(number) || llvm::is_contained(objectWaits, number) ||
         llvm::any_of(
             accesses,
             [&](const RemoteAccess &other) { return other.number == number && (other.isLate || other.isSignal); }) ||
         facts.find(FactKind::Awaits,
                    [](const Action &action) { return action.node < 0 && action.scope() == isa::Scope::Cluster; });
}

/// Returns the location where execution leaves the kernel after the access without a cluster barrier.
std::optional<uint32_t> Peers::mayEndEarly(const RemoteAccess &access) {
  std::optional<uint32_t> end;
  PathSearch search(body, analyses, arrivals, isa::Scope::Cluster);
  const bool isWhole = search.follow(
      access.number, {},
      [&](uint32_t number, const PathPoint &) {
        return number != access.number && isHandedOn(number) ? PathStep::Ends : PathStep::Continues;
      },
      [&](uint32_t last) { end = last; });
  return isWhole ? end : std::nullopt;
}

/// Returns the branch by which all threads of some blocks bypass the wait. A block that multicasts also receives its
/// own part of the data, and waits for this part.
std::optional<uint32_t> Peers::leavesUnawaited(const RemoteAccess &access) {
  const BlockId from = graph.blockOf(access.number);
  for (const uint32_t wait : objectWaits)
    if (areOtherThreads(graph.blockOf(wait), from, analyses))
      return std::nullopt;
  FoundBlocks unawaited(graph.size()), awaiting(graph.size());
  const auto waitsIn = [&](BlockId block) {
    return llvm::any_of(objectWaits, [&](uint32_t wait) { return graph.blockOf(wait) == block; }) ||
           llvm::any_of(arrivals, [&](uint32_t arrival) { return graph.blockOf(arrival) == block; });
  };
  unawaited.addAll(graph.successors.of(from));
  unawaited.spread(graph.successors, [&](BlockId block) { return !waitsIn(block); });
  for (uint32_t index = 0; index < graph.size(); ++index)
    if (waitsIn(BlockId(index)))
      awaiting.add(BlockId(index));
  awaiting.spread(graph.predecessors);
  for (const BlockId block : unawaited.inOrder()) {
    const LocalId guard = body.guard(graph[block].last());
    if (waitsIn(block) || guard == LocalId::None || !awaiting.contains(block) ||
        analyses.sharing().of(guard).scope != isa::Scope::Cta)
      continue;
    for (const BlockId next : graph.successors.of(block))
      if (!awaiting.contains(next))
        return graph[block].last();
  }
  return std::nullopt;
}

void Peers::report(IdTakingTexts<1> id, const RemoteAccess &access, std::optional<uint32_t> end) {
  const Instruction &instruction = body.instruction(access.number);
  Diagnostic &diagnostic = context.sink.report(id, instruction.range, body.ast->text(instruction.opcode));
  if (end)
    diagnostic.notes.push_back({"control leaves the kernel here", body.instruction(*end).range});
}

void Peers::check() {
  collect();
  const bool mayHavePeers = headOf(*body.ast, *body.function).clusterBlocks > 1 || !arrivals.empty();
  if (accesses.empty() || graph.order.empty() || !mayHavePeers)
    return;
  for (const RemoteAccess &access : accesses)
    if (mayStartEarly(access)) {
      report(DiagId::PeerMayNotHaveStarted, access, std::nullopt);
      break;
    }
  for (const RemoteAccess &access : accesses) {
    const bool isAwaited = (access.isLate || access.isSignal) && !objectWaits.empty();
    const auto end = !isAwaited ? mayEndEarly(access) : access.isLate ? leavesUnawaited(access) : std::nullopt;
    if (end) {
      report(DiagId::PeerMayHaveEnded, access, end);
      break;
    }
  }
}

void checkPeers(const Body &body, const BodyContext &context, Analyses &analyses) {
  const auto isConcerned = [&](uint32_t number) {
    const Facts &facts = body.facts(number);
    return llvm::any_of(
               facts.accesses,
               [](const Access &access) { return access.space == isa::words::shared_cluster || access.isGeneric; }) ||
           (facts.has(FactKind::Async) && isMulticast(body, number));
  };
  const auto isMapped = [&](uint32_t number) {
    return body.facts(number).computation.isKnown && body.facts(number).computation.operation == isa::Operation::Mapa;
  };
  if (body.function->kind != FunctionKind::Entry || llvm::none_of(body.accessing, isConcerned))
    return;
  bool isCluster = llvm::any_of(body.accessing, [&](uint32_t number) { return isMulticast(body, number); });
  for (uint32_t number = 0; number < body.size() && !isCluster; ++number)
    isCluster = isMapped(number);
  if (isCluster)
    Peers(body, context, analyses).check();
}

} // namespace ptxray
