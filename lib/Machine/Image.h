#pragma once
// Textures, surfaces and samplers: what they say, and where their texels lie in the memory of the machine.
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

/// Texels of an image lie packed: level after level, in each of them layer after layer, of a cube face after face, in
/// each of these the first dimension innermost. Rows in linear memory may have gaps between them.
struct Image {
  uint64_t address = 0;
  TexelType type = TexelType::F32;
  uint32_t channels = 1;
  uint32_t rank = 1;
  std::array<uint32_t, mostImageRank> extents = {1, 1, 1}; // of the first level; those beyond the rank are 1
  uint32_t layers = 0;                                     // of a list of images; 0: it is none
  bool isCube = false;                                     // each image, or each layer, is six faces
  bool isBuffer = false; // in linear memory, which is read by integers alone: one dimension, no filter
  uint32_t levels = 1;
  uint64_t pitch = 0; // from row to row of an image of two dimensions and one level; 0: rows are packed

  /// Images of one level: faces of all layers.
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

/// The way in which a texture is read. Levels are in units of 1/256.
struct Sampling {
  std::array<AddressMode, mostImageRank> modes = {AddressMode::Clamp, AddressMode::Clamp, AddressMode::Clamp};
  bool isLinear = false;         // between texels
  bool isLinearInLevels = false; // between levels
  bool isNormalized = false;     // coordinates from 0 to 1
  bool readsFractions = false;   // integers of 8 and 16 bits become numbers from 0 or -1 to 1
  bool isSeamless = false;       // filters of cubes reach over edges
  int32_t bias = 0, leastLevel = 0, mostLevel = 0;
  std::array<uint32_t, 4> border = {0, 0, 0, 0}; // bits of floats, or integers
};

/// Says why the driver would refuse the image. Returns an empty text if it accepts it.
std::string findProblem(const Image &image);
std::string findProblem(const Image &image, const Sampling &sampling);

/// The image that a handle or a variable of type `.texref`, `.samplerref` or `.surfref` names.
struct ImageObject {
  enum class Kind : uint8_t { Texture, Sampler, Surface };
  Kind kind = Kind::Texture;
  std::string name;           // of the variable, or of what describes it
  std::optional<Image> image; // none: nothing was bound to the variable
  Sampling sampling;
};

} // namespace ptxray::machine
