#pragma once
// The origins of values: for each lane of a register and each byte of memory, the buffers from whose contents the value
// was computed. If no contents affect an address, a guard, a branch or an amount, the verdict of a launch holds for all
// contents.
#include "Machine/LaunchData.h"
#include "Machine/Warp.h"
#include "Observe/Choices.h"
#include "Observe/OriginBytes.h"

namespace ptxray::machine {

/// The origins of the registers of a frame.
struct FrameOrigins : Attached {
  std::vector<LaneOrigins> registers; // indexed by number in `ValueFlows`
  std::array<uint32_t, 64> filled{};  // for each bit of a SlotFilter, the registers that have an origin
  std::map<uint32_t, LaneOrigins>
      chosen; // keyed by branch: the origins that the branch adds to values computed after it
};

/// The origins of the local memory of a warp.
struct LocalOrigins : Attached {
  std::vector<OriginId> of; // `bytes` for each lane
  uint32_t bytes = 0;
};

class OriginObserver final : public Observer {
public:
  explicit OriginObserver(const GridState &grid);

  void beginCluster(llvm::ArrayRef<BlockState *> cluster, bool isAgain) override;
  void finish(const GridState &grid, Outcome &outcome) override;
  void enterFrame(Warp &warp, Frame &frame, uint32_t lanes) override;
  void hands(Warp &warp, const Passed &from, Frame &source, const Passed &to, Frame &target, uint32_t lanes) override;
  void branches(Warp &warp, uint32_t instruction, Slot guard, uint32_t lanes) override;
  void skips(Warp &warp, const FunctionCode &code, uint32_t instruction) override;
  void leaves(Warp &warp, const FunctionCode &code, const CodeBlock &block, uint32_t lanes) override;
  void before(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) override;
  void accesses(Warp &warp, const LaneAccess &access) override;
  void excuses(Warp &warp, const LaneAccess &access, unsigned lane) override;
  void excuses(Warp &warp, const RangeAccess &access) override;
  void tensors(Warp &warp, const TensorRange &range) override;
  void moves(Warp &warp, const Op &op, llvm::ArrayRef<MovedBytes> parts) override;
  void readsMap(Warp &warp, const Op &op, llvm::ArrayRef<uint8_t> map) override;

private:
  using Decides = Certificate::Decides;
  struct Place {
    const FunctionCode *code = nullptr;
    uint32_t instruction = 0;
  };
  struct Use {
    Place place, loaded;
    Decides decides = Decides::Address;
  };

  void noteFilled(Frame &frame, uint32_t number, bool was);
  void set(Frame &frame, uint32_t number, unsigned lane, OriginId origin);
  void take(Frame &frame, uint32_t number, uint32_t lanes, const LaneOrigins &values);
  void add(Frame &frame, uint32_t number, uint32_t lanes, OriginId origin);
  OriginId originAt(const Frame &frame, Slot slot, unsigned lane) const;
  OriginId unionOf(const Frame &frame, llvm::ArrayRef<uint32_t> registers, uint32_t lanes);
  void join(LaneOrigins &to, const LaneOrigins &from, uint32_t lanes);
  LaneOrigins joined(const Frame &frame, llvm::ArrayRef<uint32_t> registers, uint32_t lanes);
  void decide(const Place &place, Decides decides, OriginId origin);
  void decideBy(const Frame &frame, const Place &place, Decides decides, llvm::ArrayRef<uint32_t> registers,
                uint32_t lanes);
  void choose(Warp &warp, const Choice &choice, const Place &place, const LaneOrigins &guard, uint32_t lanes);
  void guard(Warp &warp, const Place &place, const ValueFlow &flow, LaneOrigins &values);
  bool loadsAlike(Warp &warp, const LaneAccess &access, const ValueFlow &flow);
  bool storesAlike(Warp &warp, const LaneAccess &access, const LaneOrigins &data);
  void noteLoad(const Place &place, OriginId found);
  void loads(Warp &warp, const LaneAccess &access, const ValueFlow &flow);
  void stores(Warp &warp, const LaneAccess &access, const ValueFlow &flow);
  OriginId *localAt(Warp &warp, unsigned lane, uint64_t offset, uint64_t bytes);
  OriginId readLocal(Warp &warp, unsigned lane, uint64_t offset, uint64_t bytes);

  OriginSets sets;
  OriginBytes bytes;
  OriginId ofSchedule, ofImages;
  OriginId inTensorMemory = 0;
  OriginSets::Bits decided = 0; // buffers whose contents have decided something
  std::array<Use, 64> uses;     // first use of each buffer, indexed by bit
  std::array<Place, 64> loaded; // last load from each buffer, indexed by bit
  /// The buffers that decide at an instruction, in each of the ways of `Decides`.
  llvm::DenseMap<std::pair<const FunctionCode *, uint32_t>, std::array<OriginSets::Bits, 5>> sites;
  std::optional<Place> vague;     // first instruction with vector registers
  std::optional<Place> unordered; // first atomic operation with a result
  std::map<const FunctionCode *, Choices> choices;
};

} // namespace ptxray::machine
