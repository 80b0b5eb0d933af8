#pragma once
// Asynchronous operations as values: the memory that an operation reads and writes, and the mbarrier objects that it
// signals on completion. Scheduling decisions need no further data.
#include "Machine/BarrierObject.h"
#include "Machine/Lower.h"
#include "Machine/Reduction.h"
#include "Machine/TensorMap.h"

namespace ptxray::machine {

/// A contiguous copy.
struct Transfer {
  uint8_t *to;
  const uint8_t *from;
  uint32_t bytes;
  bool isFilling = false; // fill bytes, which are not converted
};
/// Bytes that an mbarrier object counts as complete.
struct Completion {
  BlockState *block;
  uint64_t offset; // offset of the object in the block's shared memory
  uint32_t bytes;
};
/// The conversion of numbers during a copy.
enum class CopyConversion : uint8_t {
  None,
  RoundToTf32,
  PackSixBits // 16 bytes become 12
};
struct Operation {
  std::vector<Transfer> transfers;
  Reduction reduction;
  CopyConversion conversion = CopyConversion::None;
  llvm::SmallVector<Completion, 1> completions;
  bool isLoad = false; // writes to shared memory
};
/// Performs the current stage of the operation. Returns the problem with an mbarrier object, or an empty string.
std::string perform(const Operation &operation, const Op &op, Warp &warp);

/// A location in the shared memory of the cluster; `block` is null if the address is invalid.
struct SharedPlace {
  BlockState *block = nullptr;
  uint64_t offset = 0;
};
SharedPlace sharedAt(Warp &warp, const AddressOf &address, uint64_t at);

/// An mbarrier object in the shared memory of the cluster.
struct BarrierAddress {
  AddressOf address;
  bool isKnown = false;
};

/// Payload of a bulk copy that no formula describes, or of a reduction.
struct BulkCopy {
  AddressOf to, from;
  Place size;
  Place blocks; // mask of the destination blocks in the cluster; if it is no register, the address selects the block
  BarrierAddress barrier; // located at the same offset in each of these blocks
  Place byteMask;         // selects bytes within each 16 bytes
  Place left, right;      // bytes at the ends that are not copied
  Reduction reduction;
  bool isFilled = false; // writes zeros instead of the source
};
void copyInBulk(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Payload of a copy between a tensor, which a tensor map describes, and a tile in shared memory.
struct TileCopy {
  AddressOf map, tile;
  llvm::SmallVector<Place, 5> coordinates; // innermost first
  BarrierAddress barrier;
  Place blocks;
  TensorMode mode = TensorMode::Tiled;
  llvm::SmallVector<Place, 3> images;   // offsets in a filter, or a halo and an offset
  bool isStore = false, isRows = false; // rows: the coordinates from the second one specify four rows
  bool isPair = false;                  // the mbarrier object may be in either block of a pair
  Reduction reduction;
};
void copyTile(char *registers, const Op &op, uint32_t mask, Warp &warp);

// ---- lowering

/// Returns whether the opcode contains the qualifier `text`.
bool hasWord(const Lowered &one, llvm::StringRef text);
/// Returns whether a fence is sequentially consistent. `membar`, which has no qualifier for it, is.
bool isSequential(const Lowered &fence);
/// Generates operations for facts about mbarrier objects and tensor memory. Returns the problem, or an empty string.
std::string lowerFacts(const Lowered &one, BodyLowering &lowering);

// Handlers of named functions in formulas:
bool copyToEachBlock(const Lowered &one, BodyLowering &lowering);
bool copyMasked(const Lowered &one, BodyLowering &lowering);
bool reduceInBulk(const Lowered &one, BodyLowering &lowering);
bool fillWithZeros(const Lowered &one, BodyLowering &lowering);
bool cancelNothing(const Lowered &one, BodyLowering &lowering);
bool nothingCanceled(const Lowered &one, BodyLowering &lowering);
bool loadTile(const Lowered &one, BodyLowering &lowering);
bool storeTile(const Lowered &one, BodyLowering &lowering);
bool replaceInTensorMap(const Lowered &one, BodyLowering &lowering); // TensorReplace.cpp
bool pendingArrivals(const Lowered &one, BodyLowering &lowering);

} // namespace ptxray::machine
