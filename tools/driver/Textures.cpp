// Objects for textures and surfaces.
#include "State.h"
#include "Texels.h"
#include "llvm/Support/raw_ostream.h"
#include <bit>
#include <cmath>

using namespace ptxray;
using namespace ptxray::driver;
using machine::ImageObject;

/// Writes the image that a resource describes. Returns Success, or the reason why there is none.
static Result imageOf(const ResourceDescription &resource, machine::Image &image) {
  switch (resource.kind) {
  case 0:
    if (const Array *array = arrayOf(resource.array)) {
      image = array->image;
      return Success;
    }
    return InvalidHandle;
  case 1:
    if (const machine::Image *found = mipmappedImage(resource.array)) {
      image = *found;
      return Success;
    }
    return InvalidHandle;
  case 2: {
    const auto type = texelType(resource.linear.format);
    if (!type || !resource.linear.channels || resource.linear.channels > 4 || resource.linear.channels == 3)
      return InvalidValue;
    image.type = *type;
    image.channels = resource.linear.channels;
    image.isBuffer = true;
    image.address = resource.linear.address;
    image.extents[0] = static_cast<uint32_t>(resource.linear.bytes / image.texelBytes());
    return bytesAt(image.address, resource.linear.bytes) && image.extents[0] ? Success : InvalidValue;
  }
  case 3: {
    const auto &rows = resource.rows;
    const auto type = texelType(rows.format);
    if (!type || !rows.channels || rows.channels > 4 || rows.channels == 3 || !rows.width || !rows.height)
      return InvalidValue;
    image.type = *type;
    image.channels = rows.channels;
    image.rank = 2;
    image.address = rows.address;
    image.extents = {static_cast<uint32_t>(rows.width), static_cast<uint32_t>(rows.height), 1};
    constexpr size_t alignment = 32; // the device has the same attribute
    if (rows.pitch < rows.width * image.texelBytes() || rows.pitch % alignment ||
        !bytesAt(image.address, (rows.height - 1) * rows.pitch + rows.width * image.texelBytes()))
      return InvalidValue;
    image.pitch = rows.pitch;
    return Success;
  }
  default: return InvalidValue;
  }
}

/// Returns how a texture is read, or nothing if a texture cannot be read in that way.
static std::optional<machine::Sampling> samplingOf(const TextureDescription &texture, machine::TexelType type) {
  using enum machine::AddressMode;
  static constexpr machine::AddressMode modes[] = {Wrap, Clamp, Mirror, Border};
  machine::Sampling sampling;
  for (unsigned i = 0; i < 3; ++i) {
    if (texture.modes[i] < 0 || texture.modes[i] > 3)
      return std::nullopt;
    sampling.modes[i] = modes[texture.modes[i]];
  }
  if (texture.filter < 0 || texture.filter > 1 || texture.levelFilter < 0 || texture.levelFilter > 1)
    return std::nullopt;
  const auto units = [](float level) {
    return static_cast<int32_t>(std::lround(std::clamp(level, -16.F, 16.F) * 256));
  };
  sampling.isLinear = texture.filter == 1;
  sampling.isLinearInLevels = texture.levelFilter == 1;
  sampling.isNormalized = texture.flags & TextureIsNormalized;
  sampling.readsFractions = !(texture.flags & TextureAsIntegers) && !isFloat(type) && bitsOf(type) < 32;
  sampling.isSeamless = texture.flags & TextureIsSeamless;
  sampling.bias = units(texture.bias);
  sampling.leastLevel = units(texture.leastLevel);
  sampling.mostLevel = units(texture.mostLevel);
  for (unsigned i = 0; i < 4; ++i)
    sampling.border[i] = isFloat(type) || sampling.readsFractions ? std::bit_cast<uint32_t>(texture.border[i])
                                                                  : static_cast<uint32_t>(texture.border[i]);
  return texture.flags & TextureIsSrgb ? std::nullopt : std::optional(sampling);
}

static Result refused(const std::string &problem) {
  if (problem.empty())
    return Success;
  llvm::errs() << "ptxray: " << problem << '\n';
  return InvalidValue;
}

static void keep(uint64_t *to, const ImageHandle &handle, ImageObject object) {
  *to = state().memory.addObject(std::move(object));
  state().images[*to] = handle;
}

PTXRAY_API cuTexObjectCreate(uint64_t *to, const ResourceDescription *resource, const TextureDescription *texture,
                             const ViewDescription *view) {
  PTXRAY_BEGIN;
  if (!to || !resource || !texture)
    return InvalidValue;
  if (view && view->format)
    return NotSupported;
  ImageObject object;
  object.name = "a texture object";
  object.image.emplace();
  if (const Result bad = imageOf(*resource, *object.image))
    return bad;
  const auto sampling = samplingOf(*texture, object.image->type);
  if (!sampling)
    return InvalidValue;
  object.sampling = *sampling;
  if (const Result bad = refused(findProblem(*object.image, object.sampling)))
    return bad;
  keep(to, {true, *resource, *texture}, std::move(object));
  return Success;
}

PTXRAY_API cuSurfObjectCreate(uint64_t *to, const ResourceDescription *resource) {
  PTXRAY_BEGIN;
  if (!to || !resource || resource->kind != 0)
    return InvalidValue;
  ImageObject object;
  object.kind = ImageObject::Kind::Surface;
  object.name = "a surface object";
  object.image.emplace();
  if (const Result bad = imageOf(*resource, *object.image))
    return bad;
  if (const Result bad = refused(findProblem(*object.image)))
    return bad;
  keep(to, {false, *resource, {}}, std::move(object));
  return Success;
}

static Result destroy(uint64_t handle, bool isTexture) {
  PTXRAY_BEGIN;
  const auto found = state().images.find(handle);
  if (found == state().images.end() || found->second.isTexture != isTexture)
    return InvalidValue;
  if (const Result bad = finishAll())
    return bad;
  state().memory.removeObject(handle);
  state().images.erase(found);
  return Success;
}
PTXRAY_API cuTexObjectDestroy(uint64_t handle) { return destroy(handle, true); }
PTXRAY_API cuSurfObjectDestroy(uint64_t handle) { return destroy(handle, false); }

template <typename T> static Result give(T *to, uint64_t handle, bool isTexture, T ImageHandle::*part) {
  PTXRAY_BEGIN;
  const auto found = state().images.find(handle);
  if (!to || found == state().images.end() || found->second.isTexture != isTexture)
    return InvalidValue;
  *to = found->second.*part;
  return Success;
}
PTXRAY_API cuTexObjectGetResourceDesc(ResourceDescription *to, uint64_t handle) {
  return give(to, handle, true, &ImageHandle::resource);
}
PTXRAY_API cuTexObjectGetTextureDesc(TextureDescription *to, uint64_t handle) {
  return give(to, handle, true, &ImageHandle::texture);
}
PTXRAY_API cuSurfObjectGetResourceDesc(ResourceDescription *to, uint64_t handle) {
  return give(to, handle, false, &ImageHandle::resource);
}
