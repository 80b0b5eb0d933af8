#pragma once
// Parses textures, surfaces and samplers on the command line: `tex=f32:64x64:linear:wrap:&0`, `surf=u8x4:16x16:&1`,
// `sampler=linear:clamp`.
#include "Buffer.h"
#include <array>

namespace ptxray::launcher {

/// An address in a buffer: `&0`, `&0+128`, `&weights`.
struct Address {
  std::string buffer;
  uint64_t offset = 0;
};

struct ImageDescription {
  enum class Kind : uint8_t { Texture, Surface, Sampler };
  enum class Mode : uint8_t { Wrap, Clamp, Mirror, Border }; // with the numbers of the driver

  Kind kind = Kind::Texture;
  const ElementType *type = nullptr;
  unsigned channels = 1;
  std::vector<uint32_t> extents; // innermost first
  uint32_t layers = 0, levels = 1;
  bool isCube = false, isBuffer = false;
  Address at;
  uint64_t handle = 0; // handle in a recorded launch; 0 if there is none

  std::array<Mode, 3> modes = {Mode::Clamp, Mode::Clamp, Mode::Clamp};
  bool isLinear = false, isLinearInLevels = false, isNormalized = false, readsFractions = false, isSeamless = false;
  double bias = 0, leastLevel = 0, mostLevel = 1000;
  std::array<double, 4> border = {0, 0, 0, 0};
};

/// Returns whether a text describes a texture, a surface or a sampler.
bool isImage(const std::string &text);
/// Parses a description.
Expected<ImageDescription> readImage(const std::string &text);
/// Returns the description without its buffer.
std::string textOf(const ImageDescription &image);
/// Returns the number of two-dimensional images in one level: faces of all layers.
uint32_t slicesOf(const ImageDescription &image);
/// Returns the size of all packed texels.
uint64_t bytesOf(const ImageDescription &image);

} // namespace ptxray::launcher
