// request-after-refusal, unchecked-answer, unread-answer, unfenced-answer: rules about cluster launch control. A block
// requests the work of another block that has not started, and reads the answer from its shared memory.
#include "Hazards/Barriers.h"
#include "Hazards/Hazards.h"
#include "Hazards/Paths.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Match/Opcode.h"

namespace ptxray {
namespace {

class LaunchControl {
public:
  explicit LaunchControl(HazardContext &context)
      : context(context), body(context.body), graph(context.analyses.graph()) {}
  void check();

private:
  void collect();
  void refusals(uint32_t query);
  void unread(uint32_t request);
  void freed(uint32_t request);
  void expectations(uint32_t request);
  void unfenced(uint32_t read);
  bool isReadByOthers(uint32_t request);
  bool isOwnWait(uint32_t number, uint32_t request);
  std::vector<uint32_t> readsFor(uint32_t query);
  LocalId predicateOf(uint32_t query);

  HazardContext &context;
  const Body &body;
  const Graph &graph;
  std::vector<uint32_t> requests, queries, uses, reads; // `reads` load answers
  bool isToldOfOrder = false, isToldOfFence = false;
};

} // namespace

LocalId LaunchControl::predicateOf(uint32_t query) {
  return nameAt(body, query, body.facts(query).find(FactKind::Answers)->node);
}

/// Returns the loads of the registers that a query reads, directly or through one move that packs them.
std::vector<uint32_t> LaunchControl::readsFor(uint32_t query) {
  std::vector<uint32_t> found;
  llvm::SmallVector<LocalId, 4> names;
  const auto addRead = [&](uint32_t number) {
    for (const auto &[local, used] : llvm::zip(body.namesOf(number), body.usesOf(number)))
      if (used & Reads)
        names.push_back(local);
  };
  const auto isLoad = [&](uint32_t number) {
    return llvm::any_of(body.facts(number).accesses,
                        [](const Access &access) { return access.reads() && isShared(access.space); });
  };
  addRead(query);
  constexpr size_t mostNames = 8;
  for (size_t i = 0; i < names.size() && i < mostNames; ++i)
    body.definitions.eachWriter(names[i], [&](uint32_t writer) {
      if (isLoad(writer))
        found.push_back(writer);
      else if (body.facts(writer).accesses.empty())
        addRead(writer);
    });
  return found;
}

void LaunchControl::collect() {
  for (const uint32_t number : body.notable) {
    const Facts &facts = body.facts(number);
    if (!graph.isReached(graph.blockOf(number)))
      continue;
    if (facts.has(FactKind::Requests))
      requests.push_back(number);
    if (facts.has(FactKind::Answers))
      queries.push_back(number);
    if (facts.has(FactKind::Presumes))
      uses.push_back(number);
  }
  for (const auto *list : {&queries, &uses})
    for (const uint32_t number : *list)
      for (const uint32_t read : readsFor(number))
        if (!llvm::is_contained(reads, read))
          reads.push_back(read);
}

/// Reports a request by a thread that has seen a refusal. Reads from an answer that was not granted are not reported,
/// because NVIDIA's compilers move them to locations where their results are unused.
void LaunchControl::refusals(uint32_t query) {
  const LocalId granted = predicateOf(query);
  if (granted == LocalId::None || body.definitions.only(granted) != query || query + 1 >= body.size() ||
      body.guard(query) != LocalId::None)
    return;
  // Other values may be derived from the predicate, and may decide instead of it.
  for (uint32_t number = 0; number < body.size(); ++number)
    for (const auto &[local, used] : llvm::zip(body.namesOf(number), body.usesOf(number)))
      if (local == granted && used & Reads)
        return;
  std::optional<uint32_t> request;
  PathSearch search(body, context.analyses, {}, isa::Scope::Grid);
  const auto see = [&](uint32_t number, const PathPoint &point) {
    if (number == query || !point.valueOf(granted))
      return PathStep::Ends;
    if (llvm::is_contained(requests, number) && !request)
      request = number;
    return llvm::is_contained(requests, number) ? PathStep::Found : PathStep::Continues;
  };
  if (!search.follow(query + 1, {{granted, false}}, see, [](uint32_t) {}) || !request)
    return;
  // In a kernel with roles, the path may belong to warps that never request.
  const BlockId loop = context.loopAround(*request);
  const bool isOneRole = (loop != BlockId::None && context.isInLoop(query, loop)) ||
                         context.analyses.dominators().dominates(graph.blockOf(query), graph.blockOf(*request));
  if (isOneRole)
    context.report(DiagId::RequestAfterRefusal, *request, query, "the refusal is seen here");
}

/// Returns whether a condition on the thread decides who requests, while more threads read.
bool LaunchControl::isReadByOthers(uint32_t request) {
  const BlockId own = graph.blockOf(request);
  return llvm::any_of(reads, [&](uint32_t read) {
    return body.guard(read) == LocalId::None && isChosen(own, graph.blockOf(read), context.analyses);
  });
}

/// Returns whether the instruction waits for the barrier object on which the request completes.
bool LaunchControl::isOwnWait(uint32_t number, uint32_t request) {
  const Action *await = body.facts(number).find(FactKind::Awaits, [](const Action &one) { return one.node >= 0; });
  const Action *completes = body.facts(request).find(FactKind::Async);
  return await && completes->node >= 0 &&
         isSame(context.places.at(number, static_cast<uint32_t>(await->node), 8),
                context.places.at(request, static_cast<uint32_t>(completes->node), 8));
}

/// Reports a thread that proceeds from one request to the next without synchronisation through which other threads
/// could show that they have read the answer.
void LaunchControl::unread(uint32_t request) {
  if (isToldOfOrder || !isReadByOthers(request) || request + 1 >= body.size())
    return;
  bool isAgain = false;
  PathSearch search(body, context.analyses, {}, isa::Scope::Grid);
  const auto see = [&](uint32_t number, const PathPoint &) {
    const Facts &facts = body.facts(number);
    if (number == request) {
      isAgain = true;
      return PathStep::Found;
    }
    const bool awaits = facts.has(FactKind::Awaits) && !isOwnWait(number, request);
    const bool syncs = facts.find(FactKind::Syncs, [](const Action &action) {
      return action.scope() != isa::Scope::Warp && action.scope() != isa::Scope::Lane;
    });
    return awaits || syncs || body.callsUnknown(number) ? PathStep::Ends : PathStep::Continues;
  };
  if (!search.follow(request + 1, {}, see, [](uint32_t) {}) || !isAgain)
    return;
  isToldOfOrder = true;
  const auto other = llvm::find_if(
      reads, [&](uint32_t read) { return isChosen(graph.blockOf(request), graph.blockOf(read), context.analyses); });
  context.sink.report(DiagId::UnreadAnswer, context.range(request), context.opcode(request))
      .notes.push_back({"other threads read it here", context.range(*other)});
}

/// Reports a thread that has read the answer and permits another request without a proxy fence.
void LaunchControl::unfenced(uint32_t read) {
  if (isToldOfFence || read + 1 >= body.size())
    return;
  std::optional<uint32_t> release;
  PathSearch search(body, context.analyses, {}, isa::Scope::Grid);
  const auto see = [&](uint32_t number, const PathPoint &) {
    const Facts &facts = body.facts(number);
    if (orders(facts, isa::Ordered::Generic, isa::Ordered::Async) || body.callsUnknown(number) ||
        facts.has(FactKind::Awaits))
      return PathStep::Ends;
    const bool arrives =
        facts.find(FactKind::Arrives, [](const Action &action) { return action.node >= 0 && !action.groups; });
    const bool requests = facts.has(FactKind::Requests);
    if (requests || (arrives && !facts.has(FactKind::Expects) && !release))
      release = release.value_or(number);
    return arrives || requests ? PathStep::Found : PathStep::Continues;
  };
  if (!search.follow(read + 1, {}, see, [](uint32_t) {}) || !release)
    return;
  isToldOfFence = true;
  context.sink.report(DiagId::UnfencedAnswer, context.range(*release), context.opcode(*release))
      .notes.push_back({"the answer is read here", context.range(read)});
}

/// Reports an arrival at a barrier object for which the requesting thread waits, if it precedes the read of the answer.
void LaunchControl::freed(uint32_t request) {
  llvm::SmallVector<MemoryPlace, 4> awaited;
  for (const uint32_t number : context.events)
    if (const Action *await =
            body.facts(number).find(FactKind::Awaits, [](const Action &one) { return one.node >= 0; });
        await && !isOwnWait(number, request) && context.analyses.precedes(number, request))
      awaited.push_back(context.places.at(number, static_cast<uint32_t>(await->node), 8));
  for (const uint32_t number : context.events) {
    const Facts &facts = body.facts(number);
    const Action *arrival =
        facts.find(FactKind::Arrives, [](const Action &one) { return one.node >= 0 && !one.groups; });
    if (!arrival || facts.has(FactKind::Expects) || facts.has(FactKind::Async) || number + 1 >= body.size())
      continue;
    const MemoryPlace place = context.places.at(number, static_cast<uint32_t>(arrival->node), 8);
    const auto isSameObject = [&](const MemoryPlace &other) {
      const bool isSameRing = place.root != LocalId::None && place.root == other.root && place.isRing == other.isRing;
      return isSame(place, other) || (isSameRing && beginTogether(place, other));
    };
    if (llvm::none_of(awaited, isSameObject))
      continue;
    std::optional<uint32_t> late;
    PathSearch search(body, context.analyses, {}, isa::Scope::Grid);
    const auto see = [&](uint32_t next, const PathPoint &) {
      const bool isRead = llvm::is_contained(reads, next);
      if (isRead)
        late = next;
      return isRead                                                              ? PathStep::Found
             : body.facts(next).has(FactKind::Awaits) || body.callsUnknown(next) ? PathStep::Ends
                                                                                 : PathStep::Continues;
    };
    if (!search.follow(number + 1, {}, see, [](uint32_t) {}) || !late)
      continue;
    context.sink.report(DiagId::UnreadAnswer, context.range(number), context.opcode(number))
        .notes.push_back({"the answer is read here", context.range(*late)});
    return;
  }
}

/// Returns whether a predicate is derived from the number of the block in its cluster or grid.
static bool isOfBlock(LocalId predicate, const Body &body) {
  constexpr size_t mostFollowed = 12;
  llvm::SmallVector<LocalId, 12> followed = {predicate};
  for (size_t i = 0; i < followed.size(); ++i) {
    if (const isa::SpecialRegister *special = body.special(followed[i]);
        special && special->scope == isa::Scope::Cta && special->enumerates == isa::Enumerated::Nothing)
      return true;
    body.definitions.eachWriter(followed[i], [&](uint32_t writer) {
      for (const LocalId name : body.namesOf(writer))
        if (followed.size() < mostFollowed && !llvm::is_contained(followed, name))
          followed.push_back(name);
    });
  }
  return false;
}

/// Reports a request whose answer arrives in all blocks of the cluster, if only some of them expect its bytes. A block
/// may expect bytes for its peers, as in CUTLASS.
void LaunchControl::expectations(uint32_t request) {
  const DominatorTree &before = context.analyses.dominators(), &after = context.analyses.postDominators();
  const auto isForSomeBlocks = [&](uint32_t number) {
    const BlockId own = graph.blockOf(number);
    if (!after.contains(own))
      return false;
    for (BlockId above = before.parent[indexOf(own)]; above != BlockId::None; above = before.parent[indexOf(above)])
      if (graph.splits(above) && after.contains(above) && !after.dominates(own, above) &&
          body.guard(graph[above].last()) != LocalId::None && isOfBlock(body.guard(graph[above].last()), body))
        return true;
    return body.guard(number) != LocalId::None && isOfBlock(body.guard(number), body);
  };
  std::optional<uint32_t> expectation;
  for (const uint32_t number : context.events)
    if (body.facts(number).has(FactKind::Expects)) {
      if (mayBeForPeers(body.facts(number)) || !isForSomeBlocks(number))
        return;
      expectation = number;
    }
  if (expectation)
    context.sink.report(DiagId::UnexpectedBytes, context.range(request), context.opcode(request))
        .notes.push_back({"only some blocks of the cluster expect them here", context.range(*expectation)});
}

static bool isForCluster(const Body &body, uint32_t request) {
  return body.verdicts[request]->opcode->has(isa::words::multicast_cluster_all);
}

void LaunchControl::check() {
  collect();
  if (queries.empty() && uses.empty())
    return;
  for (const uint32_t query : queries)
    refusals(query);
  if (queries.empty())
    context.sink.report(DiagId::UncheckedAnswer, context.range(uses.front()), context.opcode(uses.front()));
  if (!context.isWhole)
    return;
  for (const uint32_t request : requests) {
    unread(request);
    if (!isToldOfOrder)
      freed(request);
    if (isForCluster(body, request))
      expectations(request);
  }
  const auto isInLoop = [&](uint32_t request) { return context.loopAround(request) != BlockId::None; };
  if (llvm::any_of(requests, isInLoop))
    for (const uint32_t read : reads)
      unfenced(read);
}

void checkLaunchControl(HazardContext &context) {
  const auto isConcerned = [&](uint32_t number) {
    return hasAny<FactKind::Requests, FactKind::Presumes>(context.body.facts(number));
  };
  if (llvm::any_of(context.body.notable, isConcerned))
    LaunchControl(context).check();
}

} // namespace ptxray
