#pragma once
// Arrays as objects, and the structures that describe them, textures and surfaces.
#include "Machine/Image.h"
#include "Types.h"
#include <memory>
#include <optional>
#include <vector>

namespace ptxray::driver {

struct FlatArrayDescription {
  size_t width, height;
  int format;
  unsigned channels;
};
struct ArrayDescription {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

struct Array {
  ArrayDescription described;
  machine::Image image;
  uint8_t *bytes = nullptr;
  bool isLevel = false; // it is one of a mipmapped array, which has the bytes
};
struct MipmappedArray {
  machine::Image image;
  uint8_t *bytes = nullptr;
  std::vector<std::unique_ptr<Array>> levels;
};

/// Returns null for a handle that nothing alive has.
Array *arrayOf(void *handle);
const machine::Image *mipmappedImage(void *handle);
/// The type of texels by its number in the API.
std::optional<machine::TexelType> texelType(int format);

/// A texture or a surface shows this memory.
struct ResourceDescription {
  int kind; // 0: an array, 1: a mipmapped one, 2: linear memory, 3: rows of memory
  int padding;
  union {
    void *array;
    struct {
      Address address;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      Address address;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } rows;
    int reserved[32];
  };
  unsigned flags;
};
struct TextureDescription {
  int modes[3], filter;
  unsigned flags, anisotropy;
  int levelFilter;
  float bias, leastLevel, mostLevel, border[4];
  int reserved[12];
};
struct ViewDescription {
  int format;
  size_t width, height, depth;
  unsigned firstLevel, lastLevel, firstLayer, lastLayer, reserved[16];
};

/// A texture or a surface as it was described.
struct ImageHandle {
  bool isTexture = true;
  ResourceDescription resource;
  TextureDescription texture;
};

} // namespace ptxray::driver
