// Copies between tensors that maps describe and tiles in shared memory.
#include "Isa/Words.h"
#include "Layout/Layout.h"
#include "Machine/Async.h"
#include "Machine/Flight.h"
#include "Machine/Grid.h"
#include "Machine/TensorMap.h"
#include <cstring>

namespace ptxray::machine {

namespace {

/// One copy of one lane.
struct Tile {
  TensorMap map;
  llvm::SmallVector<int32_t, 5> at; // coordinates
  uint64_t offset = 0;              // where the tile is in the shared memory of a block
  bool isStore = false, isRows = false;
  Reduction reduction;

  uint64_t elementBytes() const { return elementBits(map.type) / 8; }
  uint64_t rowBytes() const { return map.box[0] * elementBytes(); }
  /// How many places of the tile a dimension has.
  uint32_t count(unsigned dimension) const {
    return isRows && dimension == 1 ? 4 : (map.box[dimension] + map.steps[dimension] - 1) / map.steps[dimension];
  }
  uint64_t bytes() const {
    uint64_t rows = 1;
    for (unsigned i = 1; i < map.rank; ++i)
      rows *= count(i);
    return rows * rowBytes();
  }
};

std::optional<layout::Swizzle> swizzleOf(const TensorMap &map) {
  switch (map.swizzle) {
  case TensorSwizzle::None: return layout::Swizzle{0, 4, 3};
  case TensorSwizzle::By32: return layout::Swizzle{1, 4, 3};
  case TensorSwizzle::By64: return layout::Swizzle{2, 4, 3};
  case TensorSwizzle::By128:
    switch (map.atom) {
    case SwizzleAtom::By16: return layout::Swizzle{3, 4, 3};
    case SwizzleAtom::By32: return layout::Swizzle{2, 5, 2};
    case SwizzleAtom::By64: return layout::Swizzle{1, 6, 1};
    default: return {};
    }
  default: return {};
  }
}

/// What cannot be executed yet, in words.
std::string missing(const Tile &tile) {
  const TensorMap &map = tile.map;
  if (std::string problem = findProblem(map); !problem.empty())
    return "a tensor map of which " + problem;
  if (map.interleave != TensorInterleave::None)
    return "a tensor map that interleaves";
  if (!swizzleOf(map))
    return "a tensor map with this swizzle";
  switch (map.type) {
  case TensorType::F32Ftz:
  case TensorType::Tf32:
  case TensorType::Tf32Ftz: return "a tensor map that changes the numbers that it copies";
  case TensorType::B4x16:
  case TensorType::B4x16P64:
  case TensorType::B6x16P32: return "a tensor map of packed elements";
  default: break;
  }
  if (tile.at.size() != (tile.isRows ? 5 : map.rank) || (tile.isRows && map.rank != 2))
    return "a tensor map with another number of dimensions than the instruction";
  return "";
}

std::optional<ElementType> typeOf(TensorType type) {
  using Kind = ElementType::Kind;
  switch (type) {
  case TensorType::U8: return ElementType{Kind::Unsigned, 8, 1, nullptr};
  case TensorType::U16: return ElementType{Kind::Unsigned, 16, 1, nullptr};
  case TensorType::U32: return ElementType{Kind::Unsigned, 32, 1, nullptr};
  case TensorType::S32: return ElementType{Kind::Signed, 32, 1, nullptr};
  case TensorType::U64: return ElementType{Kind::Unsigned, 64, 1, nullptr};
  case TensorType::S64: return ElementType{Kind::Signed, 64, 1, nullptr};
  case TensorType::F16: return ElementType{Kind::Float, 16, 1, &numbers::f16};
  case TensorType::Bf16: return ElementType{Kind::Float, 16, 1, &numbers::bf16};
  case TensorType::F32: return ElementType{Kind::Float, 32, 1, &numbers::f32};
  case TensorType::F64: return ElementType{Kind::Float, 64, 1, &numbers::f64};
  default: return {};
  }
}

/// What fills elements outside of the tensor: zeros, or the NaN of the type.
const uint8_t *filling(const TensorMap &map) {
  static constexpr auto made = [] {
    std::array<std::array<uint8_t, 16>, 4> patterns{};
    for (size_t kind = 1; kind < 4; ++kind)
      for (size_t i = 0; i < 16; ++i)
        patterns[kind][i] = (i + 1) % (size_t(1) << kind) == 0 ? 0x7f : 0xff;
    return patterns;
  }();
  const unsigned bits = elementBits(map.type);
  return made[!map.fillsWithNan ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3].data();
}

/// The rows of a tile, one after the other.
class RowCounter {
public:
  explicit RowCounter(const Tile &tile) : tile(tile) {}
  /// The address of the row, without its innermost coordinate; nothing if it lies outside of the tensor.
  std::optional<uint64_t> place() const {
    uint64_t result = tile.map.address;
    for (unsigned i = 1; i < tile.map.rank; ++i) {
      const int64_t at =
          tile.isRows ? tile.at[1 + number[1]] : int64_t(tile.at[i]) + int64_t(number[i]) * tile.map.steps[i];
      if (at < 0 || uint64_t(at) >= tile.map.extents[i])
        return std::nullopt;
      result += uint64_t(at) * tile.map.strides[i - 1];
    }
    return result;
  }
  bool next() {
    for (unsigned i = 1; i < tile.map.rank; ++i) {
      if (++number[i] < tile.count(i))
        return true;
      number[i] = 0;
    }
    return false;
  }

private:
  const Tile &tile;
  std::array<uint32_t, mostTensorRank> number = {};
};

/// Makes the transfers of a tile; each lies within 16 bytes of shared memory if it is swizzled.
class TileTransfers {
public:
  TileTransfers(const Tile &tile, BlockState &block, const Memory &memory, Operation &operation)
      : tile(tile), block(block), memory(memory), operation(operation), swizzle(*swizzleOf(tile.map)) {}

