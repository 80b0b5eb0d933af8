#include "Machine/Image.h"
#include <algorithm>
#include <bit>

namespace ptxray::machine {

unsigned bitsOf(TexelType type) {
  switch (type) {
  case TexelType::U8:
  case TexelType::S8: return 8;
  case TexelType::U16:
  case TexelType::S16:
  case TexelType::F16: return 16;
  default: return 32;
  }
}

uint64_t Image::texelBytes() const { return uint64_t(bitsOf(type)) / 8 * channels; }

uint64_t Image::sliceBytes(uint32_t level) const { return rowBytes(level) * extent(1, level) * extent(2, level); }

uint64_t Image::levelOffset(uint32_t level) const {
  uint64_t offset = 0;
  for (uint32_t i = 0; i < level; ++i)
    offset += sliceBytes(i) * slices();
  return offset;
}

std::string findProblem(const Image &image) {
  constexpr uint32_t mostBuffer = 1 << 27, mostExtent = 131072, mostLayers = 2048;
  if (image.channels != 1 && image.channels != 2 && image.channels != 4)
    return "it has " + std::to_string(image.channels) + " channels, not 1, 2 or 4";
  if (image.rank < 1 || image.rank > mostImageRank)
    return "it has " + std::to_string(image.rank) + " dimensions, not 1 to 3";
  const uint32_t most = image.isBuffer ? mostBuffer : image.rank == 3 ? 16384 : mostExtent;
  for (unsigned i = 0; i < image.rank; ++i)
    if (!image.extents[i] || image.extents[i] > most)
      return "an extent of " + std::to_string(image.extents[i]) + ", where 1 to " + std::to_string(most) +
             " are allowed";
  if (image.layers > mostLayers || (image.layers && image.rank == 3))
    return "more than " + std::to_string(mostLayers) + " layers, or layers of three dimensions";
  if (image.isCube && (image.rank != 2 || image.extents[0] != image.extents[1]))
    return "the faces of a cube must be squares";
  if (image.isBuffer && (image.rank != 1 || image.layers || image.levels != 1))
    return "a buffer must have one dimension, no layers and no levels";
  const uint32_t largest = *std::ranges::max_element(image.extents);
  if (!image.levels || image.levels > static_cast<uint32_t>(std::bit_width(largest)))
    return std::to_string(image.levels) + " levels, where there are " + std::to_string(std::bit_width(largest));
  return "";
}

std::string findProblem(const Image &image, const Sampling &sampling) {
  if (std::string problem = findProblem(image); !problem.empty())
    return problem;
  if (sampling.readsFractions && (isFloat(image.type) || bitsOf(image.type) == 32))
    return "only integers of 8 and 16 bits can be read as fractions";
  const bool areIntegers = !isFloat(image.type) && !sampling.readsFractions;
  if ((sampling.isLinear || sampling.isLinearInLevels) && areIntegers)
    return "integers cannot be filtered, except those of 8 and 16 bits that are read as fractions";
  if (image.levels > 1 && !sampling.isNormalized)
    return "levels need normalized coordinates";
  if (image.isCube && !sampling.isNormalized)
    return "a cube needs normalized coordinates";
  if (image.isBuffer && (sampling.isLinear || sampling.isNormalized))
    return "a buffer can be read only at integer coordinates, without a filter";
  return "";
}

} // namespace ptxray::machine
