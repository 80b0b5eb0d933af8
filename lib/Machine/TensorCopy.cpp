// Copies between tensors, described by tensor maps, and tiles in shared memory.
#include "Isa/Words.h"
#include "Layout/Layout.h"
#include "Machine/Flight.h"
#include "Machine/Notify.h"
#include "Machine/TensorTile.h"
#include <cstring>

namespace ptxray::machine {

namespace {

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

CopyConversion conversionOf(TensorType type, bool isStore) {
  switch (type) {
  case TensorType::Tf32:
  case TensorType::Tf32Ftz: return isStore ? CopyConversion::None : CopyConversion::RoundToTf32;
  case TensorType::B6x16P32: return isStore ? CopyConversion::PackSixBits : CopyConversion::None;
  default: return CopyConversion::None;
  }
}

/// Returns the description of an unsupported feature, or an empty string.
std::string missing(const Tile &tile) {
  const TensorMap &map = tile.map;
  if (std::string problem = findProblem(map); !problem.empty())
    return "a tensor map of which " + problem;
  if (!swizzleOf(map))
    return "a tensor map with this swizzle";
  if (tile.reduction.how != Reduction::How::None && !typeOf(map.type))
    return "a reduction of elements of this type";
  if (map.interleave != TensorInterleave::None && (map.mode == TensorMode::Wide || map.mode == TensorMode::Wide128))
    return "a wide mode with an interleaved tensor map";
  return "";
}

/// Returns a violation of the manual, for which an H100 reports an illegal instruction where it detects it; empty if
/// there is none.
std::string mistakeOf(const Tile &tile, TensorMode mode) {
  const TensorMap &map = tile.map;
  if (map.mode != mode)
    return "a tensor map whose mode differs from that of the instruction";
  if (tile.at.size() != (tile.isRows ? 5 : map.rank) || (tile.isRows && map.rank != 2))
    return "a tensor map whose number of dimensions differs from that of the instruction";
  const int64_t unit = isUnpacked(map.type) ? 128 : 128 / elementBits(map.type);
  if (map.interleave == TensorInterleave::None && tile.at[0] % unit)
    return "a tile whose innermost coordinate is " + std::to_string(tile.at[0]) + ", which is not a multiple of " +
           std::to_string(unit) + ", as 16 bytes need";
  if (!tile.isStore)
    return "";
  if (map.type == TensorType::B4x16P64)
    return "a store of 4-bit elements with gaps";
  for (const int32_t at : tile.at)
    if (at < 0)
      return "a store to a tile that begins at the coordinate " + std::to_string(at);
  for (unsigned i = 0; map.mode != TensorMode::Tiled && i + 2 < map.rank; ++i)
    if (map.lower[i] < 0 || map.upper[i] > 0)
      return "a store with a tensor map whose corners are outside of the tensor";
  return "";
}

/// Returns the fill bytes for elements outside of the tensor: zeros, or a NaN in all formats.
const uint8_t *filling(const TensorMap &map) {
  static constexpr auto nan = [] {
    std::array<uint8_t, 16> pattern{};
    for (size_t i = 0; i < pattern.size(); ++i)
      pattern[i] = i % 2 ? 0x7f : 0xf7;
    return pattern;
  }();
  static constexpr std::array<uint8_t, 16> zeros{};
  return map.fillsWithNan ? nan.data() : zeros.data();
}

/// An H100 stores whole units of 16 bytes, including bytes after the tensor if a row ends within such a unit.
constexpr uint64_t storedAtOnce = 16;

/// Creates the transfers of a tile. If it is swizzled, each transfer is within 16 bytes of shared memory.
class TileTransfers {
public:
  TileTransfers(const Tile &tile, BlockState &block, const Memory &memory, Operation &operation)
      : tile(tile), block(block), memory(memory), operation(operation), swizzle(*swizzleOf(tile.map)) {}

  /// True if the manual leaves the location of a pixel unspecified.
  bool isBeyondBox = false;
  /// Creates the transfers. Returns an address of the tensor that is not in memory, or 0 on success.
  uint64_t make() {
    const bool isSliced = tile.map.interleave != TensorInterleave::None;
    const int64_t count = tile.rowElements(), first = isSliced ? 0 : tile.at[0],
                  extent = isSliced ? count : static_cast<int64_t>(tile.map.extents[0]);
    const int64_t begin = std::clamp<int64_t>(-first, 0, count),
                  end = std::clamp<int64_t>(extent - first, begin, count);
    TileRows rows(tile);
    uint64_t offset = tile.offset;
    operation.transfers.reserve(operation.transfers.size() + tile.bytes() / (swizzle.bits ? 16 : tile.rowBytes()));
    do {
      isBeyondBox |= rows.isBeyondBox();
      const std::optional<uint64_t> place = rows.place();
      if (!place || begin == end)
        fill(offset, tile.rowBytes());
      else if (const uint64_t outside = moveRow(offset, *place + bytesOf(first + begin), begin, end))
        return outside;
      offset += tile.pitch();
    } while (rows.next());
    return 0;
  }

private:
  /// Returns the size of elements in memory.
  uint64_t bytesOf(int64_t elements) const { return static_cast<uint64_t>(elements * elementBits(tile.map.type)) / 8; }
  /// Transfers some elements of a row, and fills the others.
  uint64_t moveRow(uint64_t offset, uint64_t address, int64_t begin, int64_t end) {
    uint64_t bytes = bytesOf(end - begin);
    const Allocation *found = memory.find(address);
    if (!found || !found->contains(address, bytes))
      return address;
    if (const uint64_t whole = llvm::alignTo(bytes, storedAtOnce); tile.isStore && found->contains(address, whole))
      bytes = whole;
    if (isUnpacked(tile.map.type)) {
      moveUnpacked(offset, found->at(address), bytes);
      return 0;
    }
    fill(offset, bytesOf(begin));
    move(offset + bytesOf(begin), found->at(address), bytes);
    fill(offset + bytesOf(end), tile.rowBytes() - bytesOf(end));
    return 0;
  }
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
      operation.transfers.push_back({sharedAt(offset), with + offset % 16, static_cast<uint32_t>(piece), true});
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
  /// Moves sixteen elements to 16 bytes. The padding after them is filled with NaN. A store packs these bytes.
  void moveUnpacked(uint64_t offset, uint8_t *memory, uint64_t bytes) {
    static constexpr uint8_t gap[] = {0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f};
    const uint32_t group = 2 * elementBits(tile.map.type);
    for (; bytes; bytes -= group, memory += group, offset += 16) {
      uint8_t *shared = sharedAt(offset);
      if (tile.isStore) {
        operation.transfers.push_back({memory, shared, group});
        continue;
      }
      operation.transfers.push_back({shared, memory, group});
      operation.transfers.push_back({shared + group, gap, 16 - group, true});
    }
  }

