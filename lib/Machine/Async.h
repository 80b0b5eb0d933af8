#pragma once
// Asynchronous operations as values: what one reads and writes, and which barrier objects count it when it is done. Who
// decides when an operation happens needs nothing else.
#include "Machine/BarrierObject.h"
#include "Machine/Lower.h"
#include "Machine/Reduction.h"
#include "Machine/TensorMap.h"

namespace ptxray::machine {

/// Bytes that move.
struct Transfer {
  uint8_t *to;
  const uint8_t *from;
  uint32_t bytes;
  bool isFilling = false; // which nothing converts
};
/// Bytes of which a barrier object is told.
struct Completion {
  BlockState *block;
  uint64_t offset; // the place of the object in the shared memory of the block
  uint32_t bytes;
};
/// Says what becomes of numbers on their way.
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
  bool isLoad = false; // it writes shared memory
};
/// Does what belongs to the stage. Returns what is wrong with a barrier object.
std::string perform(const Operation &operation, const Op &op, Warp &warp);

/// A place in the shared memory of the cluster; no block: there is none at the address.
struct SharedPlace {
  BlockState *block = nullptr;
  uint64_t offset = 0;
};
SharedPlace sharedAt(Warp &warp, const AddressOf &address, uint64_t at);

/// A barrier object in the shared memory of the cluster.
struct BarrierAddress {
  AddressOf address;
  bool isKnown = false;
};

/// Payload of a copy in bulk that no formula says, and of a reduction.
struct BulkCopy {
  AddressOf to, from;
  Place size;
  Place blocks;           // a mask: to these blocks of the cluster; none: to where the address leads
  BarrierAddress barrier; // the same in each of these blocks
  Place byteMask;         // which of each 16 bytes
  Place left, right;      // bytes at the ends that are left out
  Reduction reduction;
  bool isFilled = false; // with zeros
};
void copyInBulk(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Payload of a copy between a tensor, which a map describes, and a tile in shared memory.
struct TileCopy {
  AddressOf map, tile;
  llvm::SmallVector<Place, 5> coordinates; // the innermost first
  BarrierAddress barrier;
  Place blocks;
  TensorMode mode = TensorMode::Tiled;
  llvm::SmallVector<Place, 3> images;   // offsets of a filter, or a halo and an offset
  bool isStore = false, isRows = false; // rows: the second coordinate and those after it are of four rows
  bool isPair = false;                  // the barrier object is in either block of a pair
  Reduction reduction;
};
void copyTile(char *registers, const Op &op, uint32_t mask, Warp &warp);

// ---- lowering

/// Returns whether a word of the opcode has this text.
bool hasWord(const Lowered &one, llvm::StringRef text);
/// Is true for a fence that is in one order with all others of its kind: for `membar` too, which says no kind.
bool isSequential(const Lowered &fence);
/// Makes operations of facts about barrier objects and tensor memory. Returns why it cannot be done.
std::string lowerFacts(const Lowered &one, BodyLowering &lowering);

// Named functions of formulas:
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
