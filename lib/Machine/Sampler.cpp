// The arithmetic of an H100's texture unit, derived from its results. Positions have 8 fractional bits. The weights of
// a fetch's texels are multiples of 1/256 with a sum of 1. Before the addition, texels are aligned to the largest of
// the four.
#include "Machine/Sampler.h"
#include "Numbers/Number.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace ptxray::machine {

namespace {

constexpr int32_t one = 256; // width of one texel in positions, and sum of all weights

/// The texels of one level that a fetch reads: two per dimension, and their weights.
struct Axis {
  int32_t first = 0;    // the texel; the second is the next one
  int32_t fraction = 0; // in units of 1/256
};
using Axes = std::array<Axis, mostImageRank>;

/// One texel as input of the filter.
struct Tap {
  std::array<uint32_t, 4> bits = {}; // bits of floats, or integers
  int32_t weight = 0;
  bool isNeeded =
      false; // no fraction that selects it is zero, so an infinity affects the result even with a weight of 0
};

int32_t halfUp(int32_t value) { return (value + one / 2) >> 8; }
int32_t halfDown(int32_t value) { return (value + one / 2 - 1) >> 8; }

/// Returns the weights of four texels, whose sum is `whole`. Bit 0 of an index is the first dimension, bit 1 the
/// second.
std::array<int32_t, 4> weightsOf(int32_t x, int32_t y, int32_t whole) {
  const int32_t right = halfUp(x * whole), left = whole - right;
  const int32_t upperRight = halfUp(right * y), upperLeft = halfDown(left * y);
  return {left - upperLeft, right - upperRight, upperLeft, upperRight};
}

int64_t floorMod(int64_t value, int64_t divisor) { return ((value % divisor) + divisor) % divisor; }

/// Returns a position in units of 1/256 texels, rounded to nearest if `isRounded`. Positions far outside are clamped.
int64_t positionOf(float at, int32_t extent, AddressMode mode, bool isNormalized, bool isRounded) {
  constexpr double farthest = 1 << 22;
  const double coordinate = std::isnan(at) ? 0 : at;
  if (!isNormalized) {
    const double cut = std::clamp(coordinate, -farthest, farthest) * one;
    return static_cast<int64_t>(std::floor(isRounded ? cut + 0.5 : cut));
  }
  constexpr int leastBits = 13;
  const int bits = 8 + std::max(leastBits, static_cast<int>(std::bit_width(static_cast<uint32_t>(extent - 1))));
  const bool isPeriodic = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
  double scaled = std::floor(std::ldexp(coordinate, bits));
  if (isPeriodic)
    scaled = std::isinf(scaled) ? 0 : std::fmod(scaled, std::ldexp(2.0, bits));
  auto fixed = static_cast<int64_t>(std::clamp(scaled, -std::ldexp(4.0, bits), std::ldexp(4.0, bits)));
  if (mode == AddressMode::Wrap)
    fixed = floorMod(fixed, int64_t(1) << bits);
  return (fixed * extent * one + (isRounded ? int64_t(1) << (bits - 1) : 0)) >> bits;
}

/// Returns the index of the texel, or -1 for the border.
int32_t texelAt(int64_t index, int32_t extent, AddressMode mode) {
  switch (mode) {
  case AddressMode::Wrap: return static_cast<int32_t>(floorMod(index, extent));
  case AddressMode::Mirror: {
    const int64_t within = floorMod(index, int64_t(2) * extent);
    return static_cast<int32_t>(within < extent ? within : 2 * int64_t(extent) - 1 - within);
  }
  case AddressMode::Border: return index < 0 || index >= extent ? -1 : static_cast<int32_t>(index);
  default: return static_cast<int32_t>(std::clamp<int64_t>(index, 0, extent - 1));
  }
}

template <class T> T readAs(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Returns an 8-bit or 16-bit integer in the form that filters add, in units of 1/65535, or 1/32767 if signed.
int32_t expanded(int32_t value, TexelType type) {
  switch (type) {
  case TexelType::U8: return value * 257;
  case TexelType::S8: {
    const int32_t size = (std::abs(value) * 32767 + 63) / 127;
    return value == -128 ? -32768 : value < 0 ? -size : size;
  }
  default: return value;
  }
}

/// Converts f16 to f32, preserving the bits of a NaN.
uint32_t widened(uint16_t bits) {
  constexpr uint32_t exponents = 0x7c00, sign = 0x8000;
  if ((bits & ~sign) > exponents)
    return (bits & sign) << 16 | 0x7f800000 | (bits & (exponents ^ 0x7fff)) << 13;
  return static_cast<uint32_t>(numbers::store(numbers::read(bits, numbers::f16), numbers::f32, {}));
}

/// Reads the texels of an image.
class Texels {
public:
  Texels(const Image &image, const Sampling &sampling, const uint8_t *bytes)
      : image(image), sampling(sampling), bytes(bytes) {}

  bool areFractions() const { return sampling.readsFractions && bitsOf(image.type) <= 16 && !isFloat(image.type); }
  std::array<uint32_t, 4> texel(uint32_t level, uint32_t slice, const std::array<int32_t, mostImageRank> &at) const {
    if (std::ranges::any_of(at, [](int32_t index) { return index < 0; }))
      return border();
    const uint64_t row = uint64_t(at[2]) * image.extent(1, level) + at[1];
    const uint8_t *from = bytes + image.levelOffset(level) + slice * image.sliceBytes(level) +
                          row * image.rowBytes(level) + at[0] * image.texelBytes();
    std::array<uint32_t, 4> result = {};
    for (uint32_t i = 0; i < image.channels; ++i)
      result[i] = channel(from + size_t(i) * (bitsOf(image.type) / 8));
    return result;
  }
  /// Returns the texel of an unfiltered fetch.
  uint32_t given(uint32_t bits) const {
    if (!areFractions())
      return bits;
    const bool isSigned = image.type == TexelType::S8 || image.type == TexelType::S16;
    const int32_t most = ((1 << bitsOf(image.type)) - 1) >> (isSigned ? 1 : 0);
    return fraction(static_cast<int32_t>(bits), most);
  }
  static uint32_t fraction(int32_t value, int32_t most) {
    return std::bit_cast<uint32_t>(std::max(static_cast<float>(static_cast<double>(value) / most), -1.0f));
  }

private:
  uint32_t channel(const uint8_t *from) const {
    switch (image.type) {
    case TexelType::U8: return *from;
    case TexelType::S8: return static_cast<uint32_t>(static_cast<int8_t>(*from));
    case TexelType::U16: return readAs<uint16_t>(from);
    case TexelType::S16: return static_cast<uint32_t>(readAs<int16_t>(from));
    case TexelType::F16: return widened(readAs<uint16_t>(from));
    default: return readAs<uint32_t>(from);
    }
  }
  /// Returns the border in the format of the image.
  std::array<uint32_t, 4> border() const {
    std::array<uint32_t, 4> result = sampling.border;
    for (uint32_t i = 0; i < 4; ++i)
      if (i >= image.channels)
        result[i] = 0;
      else if (areFractions()) {
        const bool isSigned = image.type == TexelType::S8 || image.type == TexelType::S16;
        const int32_t most = ((1 << bitsOf(image.type)) - 1) >> (isSigned ? 1 : 0);
        const float cut = std::clamp(std::bit_cast<float>(result[i]), isSigned ? -1.0f : 0.0f, 1.0f);
        result[i] = static_cast<uint32_t>(static_cast<int32_t>(cut * static_cast<float>(most)));
      } else if (image.type == TexelType::F16)
        result[i] = static_cast<uint32_t>(numbers::store(
            numbers::read(numbers::store(numbers::read(result[i], numbers::f32), numbers::f16, {}), numbers::f16),
            numbers::f32, {}));
    return result;
  }

  const Image &image;
  const Sampling &sampling;
  const uint8_t *bytes;
};

/// The sum of four weighted floats: `value` * 2^`exponent`.
struct QuadSum {
  int64_t value = 0;
  int exponent = -1000;
  bool isNaN = false, isInfinite = false, isNegativeInfinite = false;
};

QuadSum sumOf(const Tap *taps, unsigned channel, int mantissa) {
  constexpr int guard = 4; // bits of smaller texels below the last bit of the largest
  QuadSum sum;
  int largest = sum.exponent;
  for (unsigned i = 0; i < 4; ++i) {
    const auto value = std::bit_cast<float>(taps[i].bits[channel]);
    if (!taps[i].isNeeded || value == 0)
      continue;
    sum.isNaN |= std::isnan(value);
    if (std::isinf(value))
      (value < 0 ? sum.isNegativeInfinite : sum.isInfinite) = true;
    else if (taps[i].weight && !std::isnan(value))
      largest = std::max(largest, std::ilogb(value));
  }
  sum.exponent = largest - (mantissa - 1) - guard - 8; // weights are multiples of 1/256
  for (unsigned i = 0; i < 4; ++i) {
    const auto value = std::bit_cast<float>(taps[i].bits[channel]);
    if (taps[i].weight && std::isfinite(value) && value != 0)
      sum.value += static_cast<int64_t>(std::ldexp(static_cast<double>(value), -sum.exponent - 8)) * taps[i].weight;
  }
  return sum;
}

uint32_t nanOf(TexelType type) { return type == TexelType::F16 ? 0x7fffe000 : 0x7fffffff; }

uint32_t filteredFloat(const std::vector<Tap> &taps, unsigned channel, TexelType type) {
  const int mantissa = type == TexelType::F16 ? 11 : 24;
  QuadSum sum;
  for (size_t i = 0; i < taps.size(); i += 4) {
    const QuadSum next = sumOf(&taps[i], channel, mantissa);
    sum.isNaN |= next.isNaN;
    sum.isInfinite |= next.isInfinite;
    sum.isNegativeInfinite |= next.isNegativeInfinite;
    if (!sum.value || !next.value) {
      if (next.value) {
        sum.value = next.value;
        sum.exponent = next.exponent;
      }
      continue;
    }
    const int unit = std::max(sum.exponent, next.exponent) - 1;
    const auto aligned = [unit](int64_t value, int exponent) {
      return exponent > unit ? value << (exponent - unit) : value >> std::min(unit - exponent, 63);
    };
    sum.value = aligned(sum.value, sum.exponent) + aligned(next.value, next.exponent);
    sum.exponent = unit;
  }
  constexpr uint32_t infinity = 0x7f800000, sign = 0x80000000;
  if (sum.isNaN || (sum.isInfinite && sum.isNegativeInfinite))
    return nanOf(type);
  if (sum.isInfinite || sum.isNegativeInfinite)
    return infinity | (sum.isNegativeInfinite ? sign : 0);
  if (!sum.value)
    return 0;
  const numbers::Format &format = type == TexelType::F16 ? numbers::f16 : numbers::f32;
  numbers::Storing how;
  how.rounding = numbers::Rounding::NearestAway;
  how.flush = type == TexelType::F32;
  const auto size = static_cast<uint64_t>(sum.value < 0 ? -sum.value : sum.value);
  const uint64_t bits = numbers::store(numbers::Number::scaled(sum.value < 0, size, sum.exponent), format, how);
  return static_cast<uint32_t>(numbers::store(numbers::read(bits, format), numbers::f32, {}));
}

uint32_t filteredFraction(const std::vector<Tap> &taps, unsigned channel, TexelType type) {
  int64_t sum = 0;
  for (const Tap &tap : taps)
    sum += int64_t(expanded(static_cast<int32_t>(tap.bits[channel]), type)) * tap.weight;
  const bool isSigned = type == TexelType::S8 || type == TexelType::S16;
  return Texels::fraction(static_cast<int32_t>((sum + one / 2) >> 8), isSigned ? 32767 : 65535);
}

/// Returns the face of a cube that a direction selects, and the coordinates in it, from 0 to 1. If components are
/// equal, the last one is used.
uint32_t toFace(std::array<float, mostImageRank> &at) {
  const auto [x, y, z] = std::array<double, 3>{at[0], at[1], at[2]};
  double across = x, down = -y, along = z;
  uint32_t face = z < 0 ? 5 : 4;
  if (std::abs(z) >= std::abs(x) && std::abs(z) >= std::abs(y)) {
    across = z < 0 ? -x : x;
  } else if (std::abs(y) >= std::abs(x)) {
    face = y < 0 ? 3 : 2;
    along = y;
    down = y < 0 ? -z : z;
  } else {
    face = x < 0 ? 1 : 0;
    along = x;
    across = x < 0 ? z : -z;
  }
  const double length = along == 0 ? 1 : std::abs(along);
  at = {static_cast<float>((across / length + 1) / 2), static_cast<float>((down / length + 1) / 2), 0};
  return face;
}

/// A texel of a face of a cube.
struct FaceTexel {
  uint32_t face;
  int32_t x, y;
};

/// Returns the texel of the adjacent face that is beyond an edge. Coordinates are directions from the centre of the
/// cube, in units of half a texel.
FaceTexel beyondEdge(const FaceTexel &outside, int32_t extent) {
  const uint32_t axis = outside.face / 2;
  const int32_t sign = outside.face % 2 ? -1 : 1;
  const int32_t across = 2 * outside.x + 1 - extent, down = 2 * outside.y + 1 - extent;
  std::array<int32_t, 3> at = {across, -down, sign * extent};
  if (axis == 0)
    at = {sign * extent, -down, -sign * across};
  else if (axis == 1)
    at = {across, sign * extent, sign * down};
  else
    at[0] *= sign;
  uint32_t next = 0;
  for (uint32_t i = 0; i < 3; ++i)
    next = i != axis && std::abs(at[i]) > extent ? i : next;
  const int32_t nextSign = at[next] < 0 ? -1 : 1;
  at[next] = nextSign * extent; // the part beyond the edge continues down the adjacent face
  at[axis] = sign * (extent - 1);
  const int32_t nextAcross = next == 0 ? -nextSign * at[2] : next == 1 ? at[0] : nextSign * at[0];
  const int32_t nextDown = next == 1 ? nextSign * at[2] : -at[1];
  return {2 * next + (nextSign < 0), (nextAcross + extent - 1) / 2, (nextDown + extent - 1) / 2};
}

/// A fetch of one texture.
class Fetching {
public:
  Fetching(const Image &image, const Sampling &sampling, const uint8_t *bytes, const TexelFetch &asked)
      : image(image), sampling(sampling), texels(image, sampling, bytes), fetch(asked),
        face(image.isCube ? toFace(fetch.at) : 0) {}

  Texel run() const {
    if (fetch.areIntegers)
      return byIntegers();
    if (fetch.component >= 0)
      return gathered();
    int32_t level = std::max(fetch.isBase ? 0 : fetch.level + sampling.bias, sampling.leastLevel);
    level = std::clamp(level, 0, std::max(0, std::min<int32_t>(sampling.mostLevel, (image.levels - 1) * one)));
    if (!sampling.isLinearInLevels)
      level = (level + one / 2) / one * one;
    const auto first = static_cast<uint32_t>(level / one);
    const int32_t fraction = level % one;
    if (!sampling.isLinear && !fraction)
      return nearest(first);
    std::vector<Tap> taps;
    addTaps(taps, first, one - fraction);
    if (fraction)
      addTaps(taps, first + 1, fraction);
    return filtered(taps);
  }

private:
  uint32_t slice() const { return slice(face); }
  uint32_t slice(uint32_t ofFace) const {
    const uint32_t layers = image.layers ? image.layers : 1;
    return std::min(fetch.layer, layers - 1) * (image.isCube ? cubeFaces : 1) + ofFace;
  }
  bool isSeamless() const { return image.isCube && sampling.isSeamless; }
  AddressMode modeOf(unsigned dimension) const {
    const AddressMode mode = sampling.modes[dimension];
    if (isSeamless())
      return AddressMode::Clamp;
    return sampling.isNormalized || mode == AddressMode::Border ? mode : AddressMode::Clamp;
  }
  unsigned axes() const { return std::max(2u, image.rank); } // a one-dimensional image is a row
  Texel filtered(const std::vector<Tap> &taps) const {
    Texel result = {};
    for (uint32_t i = 0; i < image.channels; ++i)
      result[i] = texels.areFractions() ? filteredFraction(taps, i, image.type) : filteredFloat(taps, i, image.type);
    return result;
  }
  Texel byIntegers() const {
    std::array<int32_t, mostImageRank> at = {};
    const auto level = static_cast<uint32_t>(fetch.level);
    bool isInside = level < image.levels && fetch.layer < std::max(image.layers, 1u);
    for (unsigned i = 0; i < image.rank && isInside; ++i) {
      at[i] = fetch.texel[i] + fetch.offsets[i];
      if (fetch.hasLevel)
        at[i] = std::clamp(at[i], 0, static_cast<int32_t>(image.extent(i, level)) - 1);
      isInside = at[i] >= 0 && static_cast<uint32_t>(at[i]) < image.extent(i, level);
    }
    Texel result = {};
    if (!isInside)
      return result;
    const auto found = texels.texel(level, slice(), at);
    for (uint32_t i = 0; i < image.channels; ++i)
      result[i] = texels.given(found[i]);
    return result;
  }
  Texel nearest(uint32_t level) const {
    std::array<int32_t, mostImageRank> at = {};
    for (unsigned i = 0; i < image.rank; ++i) {
      const auto extent = static_cast<int32_t>(image.extent(i, level));
      const AddressMode mode = modeOf(i);
      const int64_t position = positionOf(fetch.at[i], extent, mode, sampling.isNormalized, /*isRounded=*/false);
      at[i] = texelAt((position >> 8) + fetch.offsets[i], extent, mode);
    }
    const auto found = texels.texel(level, slice(), at);
    Texel result = {};
    for (uint32_t i = 0; i < image.channels; ++i)
      result[i] = texels.given(found[i]);
    return result;
  }
  Axes axesOf(uint32_t level, bool isCut = true) const {
    Axes result;
    for (unsigned i = 0; i < axes(); ++i) {
      const auto extent = static_cast<int32_t>(image.extent(i, level));
      const AddressMode mode = modeOf(i);
      const float coordinate = i < image.rank ? fetch.at[i] : 0;
      int64_t position = positionOf(coordinate, extent, mode, sampling.isNormalized, /*isRounded=*/true) - one / 2 +
                         int64_t(fetch.offsets[i]) * one;
      if (isCut && mode == AddressMode::Clamp)
        position = std::clamp<int64_t>(position, 0, int64_t(extent - 1) * one);
      result[i] = {static_cast<int32_t>(position >> 8), static_cast<int32_t>(position & (one - 1))};
    }
    return result;
  }
  /// Adds four texels of a plane; `plane` is the third index.
  void addPlane(std::vector<Tap> &taps, uint32_t level, const Axes &at, int32_t plane, int32_t whole) const {
    const std::array<int32_t, 4> weights = weightsOf(at[0].fraction, at[1].fraction, whole);
    for (unsigned i = 0; i < 4; ++i) {
      std::array<int32_t, mostImageRank> index = {0, 0, plane};
      for (unsigned axis = 0; axis < 2; ++axis)
        index[axis] = texelAt(int64_t(at[axis].first) + (i >> axis & 1),
                              static_cast<int32_t>(image.extent(axis, level)), modeOf(axis));
      const bool isNeeded = whole && (!(i & 1) || at[0].fraction) && (!(i & 2) || at[1].fraction);
      taps.push_back({texels.texel(level, slice(), index), weights[i], isNeeded});
    }
  }
  /// Adds four texels around a location on a cube. At a corner, there are three, which share the weight of the fourth.
  void addFaces(std::vector<Tap> &taps, uint32_t level, int32_t whole) const {
    const Axes at = axesOf(level, /*isCut=*/false);
    const auto extent = static_cast<int32_t>(image.extent(0, level));
    std::array<int32_t, 4> weights = weightsOf(at[0].fraction, at[1].fraction, whole);
    const auto isOutside = [extent](int32_t index) { return index < 0 || index >= extent; };
    for (unsigned i = 0; i < 4; ++i) {
      if (!isOutside(at[0].first + int32_t(i & 1)) || !isOutside(at[1].first + int32_t(i >> 1)))
        continue;
      const int32_t shared = std::exchange(weights[i], 0), third = (shared + 1) / 3;
      weights[i ^ 1] += third;
      weights[i ^ 2] += third;
      weights[i ^ 3] += shared - 2 * third;
    }
    for (unsigned i = 0; i < 4; ++i) {
      FaceTexel here = {face, at[0].first + int32_t(i & 1), at[1].first + int32_t(i >> 1)};
      if (isOutside(here.x) && isOutside(here.y)) {
        taps.emplace_back();
        continue;
      }
      if (isOutside(here.x) || isOutside(here.y))
        here = beyondEdge(here, extent);
      const bool isNeeded = whole && (!(i & 1) || at[0].fraction) && (!(i & 2) || at[1].fraction);
      taps.push_back({texels.texel(level, slice(here.face), {here.x, here.y, 0}), weights[i], isNeeded});
    }
  }
  void addTaps(std::vector<Tap> &taps, uint32_t level, int32_t whole) const {
    if (!sampling.isLinear) {
      std::array<int32_t, mostImageRank> at = {};
      for (unsigned i = 0; i < image.rank; ++i) {
        const auto extent = static_cast<int32_t>(image.extent(i, level));
        const int64_t position = positionOf(fetch.at[i], extent, modeOf(i), sampling.isNormalized, false);
        at[i] = texelAt((position >> 8) + fetch.offsets[i], extent, modeOf(i));
      }
      taps.push_back({texels.texel(level, slice(), at), whole, true});
      taps.resize(taps.size() + 3);
      return;
    }
    if (isSeamless())
      return addFaces(taps, level, whole);
    const Axes at = axesOf(level);
    if (image.rank < 3)
      return addPlane(taps, level, at, 0, whole);
    const auto depth = static_cast<int32_t>(image.extent(2, level));
    const int32_t upper = halfUp(at[2].fraction * whole);
    addPlane(taps, level, at, texelAt(at[2].first, depth, modeOf(2)), whole - upper);
    addPlane(taps, level, at, texelAt(int64_t(at[2].first) + 1, depth, modeOf(2)), upper);
  }
  /// Returns a texel as the filter would return it alone: all NaNs are the same, and subnormal f32 numbers are zero.
  uint32_t asGathered(uint32_t bits) const {
    constexpr uint32_t exponents = 0x7f800000, sign = 0x80000000;
    if (!isFloat(image.type))
      return texels.given(bits);
    if ((bits & ~sign) > exponents)
      return nanOf(image.type);
    return image.type == TexelType::F32 && !(bits & exponents) ? bits & sign : bits;
  }
  /// Returns one component of the four texels that a filter would read: the second row from left to right, then the
  /// first row from right to left.
  Texel gathered() const {
    const Axes at = axesOf(0, /*isCut=*/false);
    constexpr std::array<std::array<int, 2>, 4> order = {{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
    Texel result = {};
    for (unsigned i = 0; i < 4; ++i) {
      std::array<int32_t, mostImageRank> index = {};
      for (unsigned axis = 0; axis < 2; ++axis)
        index[axis] = texelAt(int64_t(at[axis].first) + order[i][axis], static_cast<int32_t>(image.extent(axis, 0)),
                              modeOf(axis));
      const auto found = texels.texel(0, slice(), index);
      result[i] = static_cast<uint32_t>(fetch.component) < image.channels ? asGathered(found[fetch.component]) : 0;
    }
    return result;
  }

  const Image &image;
  const Sampling &sampling;
  const Texels texels;
  TexelFetch fetch;
  uint32_t face;
};

} // namespace

Texel fetchTexel(const Image &image, const Sampling &sampling, const uint8_t *bytes, const TexelFetch &fetch) {
  return Fetching(image, sampling, bytes, fetch).run();
}

int32_t fixedLevel(float level) {
  constexpr float most = 64;
  return std::isnan(level) ? 0 : static_cast<int32_t>(std::clamp(level, -most, most) * one);
}

int32_t levelOfGradients(const Image &image, const std::array<float, mostImageRank> &dx,
                         const std::array<float, mostImageRank> &dy) {
  double longest = 0;
  for (const auto &step : {dx, dy}) {
    double length = 0;
    for (unsigned i = 0; i < image.rank; ++i)
      length += std::pow(double(step[i]) * image.extents[i], 2);
    longest = std::max(longest, length);
  }
  return longest > 0 ? fixedLevel(static_cast<float>(0.5 * std::log2(longest))) : fixedLevel(-INFINITY);
}

} // namespace ptxray::machine
