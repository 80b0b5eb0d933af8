#pragma once
// Uninitialised registers and bytes. Each byte of shared and local memory has a flag that says whether it was written.
// A register that was never written, or was loaded from uninitialised bytes, is followed through instructions whose
// result certainly depends on it, until the value matters: as an address, in a branch, or in global memory. A value
// loaded from global memory may be stored unchanged, since programs also copy the bytes between elements.
#include "Machine/Observer.h"
#include "Machine/Warp.h"

namespace ptxray::machine {

/// A flag for each byte of a memory: whether it was written. Empty if these are not wanted.
using Written = std::vector<uint8_t>;
inline constexpr uint8_t guardFlag = 2; // of a byte of local memory that no access may touch

/// Lanes whose register is uninitialised.
struct UnwrittenLanes {
  uint32_t lanes = 0;
  uint32_t from = noInstruction; // the instruction that read the value first, from memory or from a register
  bool isCopied = false;         // loaded from global memory, and may be stored again
};

/// The uninitialised registers of a frame.
struct UnwrittenRegisters : Attached {
  llvm::SmallDenseMap<Slot, UnwrittenLanes, 4> registers;
  SlotFilter followed = 0; // of these registers
};
/// The written bytes of the local memory of a warp, and its loads of bytes that another warp wrote without an order.
struct WrittenLocal : Attached {
  Written flags; // of each lane `bytes`
  uint32_t bytes = 0;
  std::map<uint32_t, DoubtfulLoad> doubts; // by instruction
};
/// The written bytes of the shared memory of a block.
struct WrittenShared : Attached {
  Written flags;
  size_t upTo = 0; // all bytes before this one were written, at a barrier
};

/// Returns the flag of the byte at an address of shared or local memory, or null if it has none.
uint8_t *writtenAt(Warp &warp, Space space, uint64_t address, unsigned lane);

/// Follows the results of a load that is not ordered with the write of what it read: the race is reported where the
/// value matters. Returns the load if the instruction has none yet, or null.
DoubtfulLoad *followDoubt(Warp &warp, const Op &op, uint32_t lanes, const DoubtfulLoad &load);
/// Makes lanes of a register initialised.
void setWritten(Frame &frame, Slot slot, uint32_t lanes);
/// Returns the lanes of a register that are uninitialised.
uint32_t unwrittenLanes(const Frame &frame, Slot slot);

class UnwrittenObserver final : public Observer {
public:
  /// With `hasFlags`, bytes of shared and local memory are followed, and registers from the begin of a function on.
  /// Bytes of global memory are followed in any case (`Memory::addFresh`).
  explicit UnwrittenObserver(bool hasFlags)
      : Observer(ObserverSlot::Unwritten, events::Registers | events::Accesses |
                                              (hasFlags ? events::Frames | events::Writes | events::Order : 0)),
        hasFlags(hasFlags) {}

  void beginCluster(llvm::ArrayRef<BlockState *> cluster, bool isAgain) override;
  void enterFrame(Warp &warp, Frame &frame, uint32_t lanes) override;
  void passes(Warp &warp, unsigned lane, std::optional<uint64_t> from, uint64_t to, uint64_t count,
              uint64_t bytes) override;
  void growsStack(Warp &warp, unsigned lane, uint64_t begin, uint64_t bytes) override;
  void branches(Warp &warp, uint32_t instruction, Slot guard, uint32_t lanes) override;
  void before(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) override;
  void accesses(Warp &warp, const LaneAccess &access) override;
  void ranges(Warp &warp, llvm::ArrayRef<RangeAccess> accesses) override;
  void writes(Warp &warp, BlockState *owner, uint64_t offset, uint64_t bytes, unsigned lane) override;
  bool isGuarded(Warp &warp, uint64_t offset, uint64_t bytes, unsigned lane) override;
  void meets(BlockState &block, uint32_t barrier, llvm::ArrayRef<WaitingAtBarrier> waiting) override;

private:
  const bool hasFlags;
};

} // namespace ptxray::machine
