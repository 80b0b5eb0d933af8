#pragma once
// The machine keeps what a tensor map says in 128 bytes. Those of a GPU have no documented meaning, so the layout is
// the machine's own; programs change its fields by `tensormap.replace` alone. Maps as the driver of an H100 makes them
// are read as well, and those that kernels make have these bits.
//   0 to 7      the address
//   8 to 15     type, dimensions, interleaving, swizzle, its atom, what fills, and two bytes that mark a map
//   16 to 35    the extents less one, 4 bytes each
//   36 to 67    the strides, 8 bytes each
//   68 to 77    the box, 2 bytes each
//   78 to 82    the steps, a byte each
//   83          the mode
//   84 to 95    the lower and the upper corner, 2 bytes for each dimension
//   96 to 99    channels and pixels, 2 bytes each
//   100 to 127  zeros
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ptxray::machine {

/// The numbers of this and of what follows are those that `tensormap.replace` takes.
enum class TensorType : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F32Ftz,
  F64,
  Bf16,
  Tf32,
  Tf32Ftz,
  B4x16,
  B4x16P64,
  B6x16P32
};
/// Says which elements a copy takes: those of a box, or the pixels of images one after the other, of which the wide
/// modes take those along the width alone.
enum class TensorMode : uint8_t { Tiled, Im2col, Wide, Wide128 };
enum class TensorInterleave : uint8_t { None, By16, By32 };
enum class TensorSwizzle : uint8_t { None, By32, By64, By128, By96 };
enum class SwizzleAtom : uint8_t { By16, By32, By32Flipped8, By64 };

inline constexpr unsigned mostTensorRank = 5;
inline constexpr unsigned tensorMapBytes = 128, tensorMapAlignment = 64;
using TensorMapBytes = std::array<uint8_t, tensorMapBytes>;

/// The innermost dimension comes first.
struct TensorMap {
  TensorType type = TensorType::U8;
  uint32_t rank = 0;
  uint64_t address = 0;
  std::array<uint64_t, mostTensorRank> extents = {};
  std::array<uint64_t, mostTensorRank - 1> strides =
      {}; // the bytes from one to the next, for all dimensions but the innermost
  std::array<uint32_t, mostTensorRank> box = {}, steps = {};
  TensorMode mode = TensorMode::Tiled;
  // Pixels of images may lie between these corners, counted from the first and from the last one of width, height and
  // depth, and so many are taken.
  std::array<int32_t, mostTensorRank - 2> lower = {}, upper = {};
  uint32_t channels = 0, pixels = 0;
  TensorInterleave interleave = TensorInterleave::None;
  TensorSwizzle swizzle = TensorSwizzle::None;
  SwizzleAtom atom = SwizzleAtom::By16;
  bool fillsWithNan = false;
};

/// Returns how many bits an element takes in memory.
inline unsigned elementBits(TensorType type) {
  switch (type) {
  case TensorType::U8: return 8;
  case TensorType::U16:
  case TensorType::F16:
  case TensorType::Bf16: return 16;
  case TensorType::U64:
  case TensorType::S64:
  case TensorType::F64: return 64;
  case TensorType::B4x16:
  case TensorType::B4x16P64: return 4;
  case TensorType::B6x16P32: return 6;
  default: return 32;
  }
}
/// Returns whether 16 elements of a type lie in 16 bytes of shared memory although they have fewer bits.
inline bool isUnpacked(TensorType type) { return type == TensorType::B4x16P64 || type == TensorType::B6x16P32; }
/// Interleaved, the channels of a pixel lie in slices of so many bytes, and no dimension counts those within one; 0:
/// they do not.
inline unsigned sliceBytes(const TensorMap &map) {
  constexpr unsigned bytes[] = {0, 16, 32};
  return bytes[static_cast<size_t>(map.interleave)];
}
/// Returns the bytes of a row that a swizzle turns around; 0: none.
inline unsigned swizzleBytes(TensorSwizzle swizzle) {
  constexpr unsigned bytes[] = {0, 32, 64, 128, 96};
  return bytes[static_cast<size_t>(swizzle)];
}
/// Returns the dimension that is the width of images.
unsigned widthOf(const TensorMap &map);
/// Returns in words what the functions of the driver that encode tensor maps refuse; empty if they accept the map. Of a
/// chip before sm_100 they refuse some more; 0: any chip.
std::string findProblem(const TensorMap &map, unsigned chip = 0);

TensorMapBytes encode(const TensorMap &map);
/// Nothing if the bytes hold no tensor map. What they hold may still have a problem.
std::optional<TensorMap> decodeTensorMap(const uint8_t (&bytes)[tensorMapBytes]);

/// Reads a map of which a kernel replaces a field. The bytes may not be a map yet.
TensorMap readTensorMap(const uint8_t (&bytes)[tensorMapBytes]);
/// Writes such a map with the bits of an H100, or in the machine's layout if an H100 has no bits for it.
void writeTensorMap(const TensorMap &map, uint8_t (&bytes)[tensorMapBytes]);

} // namespace ptxray::machine
