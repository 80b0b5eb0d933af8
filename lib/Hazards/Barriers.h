#pragma once
// The uses of barrier objects in a body, and what is known of their initialisation.
#include "Hazards/Hazards.h"

namespace ptxray {

struct BarrierUse {
  uint32_t number;
  FactKind kind;
  MemoryPlace barrier;
  int which, amount, condition; // nodes
  uint16_t groups;              // of an arrival: it tells of operations of these
};

inline bool isInit(FactKind kind) { return kind == FactKind::Inits; }

/// Returns whether the barrier object of the instruction may be in another block of the cluster.
bool mayBeForPeers(const Facts &facts);

/// Finds which instructions control can reach from which, and remembers what it found.
class Reachability {
public:
  explicit Reachability(const Graph &graph) : graph(graph) {}
  bool leads(uint32_t first, uint32_t second);

private:
  const Graph &graph;
  llvm::DenseMap<uint32_t, FoundBlocks> reachedFrom; // the blocks that each block leads to
};

/// Returns the uses, ascending, of barriers that other code may initialise, but nothing that leads to these uses does,
/// nor do other threads.
std::vector<uint32_t> usesWithoutInit(HazardContext &context, llvm::ArrayRef<BarrierUse> uses,
                                      Reachability &reachability);
/// Reports initialisations that other blocks of the cluster may not see.
void checkOrderOfInits(HazardContext &context);

} // namespace ptxray
