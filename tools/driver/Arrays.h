#pragma once
// Arrays: images whose texels only textures, surfaces and copies of boxes come to.
#include "Machine/Image.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ptxray::driver {

/// The bytes of a box in an array, by row and plane. Null: there is no such array, or the box is not all in it.
struct ArrayPlace {
  uint8_t *begin = nullptr;
  size_t pitch = 0, plane = 0;
};
ArrayPlace placeIn(void *array, size_t x, size_t y, size_t z, size_t width, size_t height, size_t depth);

} // namespace ptxray::driver
