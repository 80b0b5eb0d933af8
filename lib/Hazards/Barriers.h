#pragma once
// The uses of barrier objects in a body, and where they are initialised.
#include "Hazards/Hazards.h"

namespace ptxray {

struct BarrierUse {
  uint32_t number;
  FactKind kind;
  MemoryPlace barrier;
  int which, amount, condition; // operand nodes
  uint16_t groups;              // for an arrival: the groups of operations that it makes the barrier track
};

inline bool isInit(FactKind kind) { return kind == FactKind::Inits; }

/// Returns whether the barrier object of the instruction may be in another block of the cluster.
bool mayBeForPeers(const Facts &facts);

/// Finds which instructions are reachable from which others, and caches the results.
class Reachability {
public:
  explicit Reachability(const Graph &graph) : graph(graph) {}
  bool leads(uint32_t first, uint32_t second);

private:
  const Graph &graph;
  llvm::DenseMap<uint32_t, FoundBlocks> reachedFrom; // blocks that are reachable from each block
};

/// Returns the uses, in ascending order, of barriers that other code may initialise, although neither an earlier
/// instruction nor another thread does.
std::vector<uint32_t> usesWithoutInit(HazardContext &context, llvm::ArrayRef<BarrierUse> uses,
                                      Reachability &reachability);
/// Reports initialisations that may not be visible to other blocks of the cluster.
void checkOrderOfInits(HazardContext &context);

} // namespace ptxray
