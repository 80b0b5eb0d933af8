#pragma once
// A tile of a tensor as one copy requests it, and its rows: runs of elements that are contiguous both in global and in
// shared memory.
#include "Machine/Async.h"
#include "Machine/TensorMap.h"
#include <optional>

namespace ptxray::machine {

struct Tile {
  TensorMap map;
  llvm::SmallVector<int32_t, mostTensorRank> at;         // coordinates
  std::array<uint32_t, mostTensorRank - 2> offsets = {}; // offsets in the filter, along width, height and depth
  uint32_t halo = 0;                                     // pixels after those of the tile, for the wide modes
  uint64_t offset = 0;                                   // offset of the tile in the block's shared memory
  bool isStore = false, isRows = false;
  Reduction reduction;

  /// Returns the size of a dimension of the box. With interleaving, a copy selects one slice of the channels,
  /// regardless of the box.
  uint32_t count(unsigned dimension) const;
  /// Returns the number of elements in a row or, with interleaving, in a slice.
  uint32_t rowElements() const;
  uint64_t rowBytes() const; // in shared memory
  uint64_t rows() const;
  /// Returns the distance between rows. Short swizzled rows have the same distance as full ones.
  uint64_t pitch() const;
  /// Returns the size of the tile, from its first row to the end of the last.
  uint64_t bytes() const { return (rows() - 1) * pitch() + rowBytes(); }
  /// Returns the number of bytes that an mbarrier object counts. Gaps between unpacked elements do not count.
  uint64_t transferredBytes() const;
};

/// The rows of a tile, in the order of shared memory.
class TileRows {
public:
  explicit TileRows(const Tile &tile);
  /// Returns the address of the row, without its innermost coordinate. Returns nothing if it is outside of the tensor.
  std::optional<uint64_t> place() const;
  /// Returns whether the row is a halo pixel beyond the corners.
  bool isBeyondBox() const;
  bool next();

private:
  bool nextInBox();
  bool nextPixel();
  void advance();                   // moves to the next pixel of the tile
  int64_t lastOf(unsigned i) const; // the last coordinate between the corners

  const Tile &tile;
  unsigned first; // the innermost dimension that rows count
  std::array<int64_t, mostTensorRank> now = {},
                                      before = {}; // current coordinates, and those of the last pixel before a halo
  std::array<uint32_t, mostTensorRank> number = {};
  uint32_t pixel = 0, halo = 0;
};

} // namespace ptxray::machine
