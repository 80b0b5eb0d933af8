#pragma once
// CUDA arrays: images that only textures, surfaces and copies of boxes can access.
#include "Machine/Image.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ptxray::driver {

/// The memory of a box in an array. `begin` is null if the array does not exist, or the box exceeds it.
struct ArrayPlace {
  uint8_t *begin = nullptr;
  size_t pitch = 0, plane = 0;
};
ArrayPlace placeIn(void *array, size_t x, size_t y, size_t z, size_t width, size_t height, size_t depth);

} // namespace ptxray::driver
