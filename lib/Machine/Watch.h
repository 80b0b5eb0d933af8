#pragma once
// The race detector as an observer: notes the accesses of lanes, and faults at those that race.
#include "Machine/Access.h"
#include "Machine/Observer.h"
#include "Machine/Races.h"

namespace ptxray::machine {

class RaceObserver final : public Observer {
public:
  RaceObserver() : Observer(ObserverSlot::Races, events::Accesses) {}
  void accesses(Warp &warp, const LaneAccess &access) override;
  void ranges(Warp &warp, const RangeAccess &access) override;
  void tensors(Warp &warp, const TensorRange &access) override;
  void matrices(Warp &warp, const Op &op, BlockState &block, const SharedMatrix &matrix, unsigned lane) override;
  void reshapes(GridState &grid, const LaneShape &shape) override;
};

} // namespace ptxray::machine
