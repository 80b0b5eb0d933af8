#pragma once
// Detects uninitialised registers and bytes. Each byte of shared and local memory has a flag that shows whether it was
// written. A register is uninitialised if it was never written, or was loaded from uninitialised bytes. Its value is
// tracked through instructions whose result certainly depends on it, until it matters: as an address, in a branch, or
// in global memory. A value loaded from global memory may be stored unchanged, because programs also copy the padding
// bytes between elements.
#include "Machine/Observer.h"
#include "Machine/Warp.h"

namespace ptxray::machine {

/// For each byte of a memory, a flag that shows whether it was written. Empty if the flags are not needed.
using Written = std::vector<uint8_t>;
inline constexpr uint8_t guardFlag = 2; // flag of a byte of local memory that accesses must not touch

/// Lanes whose register is uninitialised.
struct UnwrittenLanes {
  uint32_t lanes = 0;
  uint32_t from = noInstruction; // the instruction that first read the value, from memory or from a register
  bool isCopied = false;         // loaded from global memory, and may be stored unchanged
};

/// The uninitialised registers of a frame.
struct UnwrittenRegisters : Attached {
  llvm::SmallDenseMap<Slot, UnwrittenLanes, 4> registers;
  SlotFilter followed = 0; // filter of these registers
};
/// The written bytes in the local memory of a warp, and its unordered loads of bytes that another warp wrote.
struct WrittenLocal : Attached {
  Written flags; // `bytes` for each lane
  uint32_t bytes = 0;
  std::map<uint32_t, DoubtfulLoad> doubts; // keyed by instruction
};
/// The written bytes in the shared memory of a block.
struct WrittenShared : Attached {
  Written flags;
  size_t upTo = 0; // all bytes before this one were written at the last barrier
};

/// Returns the flag of the byte at an address of shared or local memory, or null if there is no flag.
uint8_t *writtenAt(Warp &warp, Space space, uint64_t address, unsigned lane);

/// Tracks the results of a load that is not ordered after the write of its bytes. The race is reported when the value
/// matters. Returns the recorded load, or null if the instruction already has one.
DoubtfulLoad *followDoubt(Warp &warp, const Op &op, uint32_t lanes, const DoubtfulLoad &load);
/// Marks lanes of a register as initialised.
void setWritten(Frame &frame, Slot slot, uint32_t lanes);
/// Returns the lanes of a register that are uninitialised.
uint32_t unwrittenLanes(const Frame &frame, Slot slot);

class UnwrittenObserver final : public Observer {
public:
  /// If `hasFlags` is set, tracks bytes of shared and local memory, and registers from the start of a function. Bytes
  /// of global memory are always tracked (`Memory::addFresh`).
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
