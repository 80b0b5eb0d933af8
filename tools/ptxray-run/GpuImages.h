#pragma once
// Textures and surfaces on a GPU: CUDA arrays, which are filled from buffers before a launch. Surfaces are copied back
// afterwards.
#include "Driver.h"
#include "Images.h"
#include <list>

namespace ptxray::launcher {

class GpuImages {
public:
  explicit GpuImages(const Driver &gpu) : gpu(gpu) {}
  GpuImages(const GpuImages &) = delete;
  GpuImages &operator=(const GpuImages &) = delete;
  ~GpuImages();

  /// Creates an object whose texels are in a buffer on the GPU.
  CuResult make(const ImageDescription &image, CuPointer texels, uint64_t &handle);
  /// Copies the texels from the buffers to the arrays, before a launch.
  CuResult fill() const;
  /// Copies the contents of surfaces back to the buffers, after a launch.
  CuResult read() const;

private:
  struct Made {
    ImageDescription image;
    CuPointer texels;
    CuHandle array = nullptr; // null for a texture in linear memory
    uint64_t handle = 0;
  };
  CuResult makeArray(Made &made) const;
  CuResult makeObject(Made &made, const driver::ResourceDescription &resource) const;
  CuResult copy(const Made &made, bool isBack) const;

  const Driver &gpu;
  std::list<Made> all;
};

} // namespace ptxray::launcher
