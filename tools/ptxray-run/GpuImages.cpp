#include "GpuImages.h"
#include <algorithm>

namespace ptxray::launcher {

using Kind = ImageDescription::Kind;

GpuImages::~GpuImages() {
  for (const Made &made : all) {
    if (made.handle)
      made.image.kind == Kind::Surface ? gpu.cuSurfObjectDestroy(made.handle) : gpu.cuTexObjectDestroy(made.handle);
    if (made.array)
      made.image.levels > 1 ? gpu.cuMipmappedArrayDestroy(made.array) : gpu.cuArrayDestroy(made.array);
  }
}

/// Returns the number of a type in the API of the driver.
static int formatOf(const ElementType &type) {
  const int size = type.bits == 8 ? 0 : type.bits == 16 ? 1 : 2;
  if (type.kind == ElementType::Float)
    return size == 1 ? 0x10 : 0x20;
  return (type.kind == ElementType::Signed ? 8 : 1) + size;
}

static driver::ArrayDescription descriptorOf(const ImageDescription &image) {
  enum { Layered = 1, Stored = 2, Cube = 4, Gathered = 8 };
  driver::ArrayDescription result = {};
  result.width = image.extents[0];
  result.height = image.extents.size() > 1 ? image.extents[1] : 0;
  result.depth = image.extents.size() > 2 ? image.extents[2] : image.layers || image.isCube ? slicesOf(image) : 0;
  result.format = formatOf(*image.type);
  result.channels = image.channels;
  const bool isPlain = image.extents.size() == 2 && !image.layers && !image.isCube && image.levels == 1;
  result.flags = (image.layers ? Layered : 0) | (image.isCube ? Cube : 0) | (image.kind == Kind::Surface ? Stored : 0) |
                 (image.kind == Kind::Texture && isPlain ? Gathered : 0);
  return result;
}

CuResult GpuImages::makeArray(Made &made) const {
  const driver::ArrayDescription descriptor = descriptorOf(made.image);
  return made.image.levels > 1 ? gpu.cuMipmappedArrayCreate(&made.array, &descriptor, made.image.levels)
                               : gpu.cuArray3DCreate_v2(&made.array, &descriptor);
}

static driver::TextureDescription samplingOf(const ImageDescription &image) {
  enum { AsIntegers = 1, Normalized = 2, Seamless = 0x40 };
  driver::TextureDescription result = {};
  for (int i = 0; i < 3; ++i)
    result.modes[i] = static_cast<int>(image.modes[i]);
  result.filter = image.isLinear;
  const bool areIntegers = image.type->kind != ElementType::Float && !image.readsFractions;
  result.flags =
      (areIntegers ? AsIntegers : 0) | (image.isNormalized ? Normalized : 0) | (image.isSeamless ? Seamless : 0);
  result.levelFilter = image.isLinearInLevels;
  result.bias = static_cast<float>(image.bias);
  result.leastLevel = static_cast<float>(image.leastLevel);
  result.mostLevel = static_cast<float>(image.mostLevel);
  for (int i = 0; i < 4; ++i)
    result.border[i] = static_cast<float>(image.border[i]);
  return result;
}

CuResult GpuImages::make(const ImageDescription &image, CuPointer texels, uint64_t &handle) {
  Made &made = all.emplace_back(Made{image, texels});
  driver::ResourceDescription resource = {};
  if (image.isBuffer) {
    resource.kind = driver::LinearResource;
    resource.linear = {texels, formatOf(*image.type), image.channels,
                       uint64_t(image.extents[0]) * image.channels * (image.type->bits / 8)};
  } else {
    if (const CuResult result = makeArray(made))
      return result;
    resource.kind = image.levels > 1 ? driver::MipmappedResource : driver::ArrayResource;
    resource.array = made.array;
  }
  const CuResult result = makeObject(made, resource);
  handle = made.handle;
  return result;
}

/// Makes the object. A recorded object gets its old handle if the driver returns it for one of the next objects. Then a
/// number that only looks like a handle stays valid.
CuResult GpuImages::makeObject(Made &made, const driver::ResourceDescription &resource) const {
  constexpr size_t mostTries = 1024;
  const bool isSurface = made.image.kind == Kind::Surface;
  const driver::TextureDescription sampling = samplingOf(made.image);
  std::vector<uint64_t> others;
  CuResult result = 0;
  do {
    if (made.handle)
      others.push_back(made.handle);
    result = isSurface ? gpu.cuSurfObjectCreate(&made.handle, &resource)
                       : gpu.cuTexObjectCreate(&made.handle, &resource, &sampling, nullptr);
  } while (result == 0 && made.image.handle && made.handle != made.image.handle && others.size() < mostTries);
  for (const uint64_t other : others)
    isSurface ? gpu.cuSurfObjectDestroy(other) : gpu.cuTexObjectDestroy(other);
  return result;
}

/// Copies all levels from or to the buffer, where they follow one another.
CuResult GpuImages::copy(const Made &made, bool isBack) const {
  const ImageDescription &image = made.image;
  CuPointer texels = made.texels;
  for (uint32_t level = 0; level < image.levels; ++level) {
    const auto extent = [&](size_t dimension) -> size_t {
      return dimension < image.extents.size() ? std::max<size_t>(image.extents[dimension] >> level, 1) : 1;
    };
    CuHandle array = made.array;
    if (image.levels > 1)
      if (const CuResult result = gpu.cuMipmappedArrayGetLevel(&array, made.array, level))
        return result;
    driver::Copy3D copy = {};
    copy.width = extent(0) * image.channels * (image.type->bits / 8);
    copy.height = extent(1);
    copy.depth = extent(2) * slicesOf(image);
    copy.fromKind = isBack ? driver::KindArray : driver::KindDevice;
    copy.toKind = isBack ? driver::KindDevice : driver::KindArray;
    (isBack ? copy.fromArray : copy.toArray) = array;
    (isBack ? copy.toDevice : copy.fromDevice) = texels;
    (isBack ? copy.toPitch : copy.fromPitch) = copy.width;
    (isBack ? copy.toHeight : copy.fromHeight) = copy.height;
    if (const CuResult result = gpu.cuMemcpy3D_v2(&copy))
      return result;
    texels += copy.width * copy.height * copy.depth;
  }
  return 0;
}

CuResult GpuImages::fill() const {
  for (const Made &made : all)
    if (made.array)
      if (const CuResult result = copy(made, /*isBack=*/false))
        return result;
  return 0;
}

CuResult GpuImages::read() const {
  for (const Made &made : all)
    if (made.array && made.image.kind == Kind::Surface)
      if (const CuResult result = copy(made, /*isBack=*/true))
        return result;
  return 0;
}

} // namespace ptxray::launcher
