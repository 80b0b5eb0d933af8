// uninitialised-barrier (if no initialisation is valid on the path taken), and unordered-init.
#include "Hazards/Barriers.h"
#include "Hazards/Cures.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Module/KernelHead.h"

namespace ptxray {

// ---- on the path
namespace {

/// For each initialisation, whether it is valid on some path to a point, because its barrier has not been invalidated.
struct LiveInits : WorseLevels {
  enum Level : uint8_t { Live, Gone };
  struct Init {
    uint32_t number;
    MemoryPlace barrier;
  };
  std::vector<Init> inits, invalidations;
  std::vector<uint32_t> places;

  size_t levels() const { return inits.size(); }
  Levels start() const { return Levels::all(levels(), Gone); }
  void step(Levels &state, uint32_t number) const {
    for (const auto &[i, init] : llvm::enumerate(inits))
      if (init.number == number)
        state.of[i] = Live;
    for (const Init &end : invalidations)
      if (end.number == number)
        for (const auto &[i, init] : llvm::enumerate(inits))
          if (init.barrier.isVariable && isSame(init.barrier, end.barrier))
            state.of[i] = Gone;
  }
};

} // namespace

std::vector<uint32_t> usesWithoutInit(HazardContext &context, llvm::ArrayRef<BarrierUse> uses,
                                      Reachability &reachability) {
  LiveInits analysis;
  for (const BarrierUse &use : uses) {
    analysis.places.push_back(use.number);
    if (isInit(use.kind))
      analysis.inits.push_back({use.number, use.barrier});
    else if (use.kind == FactKind::Invalidates)
      analysis.invalidations.push_back({use.number, use.barrier});
  }
  if (analysis.inits.empty() ||
      !context.analyses.budget().allows(Limit::BarrierInits,
                                        std::max(analysis.inits.size(), analysis.invalidations.size())))
    return {};
  analysis.places.erase(std::unique(analysis.places.begin(), analysis.places.end()), analysis.places.end());
  std::vector<uint32_t> found;
  Solution(context.analyses, analysis).replay([&](uint32_t number, const Levels &state) {
    for (const BarrierUse &use : uses) {
      if (use.number != number || use.barrier.root == LocalId::None || use.barrier.isRemote)
        continue;
      bool isLive = false, isNear = false; // an initialisation by the same threads comes before or after the use
      for (const auto &[i, init] : llvm::enumerate(analysis.inits)) {
        if (isElsewhere(init.barrier, use.barrier))
          continue;
        isLive |= state.of[i] == LiveInits::Live || context.areOtherThreads(init.number, number);
        isNear |= reachability.leads(init.number, number) || reachability.leads(number, init.number);
      }
      if (!isLive && isNear)
        found.push_back(number);
    }
  });
  llvm::sort(found);
  return found;
}

// ---- seen by the cluster
namespace {

/// For each initialisation, whether an instruction has ordered it for the cluster.
struct UnorderedInits : WorseLevels {
  enum Level : uint8_t { Unordered, Ordered, NotStarted };
  const Body &body;
  std::vector<uint32_t> inits, places;

  size_t levels() const { return inits.size(); }
  Levels start() const { return Levels::all(levels(), NotStarted); }
  void step(Levels &state, uint32_t number) const {
    const auto init = llvm::lower_bound(inits, number);
    if (init != inits.end() && *init == number)
      state.of[init - inits.begin()] = Unordered;
    else if (isOrder(number))
      for (uint8_t &level : state.of)
        if (level == Unordered)
          level = Ordered;
  }
  bool isOrder(uint32_t number) const {
    const Facts &facts = body.facts(number);
    return body.callsUnknown(number) || facts.has(FactKind::Releases) || orders(facts, isa::Ordered::Barriers);
  }
};

} // namespace

static bool isClusterArrival(const Facts &facts) {
  return !facts.has(FactKind::Releases) && facts.find(FactKind::Arrives, [](const Action &action) {
    return action.node < 0 && action.scope() == isa::Scope::Cluster;
  });
}

static bool isOfCluster(const Body &body) {
  return llvm::any_of(headOf(*body.ast, *body.function).requiredCluster, [](uint32_t blocks) { return blocks > 1; });
}

void checkOrderOfInits(HazardContext &context) {
  const Body &body = context.body;
  UnorderedInits analysis{{}, body, {}, {}};
  bool arrives = false;
  bool hasPeers = isOfCluster(body); // other blocks of the cluster use the barriers
  for (const uint32_t number : context.events) {
    const Facts &facts = body.facts(number);
    hasPeers |= facts.ctas == 2 || (facts.has(FactKind::Arrives) && mayBeForPeers(facts));
    const bool isInit = facts.has(FactKind::Inits);
    if (isInit && analysis.inits.size() < 256)
      analysis.inits.push_back(number);
    const bool isArrival = isClusterArrival(facts);
    arrives |= isArrival;
    if (isInit || isArrival || analysis.isOrder(number))
      analysis.places.push_back(number);
  }
  if (!arrives || !hasPeers || analysis.inits.empty())
    return;
  const Solution solution(context.analyses, analysis);
  bool isTold = false;
  solution.replay([&](uint32_t number, const Levels &state) {
    const auto *unordered = llvm::find(state.of, UnorderedInits::Unordered);
    if (isTold || unordered == state.of.end() || llvm::is_contained(state.of, UnorderedInits::Ordered) ||
        !isClusterArrival(body.facts(number)))
      return;
    isTold = true;
    const uint32_t init = analysis.inits[unordered - state.of.begin()];
    offerInitFence(context.report(DiagId::UnorderedInit, number, init, "initialised here"), context, init);
  });
}

} // namespace ptxray
