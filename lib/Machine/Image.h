#pragma once
// Textures, surfaces and samplers: their properties, and the layout of texels in memory.
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ptxray::machine {

enum class TexelType : uint8_t { U8, U16, U32, S8, S16, S32, F16, F32 };
enum class AddressMode : uint8_t { Wrap, Mirror, Clamp, Border };

inline constexpr unsigned mostImageRank = 3;
inline constexpr unsigned mostImageLevels = 17;
inline constexpr unsigned cubeFaces = 6;

/// An image in memory. Texels are packed level by level. A level contains layers, and a layer of a cube contains faces.
/// Within a face, the first dimension is innermost. Rows in linear memory may have gaps between them.
struct Image {
  uint64_t address = 0;
  TexelType type = TexelType::F32;
  uint32_t channels = 1;
  uint32_t rank = 1;
  std::array<uint32_t, mostImageRank> extents = {1, 1, 1}; // sizes of the first level; 1 beyond the rank
  uint32_t layers = 0;                                     // number of array layers; 0 if the image is not an array
  bool isCube = false;                                     // each image or layer has six faces
  bool isBuffer = false; // one dimension in linear memory, accessible only by integer coordinates, without a filter
  uint32_t levels = 1;
  uint64_t pitch = 0; // distance between rows of a two-dimensional image with one level; 0 if rows are packed

  /// Returns the number of two-dimensional images: faces of all layers.
  uint32_t slices() const { return (layers ? layers : 1) * (isCube ? cubeFaces : 1); }
  uint32_t extent(unsigned dimension, uint32_t level) const {
    return extents[dimension] >> level ? extents[dimension] >> level : 1;
  }
  uint64_t texelBytes() const;
  uint64_t rowBytes(uint32_t level) const { return pitch ? pitch : extent(0, level) * texelBytes(); }
  uint64_t sliceBytes(uint32_t level) const;
  uint64_t levelOffset(uint32_t level) const;
  uint64_t bytes() const { return levelOffset(levels) - (pitch ? pitch - extents[0] * texelBytes() : 0); }
};
unsigned bitsOf(TexelType type);
inline bool isFloat(TexelType type) { return type == TexelType::F16 || type == TexelType::F32; }

/// How a texture is sampled. Levels are in units of 1/256.
struct Sampling {
  std::array<AddressMode, mostImageRank> modes = {AddressMode::Clamp, AddressMode::Clamp, AddressMode::Clamp};
  bool isLinear = false;         // between texels
  bool isLinearInLevels = false; // between levels
  bool isNormalized = false;     // coordinates from 0 to 1
  bool readsFractions = false;   // 8-bit and 16-bit integers become numbers from 0 or -1 to 1
  bool isSeamless = false;       // filters of cube maps extend over edges
  int32_t bias = 0, leastLevel = 0, mostLevel = 0;
  std::array<uint32_t, 4> border = {0, 0, 0, 0}; // bits of floats, or integers
};

/// Returns the reason why the driver would reject the image, or an empty string.
std::string findProblem(const Image &image);
std::string findProblem(const Image &image, const Sampling &sampling);

/// The image of a handle, or of a variable of type `.texref`, `.samplerref` or `.surfref`.
struct ImageObject {
  enum class Kind : uint8_t { Texture, Sampler, Surface };
  Kind kind = Kind::Texture;
  std::string name;           // name of the variable, or of the image's description
  std::optional<Image> image; // empty if nothing was bound to the variable
  Sampling sampling;
};

} // namespace ptxray::machine