  /// Returns an address of the tensor that leads nowhere; 0: all is well.
  uint64_t make() {
    const int64_t first = tile.at[0], extent = static_cast<int64_t>(tile.map.extents[0]);
    const int64_t begin = std::clamp<int64_t>(-first, 0, tile.map.box[0]);
    const int64_t end = std::clamp<int64_t>(extent - first, begin, tile.map.box[0]);
    const auto size = static_cast<int64_t>(tile.elementBytes());
    RowCounter rows(tile);
    uint64_t offset = tile.offset;
    do {
      const std::optional<uint64_t> place = rows.place();
      if (!place || begin == end)
        fill(offset, tile.rowBytes());
      else {
        const uint64_t address = *place + static_cast<uint64_t>((first + begin) * size);
        const auto bytes = static_cast<uint64_t>((end - begin) * size);
        const Allocation *found = memory.find(address);
        if (!found || !found->contains(address, bytes))
          return address;
        fill(offset, static_cast<uint64_t>(begin * size));
        move(offset + static_cast<uint64_t>(begin * size), found->at(address), bytes);
        fill(offset + static_cast<uint64_t>(end * size), tile.rowBytes() - static_cast<uint64_t>(end * size));
      }
      offset += tile.rowBytes();
    } while (rows.next());
    return 0;
  }

private:
  uint64_t pieceAt(uint64_t offset, uint64_t bytes) const {
    return swizzle.bits ? std::min<uint64_t>(bytes, 16 - offset % 16) : bytes;
  }
  uint8_t *sharedAt(uint64_t offset) const { return block.shared.data() + swizzle(static_cast<uint32_t>(offset)); }
  void fill(uint64_t offset, uint64_t bytes) {
    if (tile.isStore)
      return;
    const uint8_t *with = filling(tile.map);
    while (bytes) {
      const uint64_t piece = std::min<uint64_t>(bytes, 16 - offset % 16);
      operation.transfers.push_back({sharedAt(offset), with + offset % 16, static_cast<uint32_t>(piece)});
      offset += piece;
      bytes -= piece;
    }
  }
  void move(uint64_t offset, uint8_t *memory, uint64_t bytes) {
    while (bytes) {
      const uint64_t piece = pieceAt(offset, bytes);
      uint8_t *shared = sharedAt(offset);
      operation.transfers.push_back(
          {tile.isStore ? memory : shared, tile.isStore ? shared : memory, static_cast<uint32_t>(piece)});
      offset += piece;
      memory += piece;
      bytes -= piece;
    }
  }

