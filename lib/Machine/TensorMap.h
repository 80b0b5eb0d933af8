#pragma once
// What a tensor map says, and the 128 bytes that the machine keeps it in. Those of a GPU have no documented meaning, so
// the layout is the machine's own; programs change its fields by `tensormap.replace` alone.
//
//   bytes 0 to 7     the address
//   8 to 15          type, dimensions, interleaving, swizzle, its atom, what fills, and two bytes that mark a tensor
//   map 16 to 35         the extents less one, 4 bytes each 36 to 67         the strides, 8 bytes each 68 to 77 the
//   box, 2 bytes each 78 to 82         the steps, a byte each 83 to 127        zeros
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
  TensorInterleave interleave = TensorInterleave::None;
  TensorSwizzle swizzle = TensorSwizzle::None;
  SwizzleAtom atom = SwizzleAtom::By16;
  bool fillsWithNan = false;
};

/// How many bits an element takes in memory.
unsigned elementBits(TensorType type);
/// What cuTensorMapEncodeTiled refuses, in words; empty if it accepts the map.
std::string findProblem(const TensorMap &map);

TensorMapBytes encode(const TensorMap &map);
/// Nothing if the bytes hold no tensor map. What they hold may still have a problem.
std::optional<TensorMap> decodeTensorMap(const uint8_t (&bytes)[tensorMapBytes]);

} // namespace ptxray::machine
