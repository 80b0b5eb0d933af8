#include "Machine/TensorMap.h"
#include <algorithm>
#include <cstring>

namespace ptxray::machine {

static constexpr uint8_t marks[] = {0x70, 0x6d};
static constexpr size_t fieldsAt = 8, marksAt = 14, extentsAt = 16, stridesAt = 36, boxAt = 68, stepsAt = 78;

unsigned elementBits(TensorType type) {
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

/// Whether elements are unpacked to bytes as they are copied to shared memory.
static bool isUnpacked(TensorType type) { return type == TensorType::B4x16P64 || type == TensorType::B6x16P32; }

static bool isFloat(TensorType type) {
  return (type >= TensorType::F16 && type <= TensorType::Tf32Ftz) || type == TensorType::B6x16P32;
}

static unsigned swizzleBytes(TensorSwizzle swizzle) {
  constexpr unsigned bytes[] = {0, 32, 64, 128, 96};
  return bytes[static_cast<size_t>(swizzle)];
}

static std::string numbered(const char *what, unsigned dimension) {
  return std::string(what) + " of dimension " + std::to_string(dimension);
}

/// What is wrong with a dimension.
static std::string findProblemOfDimension(const TensorMap &map, unsigned i, uint64_t alignment) {
  constexpr uint64_t mostExtent = uint64_t(1) << 32, mostStride = uint64_t(1) << 40;
  constexpr uint32_t mostBox = 256, mostStep = 8;
  if (map.extents[i] == 0 || map.extents[i] > mostExtent)
    return numbered("the extent", i) + " is " + std::to_string(map.extents[i]) + "; 1 to 2^32 expected";
  if (map.box[i] == 0 || map.box[i] > mostBox)
    return numbered("the box", i) + " is " + std::to_string(map.box[i]) + "; 1 to 256 expected";
  if (map.steps[i] == 0 || map.steps[i] > mostStep)
    return numbered("the step", i) + " is " + std::to_string(map.steps[i]) + "; 1 to 8 expected";
  if (i > 0 && (map.strides[i - 1] % alignment || map.strides[i - 1] >= mostStride))
    return numbered("the stride", i) + " is " + std::to_string(map.strides[i - 1]) + " bytes; a multiple of " +
           std::to_string(alignment) + " below 2^40 expected";
  return "";
}

/// What is wrong with the innermost dimension of the box.
static std::string findProblemOfRows(const TensorMap &map) {
  if (isUnpacked(map.type) && map.extents[0] % 128)
    return numbered("the extent", 0) + " is " + std::to_string(map.extents[0]) + "; a multiple of 128 expected";
  if (map.interleave != TensorInterleave::None)
    return "";
  const uint64_t bits = isUnpacked(map.type) ? 8 : elementBits(map.type), bytes = map.box[0] * bits / 8;
  if (map.box[0] * bits % 128)
    return "a row of the box has " + std::to_string(bytes) + " bytes; a multiple of 16 expected";
  if (const unsigned most = swizzleBytes(map.swizzle); most && bytes > most)
    return "a row of the box has " + std::to_string(bytes) + " bytes; " + std::to_string(most) +
           ", by which it is swizzled, at most";
  return "";
}

std::string findProblem(const TensorMap &map) {
  if (map.rank == 0 || map.rank > mostTensorRank)
    return "it has " + std::to_string(map.rank) + " dimensions; 1 to 5 expected";
  if (map.interleave != TensorInterleave::None && map.rank < 3)
    return "it has " + std::to_string(map.rank) + " dimensions; interleaved, 3 to 5 expected";
  const uint64_t alignment = map.interleave == TensorInterleave::By32 || isUnpacked(map.type) ? 32 : 16;
  if (map.address % alignment)
    return "its address is not a multiple of " + std::to_string(alignment);
  for (unsigned i = 0; i < map.rank; ++i)
    if (std::string problem = findProblemOfDimension(map, i, alignment); !problem.empty())
      return problem;
  if (std::string problem = findProblemOfRows(map); !problem.empty())
    return problem;
  if (map.interleave == TensorInterleave::By32 && map.swizzle != TensorSwizzle::By32)
    return "interleaved by 32 bytes, it is not swizzled by 32";
  if (map.atom != SwizzleAtom::By16 && map.swizzle != TensorSwizzle::By128)
    return "it is not swizzled by 128 bytes, as these atoms require";
  if (map.fillsWithNan && !isFloat(map.type))
    return "its elements are not floats, so that NaN cannot fill it";
  return "";
}

template <class T> static void put(TensorMapBytes &bytes, size_t at, uint64_t value) {
  const T narrow = static_cast<T>(value);
  std::memcpy(&bytes[at], &narrow, sizeof narrow);
}

template <class T> static T take(const uint8_t *bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes + at, sizeof value);
  return value;
}

TensorMapBytes encode(const TensorMap &map) {
  TensorMapBytes bytes = {};
  put<uint64_t>(bytes, 0, map.address);
  const uint8_t fields[] = {static_cast<uint8_t>(map.type),       static_cast<uint8_t>(map.rank),
                            static_cast<uint8_t>(map.interleave), static_cast<uint8_t>(map.swizzle),
                            static_cast<uint8_t>(map.atom),       map.fillsWithNan};
  std::copy(std::begin(fields), std::end(fields), &bytes[fieldsAt]);
  std::copy(std::begin(marks), std::end(marks), &bytes[marksAt]);
  for (size_t i = 0; i < mostTensorRank; ++i) {
    put<uint32_t>(bytes, extentsAt + 4 * i, map.extents[i] - 1);
    put<uint16_t>(bytes, boxAt + 2 * i, map.box[i]);
    put<uint8_t>(bytes, stepsAt + i, map.steps[i]);
  }
  for (size_t i = 0; i + 1 < mostTensorRank; ++i)
    put<uint64_t>(bytes, stridesAt + 8 * i, map.strides[i]);
  return bytes;
}

std::optional<TensorMap> decodeTensorMap(const uint8_t (&bytes)[tensorMapBytes]) {
  const uint8_t *fields = bytes + fieldsAt;
  const bool isKnown = fields[0] <= static_cast<uint8_t>(TensorType::B6x16P32) &&
                       fields[2] <= static_cast<uint8_t>(TensorInterleave::By32) &&
                       fields[3] <= static_cast<uint8_t>(TensorSwizzle::By96) &&
                       fields[4] <= static_cast<uint8_t>(SwizzleAtom::By64) && fields[5] <= 1;
  if (!std::equal(std::begin(marks), std::end(marks), bytes + marksAt) || !isKnown)
    return std::nullopt;
  TensorMap map;
  map.type = static_cast<TensorType>(fields[0]);
  map.rank = fields[1];
  map.address = take<uint64_t>(bytes, 0);
  map.interleave = static_cast<TensorInterleave>(fields[2]);
  map.swizzle = static_cast<TensorSwizzle>(fields[3]);
  map.atom = static_cast<SwizzleAtom>(fields[4]);
  map.fillsWithNan = fields[5];
  for (size_t i = 0; i < mostTensorRank; ++i) {
    map.extents[i] = uint64_t(take<uint32_t>(bytes, extentsAt + 4 * i)) + 1;
    map.box[i] = take<uint16_t>(bytes, boxAt + 2 * i);
    map.steps[i] = take<uint8_t>(bytes, stepsAt + i);
  }
  for (size_t i = 0; i + 1 < mostTensorRank; ++i)
    map.strides[i] = take<uint64_t>(bytes, stridesAt + 8 * i);
  return map;
}

} // namespace ptxray::machine
