#pragma once
// An observer that counts executed instructions and their costs.
#include "Machine/Counts.h"
#include "Machine/Observer.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <map>
#include <string>
#include <vector>

namespace ptxray::machine {

/// The costs of an access with constant lane distances, indexed by the alignment of the first lane's address.
struct KnownCost {
  struct InShared {
    traffic::Wavefronts passes;
    uint64_t lowest = ~uint64_t(0); // the lowest address that may have had the maximum cost
  };
  std::array<InShared, traffic::alignmentOfPasses> inShared;
  std::array<traffic::Pieces, traffic::alignmentOfPieces / 4> inGlobal; // costs at multiples of 4 bytes
  uint32_t version = 0;                                                 // version of the lane distances
};

class CountersObserver final : public Observer {
public:
  CountersObserver() : Observer(ObserverSlot::Counters, events::Blocks | events::Guards | events::Issues) {}

  void merge(Observer &other) override;
  /// Adds the counts of each instruction, and a warning for each one that takes more than twice the ideal number of
  /// passes through shared memory.
  void finish(const GridState &grid, Outcome &outcome) override;
  void enterCode(Warp &warp, const FunctionCode &code, const CodeBlock &block) override;
  void guards(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) override;
  void parts(Warp &warp, const FunctionCode &code, uint32_t instruction) override;
  void waits(Warp &warp, const FunctionCode &code, uint32_t instruction) override;
  void asksInVain(Warp &warp, const Op &op, bool isFirst) override;
  void issues(Warp &warp, const IssuedAccess &access) override;
  void transfers(Warp &warp, const Op &op, Amount what, uint64_t amount) override;

private:
  FunctionCounts &countsOfFunction(const FunctionCode &code);
  std::vector<InstructionCounts> &countsOf(const FunctionCode &code) { return countsOfFunction(code).instructions; }
  KnownCost *knownCost(const LaneShape *shape);
  void keepWorst(Warp &warp, const IssuedAccess &access, const traffic::LaneAddresses &lanes, uint32_t passes);
  void countShared(Warp &warp, InstructionCounts &counts, const IssuedAccess &access,
                   const traffic::LaneAddresses &lanes, KnownCost *known);

  std::vector<FunctionCounts> counts;                         // indexed by the number of the function
  std::map<std::pair<uint32_t, uint32_t>, WorstAccess> worst; // keyed by function and instruction
  llvm::DenseMap<const LaneShape *, std::unique_ptr<KnownCost>> costs;
};

} // namespace ptxray::machine
