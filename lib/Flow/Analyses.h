#pragma once
// Several rules about one body ask for the same analyses: each is made when the first rule asks for it.
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

  /// If lists of labels make too many ways, nothing below is asked for.
  bool isTangled() { return tangled ? *tangled : tangled.emplace(ptxray::isTangled(body)); }
  Budget &budget() { return spent; }
  const Availability &availability() const { return module.availability; }
  const Graph &graph() { return kept ? *kept : kept.emplace(graphOf(body, module)); }
  const DominatorTree &dominators() { return tree ? *tree : tree.emplace(dominatorsOf(graph())); }
  const Loops &loops() { return forest ? *forest : forest.emplace(loopsOf(graph())); }
  const DominatorTree &postDominators() { return after ? *after : after.emplace(postDominatorsOf(graph())); }
  const BlockShape &blockShape() { return shape ? *shape : shape.emplace(blockShapeOf(body)); }
  /// Returns the values that registers hold in any thread.
  Values &values();
  /// Returns the origins of addresses.
  AddressOrigins &addresses();
  /// Tells which threads hold the same in a register.
  Sharing &sharing();
  /// Returns, for each block, the nearest dominator above it that branches by the number of the thread; None if there
  /// is none.
  const std::vector<BlockId> &threadChoices();
  /// Returns whether control always passes the first instruction before it reaches the second.
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
