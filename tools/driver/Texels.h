#pragma once
// Arrays, textures and surfaces of the driver.
#include "../cuda/Types.h"
#include "Machine/Image.h"
#include <memory>
#include <optional>
#include <vector>

namespace ptxray::driver {

struct Array {
  ArrayDescription described;
  machine::Image image;
  uint8_t *bytes = nullptr;
  bool isLevel = false; // one level of a mipmapped array, which owns the memory
};
struct MipmappedArray {
  machine::Image image;
  uint8_t *bytes = nullptr;
  std::vector<std::unique_ptr<Array>> levels;
};

/// Returns null for an invalid handle.
Array *arrayOf(void *handle);
const machine::Image *mipmappedImage(void *handle);
/// Returns the texel type for a format number of the API.
std::optional<machine::TexelType> texelType(int format);

/// A texture or a surface, and its description.
struct ImageHandle {
  bool isTexture = true;
  ResourceDescription resource;
  TextureDescription texture;
};

} // namespace ptxray::driver
