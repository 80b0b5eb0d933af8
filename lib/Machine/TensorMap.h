#pragma once
// Encodes tensor maps in 128 bytes. The encoding of a GPU is not documented, so the emulator uses its own; kernels can
// modify fields only with `tensormap.replace`. The emulator also decodes maps in the encoding of an H100's driver, and
// uses that encoding for maps that kernels create.
//|  0 to 7      the address
//|  8 to 15     type, dimensions, interleaving, swizzle, its atom, what fills, and two bytes that mark a map
//|  16 to 35    the extents less one, 4 bytes each
//|  36 to 67    the strides, 8 bytes each
//|  68 to 77    the box, 2 bytes each
//|  78 to 82    the steps, a byte each
//|  83          the mode
//|  84 to 95    the lower and the upper corner, 2 bytes for each dimension
//|  96 to 99    channels and pixels, 2 bytes each
//|  100 to 127  zeros
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ptxray::machine {

/// Enumerators here and below have the values that `tensormap.replace` uses.
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
/// The elements that a copy selects: a box, or consecutive pixels of images. The wide modes select pixels along the
/// width only.
enum class TensorMode : uint8_t { Tiled, Im2col, Wide, Wide128 };
enum class TensorInterleave : uint8_t { None, By16, By32 };
enum class TensorSwizzle : uint8_t { None, By32, By64, By128, By96 };
enum class SwizzleAtom : uint8_t { By16, By32, By32Flipped8, By64 };

inline constexpr unsigned mostTensorRank = 5;
inline constexpr unsigned tensorMapBytes = 128, tensorMapAlignment = 64;
using TensorMapBytes = std::array<uint8_t, tensorMapBytes>;

/// The description of a tensor. The innermost dimension comes first.
struct TensorMap {
  TensorType type = TensorType::U8;
  uint32_t rank = 0;
  uint64_t address = 0;
  std::array<uint64_t, mostTensorRank> extents = {};
  std::array<uint64_t, mostTensorRank - 1> strides = {}; // distances in bytes, for all dimensions except the innermost
  std::array<uint32_t, mostTensorRank> box = {}, steps = {};
  TensorMode mode = TensorMode::Tiled;
  // The bounds of selected pixels, relative to the first and to the last pixel of width, height and depth, and the
  // number of selected channels and pixels.
  std::array<int32_t, mostTensorRank - 2> lower = {}, upper = {};
  uint32_t channels = 0, pixels = 0;
  TensorInterleave interleave = TensorInterleave::None;
  TensorSwizzle swizzle = TensorSwizzle::None;
  SwizzleAtom atom = SwizzleAtom::By16;
  bool fillsWithNan = false;
};

/// Returns the size of an element in memory in bits.
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
/// Returns whether 16 elements of a type occupy 16 bytes of shared memory, although they have fewer bits.
inline bool isUnpacked(TensorType type) { return type == TensorType::B4x16P64 || type == TensorType::B6x16P32; }
/// Returns the size of a slice if channels are interleaved, otherwise 0. No dimension counts channels within a slice.
inline unsigned sliceBytes(const TensorMap &map) {
  constexpr unsigned bytes[] = {0, 16, 32};
  return bytes[static_cast<size_t>(map.interleave)];
}
/// Returns the row size of a swizzle in bytes, or 0 if there is none.
inline unsigned swizzleBytes(TensorSwizzle swizzle) {
  constexpr unsigned bytes[] = {0, 32, 64, 128, 96};
  return bytes[static_cast<size_t>(swizzle)];
}
/// Returns the index of the dimension that is the width of images.
unsigned widthOf(const TensorMap &map);
/// Returns the reason why the driver's encoding functions reject the map; empty if they accept it. Chips before sm_100
/// have further restrictions; `chip` is 0 for any chip.
std::string findProblem(const TensorMap &map, unsigned chip = 0);

TensorMapBytes encode(const TensorMap &map);
/// Decodes a tensor map, which may be invalid (see findProblem). Returns nothing if the bytes contain no map.
std::optional<TensorMap> decodeTensorMap(const uint8_t (&bytes)[tensorMapBytes]);

/// Reads a map before a kernel replaces one of its fields. The bytes need not be a valid map yet.
TensorMap readTensorMap(const uint8_t (&bytes)[tensorMapBytes]);
/// Encodes a map like an H100 or, if an H100 has no encoding for it, in the emulator's own layout.
void writeTensorMap(const TensorMap &map, uint8_t (&bytes)[tensorMapBytes]);

} // namespace ptxray::machine
