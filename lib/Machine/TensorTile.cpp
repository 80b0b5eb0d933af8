#include "Machine/TensorTile.h"

namespace ptxray::machine {

constexpr uint32_t wideGroup = 32,
                   wideGroups = 4; // pixels between two halos in the mode w::128, and number of such groups

static uint64_t bitsInShared(TensorType type) { return isUnpacked(type) ? 8 : elementBits(type); }

static uint32_t pixelsOf(const Tile &tile) {
  return tile.map.mode == TensorMode::Wide128 ? wideGroup * wideGroups : tile.map.pixels;
}

uint32_t Tile::count(unsigned dimension) const {
  if (isRows && dimension == 1)
    return 4;
  if (map.interleave != TensorInterleave::None && dimension + 2 == map.rank)
    return 1;
  return (map.box[dimension] + map.steps[dimension] - 1) / map.steps[dimension];
}

uint32_t Tile::rowElements() const {
  if (const unsigned slice = sliceBytes(map))
    return slice * 8 / elementBits(map.type);
  return map.mode == TensorMode::Tiled ? map.box[0] : map.channels;
}

uint64_t Tile::rowBytes() const { return rowElements() * bitsInShared(map.type) / 8; }

uint64_t Tile::pitch() const {
  const bool isSliced = map.interleave != TensorInterleave::None;
  return isSliced ? rowBytes() : std::max<uint64_t>(rowBytes(), swizzleBytes(map.swizzle));
}

uint64_t Tile::transferredBytes() const { return rows() * rowElements() * elementBits(map.type) / 8; }

uint64_t Tile::rows() const {
  if (map.mode != TensorMode::Tiled) {
    const uint32_t halos = map.mode == TensorMode::Wide128 ? wideGroups : 1;
    return pixelsOf(*this) + uint64_t(halos) * halo;
  }
  uint64_t all = 1;
  for (unsigned i = widthOf(map); i < map.rank; ++i)
    all *= count(i);
  return all;
}

TileRows::TileRows(const Tile &tile) : tile(tile), first(widthOf(tile.map)) {
  for (unsigned i = first; i < tile.map.rank; ++i)
    now[i] = tile.at[i];
  if (tile.map.mode != TensorMode::Tiled)
    for (unsigned i = 0; i + 2 < tile.map.rank; ++i)
      now[first + i] += tile.offsets[i];
}

std::optional<uint64_t> TileRows::place() const {
  const TensorMap &map = tile.map;
  uint64_t result = map.address;
  for (unsigned i = first; i < map.rank; ++i) {
    if (now[i] < 0 || static_cast<uint64_t>(now[i]) >= map.extents[i])
      return std::nullopt;
    result += static_cast<uint64_t>(now[i]) * (i ? map.strides[i - 1] : sliceBytes(map));
  }
  return result;
}

bool TileRows::next() { return tile.map.mode == TensorMode::Tiled ? nextInBox() : nextPixel(); }

bool TileRows::nextInBox() {
  for (unsigned i = first; i < tile.map.rank; ++i) {
    const bool isMore = ++number[i] < tile.count(i);
    if (!isMore)
      number[i] = 0;
    now[i] = tile.isRows ? tile.at[1 + number[i]] : int64_t(tile.at[i]) + int64_t(number[i]) * tile.map.steps[i];
    if (isMore)
      return true;
  }
  return false;
}

void TileRows::advance() {
  const TensorMap &map = tile.map;
  const unsigned dimensions = map.mode == TensorMode::Im2col ? map.rank - 2 : 1;
  for (unsigned i = 0; i < dimensions; ++i) {
    now[first + i] += map.steps[first + i];
    if (now[first + i] <= lastOf(i))
      return;
    now[first + i] = int64_t(map.lower[i]) + tile.offsets[i];
  }
  now[map.rank - 1] += map.steps[map.rank - 1];
}

int64_t TileRows::lastOf(unsigned i) const {
  return static_cast<int64_t>(tile.map.extents[first + i]) - 1 + tile.map.upper[i] + tile.offsets[i];
}

bool TileRows::isBeyondBox() const { return halo && now[first] > lastOf(0); }

bool TileRows::nextPixel() {
  const uint32_t group = tile.map.mode == TensorMode::Wide128 ? wideGroup : tile.map.pixels;
  if (halo < tile.halo && (pixel + 1) % group == 0) { // at the end of a group
    if (halo++ == 0)
      before = now;
    now[first] += tile.map.steps[first];
    return true;
  }
  if (halo)
    now = before;
  halo = 0;
  if (++pixel == pixelsOf(tile))
    return false;
  advance();
  return true;
}

} // namespace ptxray::machine
