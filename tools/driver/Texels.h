#pragma once
// Arrays, textures and surfaces as objects of the driver.
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
/// Returns the type of texels by its number in the API.
std::optional<machine::TexelType> texelType(int format);

/// A texture or a surface as it was described.
struct ImageHandle {
  bool isTexture = true;
  ResourceDescription resource;
  TextureDescription texture;
};

} // namespace ptxray::driver