  const Tile &tile;
  BlockState &block;
  const Memory &memory;
  Operation &operation;
  const layout::Swizzle swizzle;
};

/// The copy as a lane asks for it; `problem` says why it cannot be done, and is empty after a fault.
std::optional<Tile> tileOf(const TileCopy &copy, unsigned lane, const char *registers, const Op &op, Warp &warp,
                           std::string &problem) {
  const uint64_t at = addressIn(registers, copy.map, lane);
  const Lookup found = look(warp, copy.map.space, at, tensorMapBytes, lane, false);
  if (!found.bytes || at % tensorMapAlignment) {
    report(warp, op, found.bytes ? AccessFault::Misaligned : found.fault, copy.map, at, tensorMapBytes, false, lane);
    return {};
  }
  uint8_t bytes[tensorMapBytes];
  std::memcpy(bytes, found.bytes, sizeof bytes);
  const std::optional<TensorMap> map = decodeTensorMap(bytes);
  if (!map) {
    problem = "memory that holds no tensor map";
    return {};
  }
  Tile tile;
  tile.map = *map;
  tile.isStore = copy.isStore;
  tile.isRows = copy.isRows;
  tile.reduction = copy.reduction;
  if (const std::optional<ElementType> type = typeOf(map->type)) {
    tile.reduction.type = *type;
    tile.reduction.flushes = map->type == TensorType::F32;
  }
  for (const Place &place : copy.coordinates)
    tile.at.push_back(static_cast<int32_t>(addressIn(registers, {place, 0}, lane)));
  problem = missing(tile);
  return problem.empty() ? std::optional(tile) : std::nullopt;
}

/// Copies to or from the shared memory of one block. Returns whether it could.
bool copyWith(Tile &tile, const SharedPlace &place, const TileCopy &copy, uint64_t address, unsigned lane, const Op &op,
              Warp &warp, Operation &operation) {
  constexpr uint64_t alignment = 128;
  tile.offset = place.offset;
  const bool isInside = place.block && place.offset + tile.bytes() <= place.block->shared.size();
  if (!isInside || place.offset % alignment) {
    report(warp, op, isInside ? AccessFault::Misaligned : AccessFault::OutOfBounds, copy.tile, address, tile.bytes(),
           !copy.isStore, lane);
    return false;
  }
  watchShared(warp, op, *place.block, place.offset, tile.bytes(), !copy.isStore, lane);
  if (const uint64_t outside = TileTransfers(tile, *place.block, warp.block->grid->memory, operation).make()) {
    report(warp, op, AccessFault::OutOfBounds, {{}, 0, Space::Global}, outside, tile.rowBytes(), copy.isStore, lane);
    return false;
  }
  return true;
}

void copyTileOfLane(const TileCopy &copy, unsigned lane, const char *registers, const Op &op, Warp &warp) {
  std::string problem;
  std::optional<Tile> tile = tileOf(copy, lane, registers, op, warp, problem);
  if (!tile)
    return problem.empty() ? void() : refuse(warp, op, lane, std::move(problem));
  Operation operation;
  operation.isLoad = !copy.isStore;
  if (copy.isStore)
    operation.reduction = tile->reduction;
  const uint64_t address = addressIn(registers, copy.tile, lane);
  const SharedPlace place = sharedAt(warp, copy.tile, address);
  SharedPlace object;
  if (copy.barrier.isKnown)
    object = sharedAt(warp, copy.barrier.address, addressIn(registers, copy.barrier.address, lane));
  if (copy.barrier.isKnown && !object.block)
    return reportUndefined(warp, op, lane, "a barrier object that does not lie in shared memory");
  const auto bytes = static_cast<uint32_t>(tile->bytes());
  if (warp.isCounted)
    countBulk(warp, op, bytes);
  if (!copy.blocks.bits) {
    if (!copyWith(*tile, place, copy, address, lane, op, warp, operation))
      return;
    if (object.block)
      operation.completions.push_back({object.block, object.offset, bytes});
  }
  const uint64_t blocks = numberIn(registers, copy.blocks, lane);
  for (uint32_t rank = 0; rank < warp.block->cluster.size(); ++rank) {
    if (!(blocks >> rank & 1))
      continue;
    BlockState *block = warp.block->cluster[rank];
    const uint32_t counting = copy.isPair ? (rank & ~1u) | (object.block->rank & 1) : rank;
    setCounted(warp, *warp.block->cluster[counting], object.offset);
    if (!copyWith(*tile, {block, place.offset}, copy, address, lane, op, warp, operation))
      return;
    operation.completions.push_back({warp.block->cluster[counting], object.offset, bytes});
  }
  if (problem = perform(operation, warp.doer.stage); !problem.empty())
    reportUndefined(warp, op, lane, std::move(problem));
}

} // namespace

void copyTile(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &copy = *static_cast<const TileCopy *>(op.more);
  for (uint32_t left = mask; left && !warp.fault; left &= left - 1)
    copyTileOfLane(copy, static_cast<unsigned>(__builtin_ctz(left)), registers, op, warp);
}

} // namespace ptxray::machine
