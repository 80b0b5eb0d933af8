#pragma once
// Texture fetches: selects texels by coordinates, and filters them. docs/emulator.md lists which results were compared
// with a GPU.
#include "Machine/Image.h"

namespace ptxray::machine {

/// One fetch of one lane.
struct TexelFetch {
  std::array<float, mostImageRank> at = {};      // coordinates
  std::array<int32_t, mostImageRank> texel = {}; // integer coordinates
  bool areIntegers = false;
  uint32_t layer = 0;
  std::array<int32_t, mostImageRank> offsets = {}; // in texels
  int32_t level = 0;                               // level in units of 1/256; for integer coordinates, the level number
  bool hasLevel =
      false;           // the level is explicit; integer coordinates outside of the image then select the nearest texel
  bool isBase = false; // always reads the first level
  int component = -1;  // component of four texels; -1 for all components of one filtered texel
};
/// The bits of four numbers, integers or f32. Channels that the image lacks are zero.
using Texel = std::array<uint32_t, 4>;

/// Returns the result of a fetch. `bytes` is the image's memory.
Texel fetchTexel(const Image &image, const Sampling &sampling, const uint8_t *bytes, const TexelFetch &fetch);
/// Returns a level in units of 1/256, limited to the range of a sampler.
int32_t fixedLevel(float level);
/// Returns the level whose texels match the size of these gradients, in units of 1/256.
int32_t levelOfGradients(const Image &image, const std::array<float, mostImageRank> &dx,
                         const std::array<float, mostImageRank> &dy);

} // namespace ptxray::machine
