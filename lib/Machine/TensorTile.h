#pragma once
// A tile of a tensor as one copy asks for it, and the rows that it consists of: runs of elements that lie side by side
// both in memory and in shared memory.
#include "Machine/Async.h"
#include "Machine/TensorMap.h"
#include <optional>

namespace ptxray::machine {

struct Tile {
  TensorMap map;
  llvm::SmallVector<int32_t, mostTensorRank> at;         // coordinates
  std::array<uint32_t, mostTensorRank - 2> offsets = {}; // places in the filter, along width, height and depth
  uint32_t halo = 0;                                     // pixels after those of the tile, in the wide modes
  uint64_t offset = 0;                                   // where the tile is in the shared memory of a block
  bool isStore = false, isRows = false;
  Reduction reduction;

  /// Returns how many places of a box a dimension has. Where the map interleaves, a copy takes one slice of the
  /// channels, however many the box has.
  uint32_t count(unsigned dimension) const;
  /// Returns the elements of a row; of a slice where the map interleaves.
  uint32_t rowElements() const;
  uint64_t rowBytes() const; // in shared memory
  uint64_t rows() const;
  /// Returns the distance of two rows: swizzled rows that are short lie as far from each other as full ones.
  uint64_t pitch() const;
  /// Returns the tile reaches so far, from its first row to the end of the last.
  uint64_t bytes() const { return (rows() - 1) * pitch() + rowBytes(); }
  /// Returns the bytes of which a barrier object is told: gaps between unpacked elements do not count.
  uint64_t transferredBytes() const;
};

/// The rows of a tile, in the order in which they lie in shared memory.
class TileRows {
public:
  explicit TileRows(const Tile &tile);
  /// Returns the address of the row, without its innermost coordinate; nothing if it lies outside of the tensor.
  std::optional<uint64_t> place() const;
  /// Returns whether the row is a pixel after those of the tile, and no longer between the corners.
  bool isBeyondBox() const;
  bool next();

private:
  bool nextInBox();
  bool nextPixel();
  void advance();                   // to the next pixel of the tile
  int64_t lastOf(unsigned i) const; // the last coordinate between the corners

  const Tile &tile;
  unsigned first;                                            // the innermost dimension that rows count
  std::array<int64_t, mostTensorRank> now = {}, before = {}; // coordinates; those of the last pixel before a halo
  std::array<uint32_t, mostTensorRank> number = {};
  uint32_t pixel = 0, halo = 0;
};

} // namespace ptxray::machine
