#pragma once
// The race detector as an observer. It records the accesses of lanes and their order, and raises a fault for accesses
// that race.
#include "Machine/Access.h"
#include "Machine/Observer.h"
#include "Observe/GlobalRaces.h"
#include "Observe/Races.h"

namespace ptxray::machine {

class RaceObserver final : public Observer {
public:
  explicit RaceObserver(std::shared_ptr<GlobalShadows> shadows)
      : Observer(ObserverSlot::Races, events::Accesses | events::Order) {
    state.shadows = std::move(shadows);
  }

  void beginCluster(llvm::ArrayRef<BlockState *> cluster, bool isAgain) override;
  bool canBeginAgain(llvm::ArrayRef<BlockState *> cluster) override;
  void beginsAccess(Warp &warp) override;
  void accesses(Warp &warp, const LaneAccess &access) override;
  void ranges(Warp &warp, llvm::ArrayRef<RangeAccess> accesses) override;
  void tensors(Warp &warp, const TensorRange &access) override;
  void matrices(Warp &warp, const Op &op, BlockState &block, const SharedMatrix &matrix, unsigned lane) override;
  void reshapes(GridState &grid, const LaneShape &shape) override;
  void arrives(Warp &warp, uint32_t barrier, uint32_t lanes) override;
  void meets(BlockState &block, uint32_t barrier, llvm::ArrayRef<WaitingAtBarrier> waiting) override;
  // Implemented in FlightRaces.cpp:
  void releases(Warp &warp, uint32_t lanes, uint64_t place, Release how) override;
  void acquires(Warp &warp, uint32_t lanes, uint64_t place) override;
  void fences(Warp &warp, uint32_t lanes, const Fence &fence) override;
  void joins(Warp &warp, uint32_t lanes, bool isBarrier) override;
  void objects(Warp &warp, const Op &op, ObjectUse use, const uint8_t *object, unsigned lane) override;
  void contributes(Warp &warp, const Instruction &at, const uint8_t *object) override;
  void seesPhase(Warp &warp, uint32_t lanes, const uint8_t *object, bool isRelaxed) override;
  void endsPhase(BlockState &block, const uint8_t *object) override;
  void completes(Warp &warp, const Op &op, const GroupUse &use, uint32_t covered, uint32_t lanes) override;
  void arrivesAfter(Warp &warp, const ArrivalAfter &after, llvm::ArrayRef<const uint8_t *> objects,
                    uint32_t lanes) override;
  // Implemented in RegisterWatch.cpp:
  void holds(Warp &warp, const Op &op, const HeldLocals &registers, unsigned engine, uint32_t lanes) override;
  void touches(Warp &warp, const Op &op, const HeldLocals &registers, bool isChange, uint32_t lanes) override;

private:
  RaceGrid state;
};

/// Records the accesses of lanes, and raises a fault if one of them races.
void watchLanes(Warp &warp, const LaneAccess &access);
/// Sets the rule of a race with an asynchronous operation, if there is a specific rule.
void nameRule(Race &race, const Warp &warp, bool isWrite);
/// Releases registers held by operations of an engine, up to the number of completed operations.
void giveBackRegisters(Warp &warp, unsigned engine, uint32_t covered);
void fenceRegisters(Warp &warp);

} // namespace ptxray::machine
