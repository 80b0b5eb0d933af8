#pragma once
// Fetches of textures: which texels a coordinate leads to, and what a filter makes of them. docs/emulator.md says what
// of it was compared with a GPU.
#include "Machine/Image.h"

namespace ptxray::machine {

/// One fetch of one lane.
struct TexelFetch {
  std::array<float, mostImageRank> at = {};      // coordinates
  std::array<int32_t, mostImageRank> texel = {}; // the same, where they are integers
  bool areIntegers = false;
  uint32_t layer = 0;
  std::array<int32_t, mostImageRank> offsets = {}; // in texels
  int32_t level = 0;                               // in units of 1/256; of integers the level itself
  bool hasLevel = false;                           // it is written; then integers outside lead to the nearest texel
  bool isBase = false;                             // of the first level, whatever the sampling says
  int component = -1;                              // of four texels this one; -1: all of a filtered one
};
/// The bits of four numbers: integers or f32. Channels that the image lacks are zero.
using Texel = std::array<uint32_t, 4>;

/// `bytes` are those of the image, in memory.
Texel fetchTexel(const Image &image, const Sampling &sampling, const uint8_t *bytes, const TexelFetch &fetch);
/// Returns a level in units of 1/256, cut to what a sampler can hold.
int32_t fixedLevel(float level);
/// Returns the level whose texels are as large as steps of these gradients, in units of 1/256.
int32_t levelOfGradients(const Image &image, const std::array<float, mostImageRank> &dx,
                         const std::array<float, mostImageRank> &dy);

} // namespace ptxray::machine
