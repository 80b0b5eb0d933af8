#include "Machine/TensorMap.h"
#include <algorithm>
#include <cstring>

namespace ptxray::machine {

static constexpr uint8_t marks[] = {0x70, 0x6d};
static constexpr size_t fieldsAt = 8, marksAt = 14, extentsAt = 16, stridesAt = 36, boxAt = 68, stepsAt = 78,
                        modeAt = 83, lowerAt = 84, upperAt = 90, channelsAt = 96, pixelsAt = 98;

static bool isPacked(TensorType type) { return type >= TensorType::B4x16; }

static bool isFloat(TensorType type) { return type >= TensorType::F16 && type <= TensorType::Tf32Ftz; }

unsigned widthOf(const TensorMap &map) { return map.interleave == TensorInterleave::None ? 1 : 0; }

static std::string numbered(const char *what, unsigned dimension) {
  return std::string(what) + " of dimension " + std::to_string(dimension);
}

/// Returns the problem with a dimension, or an empty string.
static std::string findProblemOfDimension(const TensorMap &map, unsigned i, uint64_t alignment) {
  constexpr uint64_t mostExtent = uint64_t(1) << 32, mostStride = uint64_t(1) << 40;
  constexpr uint32_t mostBox = 256, mostStep = 8;
  if (map.extents[i] == 0 || map.extents[i] > mostExtent)
    return numbered("the extent", i) + " is " + std::to_string(map.extents[i]) + "; 1 to 2^32 expected";
  if (map.mode == TensorMode::Tiled && (map.box[i] == 0 || map.box[i] > mostBox))
    return numbered("the box", i) + " is " + std::to_string(map.box[i]) + "; 1 to 256 expected";
  if (map.steps[i] == 0 || map.steps[i] > mostStep)
    return numbered("the step", i) + " is " + std::to_string(map.steps[i]) + "; 1 to 8 expected";
  if (i > 0 && (map.strides[i - 1] % alignment || map.strides[i - 1] >= mostStride))
    return numbered("the stride", i) + " is " + std::to_string(map.strides[i - 1]) + " bytes; a multiple of " +
           std::to_string(alignment) + " below 2^40 expected";
  return "";
}

/// Returns the problem with the pixels of images, or an empty string. The driver uses 32-bit additions, so extents from
/// 2^31 are invalid.
static std::string findProblemOfPixels(const TensorMap &map) {
  constexpr uint32_t mostChannels = 256, mostPixels = 1024;
  constexpr int32_t limits[] = {1 << 15, 1 << 7, 1 << 4};
  if (map.channels == 0 || map.channels > mostChannels)
    return "the channels are " + std::to_string(map.channels) + "; 1 to 256 expected";
  if (map.pixels == 0 || map.pixels > mostPixels)
    return "the pixels are " + std::to_string(map.pixels) + "; 1 to 1024 expected";
  const int32_t limit = limits[map.rank - 3];
  const unsigned first = widthOf(map);
  for (unsigned i = 0; i + 2 < map.rank; ++i) {
    for (const int32_t corner : {map.lower[i], map.upper[i]})
      if (corner < -limit || corner >= limit)
        return "a corner is " + std::to_string(corner) + "; " + std::to_string(-limit) + " to " +
               std::to_string(limit - 1) + " expected for " + std::to_string(map.rank) + " dimensions";
    const int64_t extent = static_cast<int32_t>(map.extents[first + i]);
    if (extent + map.upper[i] - map.lower[i] <= 0)
      return numbered("no pixel", first + i) + " lies between the corners";
  }
  return "";
}

/// Returns the problem with the innermost dimension of the box, or an empty string.
static std::string findProblemOfRows(const TensorMap &map) {
  constexpr uint32_t unpackedRow = 128;
  const uint64_t count = map.mode == TensorMode::Tiled ? map.box[0] : map.channels;
  if (isUnpacked(map.type)) {
    if (map.extents[0] % unpackedRow)
      return numbered("the extent", 0) + " is " + std::to_string(map.extents[0]) + "; a multiple of 128 expected";
    if (count != unpackedRow)
      return "a row of the box has " + std::to_string(count) + " elements; 128 expected";
  }
  if (map.type == TensorType::B4x16 && map.extents[0] % 2)
    return numbered("the extent", 0) + " is " + std::to_string(map.extents[0]) + "; an even number expected";
  const uint64_t bits = isUnpacked(map.type) ? 8 : elementBits(map.type), bytes = count * bits / 8;
  if (count * bits % 128)
    return "a row of the box has " + std::to_string(bytes) + " bytes; a multiple of 16 expected";
  if (const unsigned most = swizzleBytes(map.swizzle); most && bytes > most && map.interleave == TensorInterleave::None)
    return "a row of the box has " + std::to_string(bytes) + " bytes; " + std::to_string(most) +
           ", by which it is swizzled, at most";
  return "";
}

/// Returns the problem with the size of a tile, or an empty string. The driver counts only whole steps of a box.
static std::string findProblemOfSize(const TensorMap &map) {
  constexpr uint64_t most = 228 << 10;
  const uint64_t bits = isUnpacked(map.type) ? 8 : elementBits(map.type);
  uint64_t count = map.mode == TensorMode::Tiled ? 1 : uint64_t(map.channels) * map.pixels;
  if (map.mode == TensorMode::Tiled)
    for (unsigned i = 0; i < map.rank; ++i)
      count *= map.box[i] / map.steps[i];
  return count * bits / 8 <= most ? ""
                                  : "a tile has " + std::to_string(count * bits / 8) + " bytes; at most " +
                                        std::to_string(most) + " expected";
}

/// Returns the problem with 4-bit and 6-bit elements, or an empty string.
static std::string findProblemOfPacking(const TensorMap &map, unsigned chip) {
  constexpr unsigned blackwell = 100;
  const bool hasAtom = map.atom != SwizzleAtom::By16, isOld = chip && chip < blackwell;
  if (isOld && (isPacked(map.type) || hasAtom))
    return isPacked(map.type) ? "its elements have 4 or 6 bits, which require sm_100"
                              : "its swizzle moves more than 16 bytes at once, which requires sm_100";
  if (!isPacked(map.type))
    return "";
  if (map.interleave != TensorInterleave::None)
    return "it interleaves elements of 4 or 6 bits";
  const bool isSwizzledSo = map.swizzle == TensorSwizzle::None || map.swizzle == TensorSwizzle::By128;
  if (isUnpacked(map.type) && (!isSwizzledSo || map.atom == SwizzleAtom::By32Flipped8))
    return "its elements are unpacked, and its swizzle is not 128 bytes";
  return "";
}

std::string findProblem(const TensorMap &map, unsigned chip) {
  const bool isTiled = map.mode == TensorMode::Tiled;
  if (map.rank < (isTiled ? 1 : 3) || map.rank > mostTensorRank)
    return "it has " + std::to_string(map.rank) + " dimensions; " + (isTiled ? "1" : "3") + " to 5 expected";
  if (map.interleave != TensorInterleave::None && map.rank < 3)
    return "it has " + std::to_string(map.rank) + " dimensions; interleaved, 3 to 5 expected";
  const uint64_t alignment = map.interleave == TensorInterleave::By32 || isUnpacked(map.type) ? 32 : 16;
  if (map.address % alignment)
    return "its address is not a multiple of " + std::to_string(alignment);
  for (unsigned i = 0; i < map.rank; ++i)
    if (std::string problem = findProblemOfDimension(map, i, alignment); !problem.empty())
      return problem;
  std::string problem = isTiled ? "" : findProblemOfPixels(map);
  if (problem.empty())
    problem = findProblemOfPacking(map, chip);
  if (problem.empty())
    problem = findProblemOfRows(map);
  if (problem.empty())
    problem = findProblemOfSize(map);
  if (!problem.empty())
    return problem;
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
  put<uint8_t>(bytes, modeAt, static_cast<uint8_t>(map.mode));
  for (size_t i = 0; i < map.lower.size(); ++i) {
    put<int16_t>(bytes, lowerAt + 2 * i, static_cast<uint64_t>(map.lower[i]));
    put<int16_t>(bytes, upperAt + 2 * i, static_cast<uint64_t>(map.upper[i]));
  }
  put<uint16_t>(bytes, channelsAt, map.channels);
  put<uint16_t>(bytes, pixelsAt, map.pixels);
  return bytes;
}

/// Reads bits of a map that the driver of an H100 encoded. The positions of fields were determined from maps with known
/// contents. Maps for sm_100 that the CuTe DSL encodes also have bit 65 set, and some have bit 85 set.
static uint64_t bitsOf(const uint8_t *bytes, unsigned first, unsigned count) {
  uint64_t word = 0;
  std::memcpy(&word, bytes + first / 8, std::min<size_t>(sizeof word, tensorMapBytes - first / 8));
  return word >> first % 8 & ((uint64_t(1) << count) - 1);
}

/// Reads the corners of images: 16 bits for one dimension, 8 bits for each of two, 5 bits for each of three.
static void readCorners(const uint8_t *bytes, unsigned first, unsigned dimensions,
                        std::array<int32_t, mostTensorRank - 2> &corners) {
  const unsigned bits = dimensions == 1 ? 16 : dimensions == 2 ? 8 : 5, unused = 32 - bits;
  for (unsigned i = 0; i < dimensions; ++i)
    corners[i] = static_cast<int32_t>(bitsOf(bytes, first + i * bits, bits) << unused) >> unused;
}

// The number of the type in a driver's map. Types of tf32 have the number of f32, and bit 80 set.
static constexpr uint64_t driversTypeOfFourBits = 11;

/// Reads the fields of a driver's map with this number of dimensions.
static TensorMap readOfDriver(const uint8_t *bytes, unsigned dimensions) {
  const auto field = [&](unsigned first, unsigned count) { return bitsOf(bytes, first, count); };
  const uint64_t type = field(71, 4);
  TensorMap map;
  map.type = type == driversTypeOfFourBits ? TensorType::B4x16
             : field(80, 1) ? static_cast<TensorType>(type - uint64_t(TensorType::F32) + uint64_t(TensorType::Tf32))
                            : static_cast<TensorType>(type);
  map.rank = static_cast<uint32_t>(field(68, 3) + 1);
  map.address = take<uint64_t>(bytes, 0);
  map.interleave = static_cast<TensorInterleave>(field(75, 2));
  map.swizzle = static_cast<TensorSwizzle>(field(77, 2));
  map.fillsWithNan = field(79, 1);
  const bool isImage = field(64, 1);
  for (unsigned i = 0; i < dimensions; ++i) {
    map.extents[i] = field(256 + 32 * i, 32) + 1;
    map.steps[i] = static_cast<uint32_t>(field(416 + 3 * i, 3) + 1);
    if (!isImage)
      map.box[i] = static_cast<uint32_t>(field(440 + 8 * i, 8) + 1);
    if (i + 1 < dimensions)
      map.strides[i] = (field(96 + 32 * i, 32) | field(224 + 4 * i, 4) << 32) * 16;
  }
  if (isImage) {
    map.mode = TensorMode::Im2col;
    map.channels = static_cast<uint32_t>(field(440, 8) + 1);
    map.pixels = static_cast<uint32_t>(field(480, 10) + 1);
    const unsigned corners = std::min(std::max(map.rank, 3u), mostTensorRank) - 2;
    readCorners(bytes, 448, corners, map.lower);
    readCorners(bytes, 464, corners, map.upper);
  }
  return map;
}

static std::optional<TensorMap> decodeOfDriver(const uint8_t *bytes) {
  const auto field = [&](unsigned first, unsigned count) { return bitsOf(bytes, first, count); };
  const uint64_t type = field(71, 4), rounds = field(80, 1), rank = field(68, 3) + 1;
  const bool isImage = field(64, 1),
             isFloat = type == uint64_t(TensorType::F32) || type == uint64_t(TensorType::F32Ftz);
  const uint64_t unused = field(66, 2) | field(83, 2) | field(86, 10) | field(240, 16) | field(431, 9);
  if (unused || rank > mostTensorRank || type > driversTypeOfFourBits || (rounds && !isFloat) ||
      (isImage && rank < 3) || field(75, 2) > uint64_t(TensorInterleave::By32) || field(0, 48) == 0)
    return std::nullopt;
  return readOfDriver(bytes, static_cast<unsigned>(rank));
}

static void putBits(uint8_t *bytes, unsigned first, unsigned count, uint64_t value) {
  for (unsigned i = 0; i < count; ++i) {
    uint8_t &byte = bytes[(first + i) / 8];
    const auto bit = static_cast<uint8_t>(1 << (first + i) % 8);
    byte = static_cast<uint8_t>(value >> i & 1 ? byte | bit : byte & ~bit);
  }
}

/// Returns whether a driver's map can represent the fields. Invalid values must remain in the map until a copy reports
/// them.
static bool isOfDriver(const TensorMap &map) {
  constexpr uint64_t mostStride = uint64_t(1) << 40;
  constexpr uint32_t mostBox = 256, mostStep = 8;
  const auto isWithin = [](uint32_t most) { return [most](uint32_t value) { return value - 1 < most; }; };
  return map.type <= TensorType::B4x16 && map.interleave <= TensorInterleave::By32 &&
         map.swizzle <= TensorSwizzle::By128 && map.atom == SwizzleAtom::By16 && map.rank - 1 < mostTensorRank &&
         (map.mode != TensorMode::Tiled || std::ranges::all_of(map.box, isWithin(mostBox))) &&
         std::ranges::all_of(map.steps, isWithin(mostStep)) &&
         std::ranges::all_of(map.strides, [](uint64_t stride) { return stride % 16 == 0 && stride < mostStride; });
}

/// Writes the fields that `tensormap.replace` may change, and preserves the others.
static void writeOfDriver(const TensorMap &map, uint8_t *bytes) {
  const bool isRounding = map.type == TensorType::Tf32 || map.type == TensorType::Tf32Ftz;
  const uint64_t type = map.type == TensorType::B4x16 ? driversTypeOfFourBits
                        : isRounding ? uint64_t(map.type) - uint64_t(TensorType::Tf32) + uint64_t(TensorType::F32)
                                     : uint64_t(map.type);
  std::memcpy(bytes, &map.address, sizeof map.address);
  putBits(bytes, 68, 3, map.rank - 1);
  putBits(bytes, 71, 4, type);
  putBits(bytes, 75, 2, uint64_t(map.interleave));
  putBits(bytes, 77, 2, uint64_t(map.swizzle));
  putBits(bytes, 79, 1, map.fillsWithNan);
  putBits(bytes, 80, 1, isRounding);
  for (unsigned i = 0; i < mostTensorRank; ++i) {
    putBits(bytes, 256 + 32 * i, 32, map.extents[i] - 1);
    putBits(bytes, 416 + 3 * i, 3, map.steps[i] - 1);
    if (map.mode == TensorMode::Tiled)
      putBits(bytes, 440 + 8 * i, 8, map.box[i] - 1);
    if (i + 1 < mostTensorRank) {
      putBits(bytes, 96 + 32 * i, 32, map.strides[i] / 16);
      putBits(bytes, 224 + 4 * i, 4, map.strides[i] / 16 >> 32);
    }
  }
}

static bool isOfMachine(const uint8_t *bytes) {
  return std::equal(std::begin(marks), std::end(marks), bytes + marksAt);
}

TensorMap readTensorMap(const uint8_t (&bytes)[tensorMapBytes]) {
  return isOfMachine(bytes) ? decodeTensorMap(bytes).value_or(TensorMap()) : readOfDriver(bytes, mostTensorRank);
}

void writeTensorMap(const TensorMap &map, uint8_t (&bytes)[tensorMapBytes]) {
  if (!isOfMachine(bytes) && isOfDriver(map))
    return writeOfDriver(map, bytes);
  const TensorMapBytes made = encode(map);
  std::copy(made.begin(), made.end(), bytes);
}

std::optional<TensorMap> decodeTensorMap(const uint8_t (&bytes)[tensorMapBytes]) {
  if (!isOfMachine(bytes))
    return decodeOfDriver(bytes);
  const uint8_t *fields = bytes + fieldsAt;
  const bool isKnown = fields[0] <= static_cast<uint8_t>(TensorType::B6x16P32) &&
                       fields[2] <= static_cast<uint8_t>(TensorInterleave::By32) &&
                       fields[3] <= static_cast<uint8_t>(TensorSwizzle::By96) &&
                       fields[4] <= static_cast<uint8_t>(SwizzleAtom::By64) && fields[5] <= 1 &&
                       bytes[modeAt] <= static_cast<uint8_t>(TensorMode::Wide128);
  if (!isKnown)
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
  map.mode = static_cast<TensorMode>(bytes[modeAt]);
  for (size_t i = 0; i < map.lower.size(); ++i) {
    map.lower[i] = take<int16_t>(bytes, lowerAt + 2 * i);
    map.upper[i] = take<int16_t>(bytes, upperAt + 2 * i);
  }
  map.channels = take<uint16_t>(bytes, channelsAt);
  map.pixels = take<uint16_t>(bytes, pixelsAt);
  return map;
}

} // namespace ptxray::machine