  const Tile &tile;
  BlockState &block;
  const Memory &memory;
  Operation &operation;
  const layout::Swizzle swizzle;
};

/// Returns the copy that a lane requests. `problem` describes why it is not possible, and is empty after a fault.
std::optional<Tile> tileOf(const TileCopy &copy, unsigned lane, const char *registers, const Op &op, Warp &warp,
                           std::string &problem) {
  const uint64_t at = addressIn(registers, copy.map, lane);
  const Lookup found = look(warp, copy.map.space, at, tensorMapBytes, lane, false);
  if (!found.bytes || at % tensorMapAlignment) {
    report(warp, op, found.bytes ? AccessFault::Misaligned : found.fault, copy.map, at, tensorMapBytes, false, lane);
    return {};
  }
  observersOf(warp).notify(events::Moves,
                           [&](Observer &one) { one.readsMap(warp, op, {found.bytes, tensorMapBytes}); });
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
    tile.reduction.flushes = false; // an H100 flushes only in other reductions of f32
  }
  for (const Place &place : copy.coordinates)
    tile.at.push_back(static_cast<int32_t>(addressIn(registers, {place, 0}, lane)));
  if (copy.mode == TensorMode::Im2col)
    for (size_t i = 0; i < copy.images.size(); ++i)
      tile.offsets[i] = static_cast<uint32_t>(numberIn(registers, copy.images[i], lane));
  else if (copy.images.size() == 2) {
    tile.halo = static_cast<uint32_t>(numberIn(registers, copy.images[0], lane));
    tile.offsets[0] = static_cast<uint32_t>(numberIn(registers, copy.images[1], lane));
  }
  problem = missing(tile);
  if (std::string mistake = problem.empty() ? mistakeOf(tile, copy.mode) : ""; !mistake.empty()) {
    reportUndefined(warp, op, lane, std::move(mistake));
    return {};
  }
  return problem.empty() ? std::optional(tile) : std::nullopt;
}

/// Copies to or from the shared memory of one block. Returns whether that was possible.
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
  reportShared(warp, op, *place.block, place.offset, tile.bytes(), !copy.isStore, lane);
  TileTransfers transfers(tile, *place.block, warp.block->grid->memory, operation);
  if (const uint64_t outside = transfers.make()) {
    report(warp, op, AccessFault::OutOfBounds, {{}, 0, Space::Global}, outside, tile.rowBytes(), copy.isStore, lane);
    return false;
  }
  if (transfers.isBeyondBox)
    refuse(warp, op, lane, "a halo that reaches beyond the corners of the images");
  return !transfers.isBeyondBox;
}

/// Returns the number of bytes in the tensor that a copy moves.
uint64_t bytesInMemory(const Operation &operation) {
  uint64_t bytes = 0;
  for (const Transfer &one : operation.transfers)
    bytes += one.isFilling ? 0 : one.bytes;
  return bytes;
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
  operation.conversion = conversionOf(tile->map.type, copy.isStore);
  const uint64_t address = addressIn(registers, copy.tile, lane);
  const SharedPlace place = sharedAt(warp, copy.tile, address);
  SharedPlace object;
  if (copy.barrier.isKnown)
    object = sharedAt(warp, copy.barrier.address, addressIn(registers, copy.barrier.address, lane));
  if (copy.barrier.isKnown && !object.block)
    return reportUndefined(warp, op, lane, "a barrier object outside of shared memory");
  const auto bytes = static_cast<uint32_t>(tile->transferredBytes());
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
  const auto written = copy.blocks.bits ? operation.completions.size() : size_t(1);
  reportAmount(warp, op, Amount::BulkBytes, bytes);
  reportAmount(warp, op, Space::Shared, bytes * written);
  reportAmount(warp, op, Space::Global, bytesInMemory(operation) / std::max<size_t>(written, 1));
  if (problem = perform(operation, op, warp); !problem.empty())
    reportUndefined(warp, op, lane, std::move(problem));
}

} // namespace

void copyTile(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &copy = *static_cast<const TileCopy *>(op.more);
  for (uint32_t left = mask; left && !warp.fault; left &= left - 1)
    copyTileOfLane(copy, static_cast<unsigned>(__builtin_ctz(left)), registers, op, warp);
}

} // namespace ptxray::machine
