#pragma once
// The analyses of one body, which several rules share. Each is computed on first use.
#include "Flow/BlockShape.h"
#include "Flow/Budget.h"
#include "Flow/Dominators.h"
#include <memory>
#include <optional>

namespace ptxray {

class AddressOrigins;
class Sharing;
class Values;

class Analyses {
public:
  Analyses(const Body &body, const ModuleState &module);
  ~Analyses();

  /// Returns whether label lists create too many paths. If so, the analyses below must not be used.
  bool isTangled() { return tangled ? *tangled : tangled.emplace(ptxray::isTangled(body)); }
  Budget &budget() { return spent; }
  const Availability &availability() const { return module.availability; }
  const Graph &graph() { return kept ? *kept : kept.emplace(graphOf(body, module)); }
  const DominatorTree &dominators() { return tree ? *tree : tree.emplace(dominatorsOf(graph())); }
  const Loops &loops() { return forest ? *forest : forest.emplace(loopsOf(graph())); }
  const DominatorTree &postDominators() { return after ? *after : after.emplace(postDominatorsOf(graph())); }
  const BlockShape &blockShape() { return shape ? *shape : shape.emplace(blockShapeOf(body)); }
  /// Returns the possible values of registers in any thread.
  Values &values();
  /// Returns the origins of addresses.
  AddressOrigins &addresses();
  /// Returns the analysis that determines which threads have the same value in a register.
  Sharing &sharing();
  /// Returns, for each block, its nearest strict dominator whose branch depends on the thread's number; None if there
  /// is none.
  const std::vector<BlockId> &threadChoices();
  /// Returns whether every path to the second instruction executes the first.
  bool precedes(uint32_t first, uint32_t second);

private:
  const Body &body;
  const ModuleState &module;
  Budget spent;
  std::optional<bool> tangled;
  std::optional<Graph> kept;
  std::optional<DominatorTree> tree, after;
  std::optional<Loops> forest;
  std::optional<BlockShape> shape;
  std::unique_ptr<Values> numbers;
  std::unique_ptr<AddressOrigins> origins;
  std::unique_ptr<Sharing> shared;
  std::optional<std::vector<BlockId>> choices;
};

} // namespace ptxray
