// Arrays, textures, and surfaces.
#include "Runtime.h"
#include <algorithm>

namespace ptxray::runtime {

/// The driver's number for the format of a texel's channels, and the number of channels. If it is 0, no array has that
/// format.
struct TexelFormat {
  int format = 0;
  unsigned channels = 0;
};
static TexelFormat formatOf(const ChannelDescription &described) {
  const int bits = described.bits[0];
  TexelFormat found;
  for (const int one : described.bits) {
    if (one && one != bits)
      return {};
    found.channels += one != 0;
  }
  if (bits != 8 && bits != 16 && bits != 32)
    return {};
  const int size = bits == 8 ? 1 : bits == 16 ? 2 : 3;
  switch (described.kind) {
  case 0: found.format = 0x07 + size; break;
  case 1: found.format = size; break;
  case 2: found.format = bits == 16 ? 0x10 : bits == 32 ? 0x20 : 0; break;
  default: break;
  }
  return found;
}

static ChannelDescription channelsOf(int format, unsigned channels) {
  ChannelDescription described = {};
  std::fill_n(described.bits, channels, static_cast<int>(8 * bytesOfFormat(format)));
  described.kind = format >= 0x10 ? 2 : format >= 0x08 ? 0 : 1;
  return described;
}

static Error makeArray(void **array, const ChannelDescription *channels, Extent extent, unsigned flags,
                       const unsigned *levels) {
  return inContext([&] {
    if (!array || !channels)
      return Error(InvalidValue);
    const TexelFormat format = formatOf(*channels);
    if (!format.format)
      return Error(InvalidChannels);
    const ArrayDescription described = {extent.width,  extent.height,   extent.depth,
                                        format.format, format.channels, flags};
    return levels ? cuMipmappedArrayCreate(array, &described, *levels) : cuArray3DCreate_v2(array, &described);
  });
}

/// The memory of a texture or surface, in the structure of the runtime.
struct Resource {
  int kind; // 0: an array, 1: a mipmapped array, 2: linear memory, 3: rows of memory
  union {
    void *array;
    struct {
      Address address;
      ChannelDescription channels;
      size_t bytes;
    } linear;
    struct {
      Address address;
      ChannelDescription channels;
      size_t width, height, pitch;
    } rows;
    int reserved[32];
  };
  unsigned flags;
};
struct Texture {
  int modes[3], filter, readsFractions, isSrgb;
  float border[4];
  int isNormalized;
  unsigned anisotropy;
  int levelFilter;
  float bias, leastLevel, mostLevel;
  int isNearestInLevels, isSeamless;
};

static Error resourceOf(ResourceDescription &to, const Resource &asked) {
  to = {};
  to.kind = asked.kind;
  const auto setFormat = [&](auto &memory, const auto &from) {
    const TexelFormat format = formatOf(from.channels);
    memory.address = from.address;
    memory.format = format.format;
    memory.channels = format.channels;
    return format.format ? Error(Success) : Error(InvalidChannels);
  };
  switch (asked.kind) {
  case 0:
  case 1: to.array = asked.array; return Success;
  case 2: to.linear.bytes = asked.linear.bytes; return setFormat(to.linear, asked.linear);
  case 3:
    to.rows.width = asked.rows.width;
    to.rows.height = asked.rows.height;
    to.rows.pitch = asked.rows.pitch;
    return setFormat(to.rows, asked.rows);
  default: return InvalidValue;
  }
}

static TextureDescription textureOf(const Texture &asked) {
  constexpr unsigned asIntegers = 1, normalized = 2, sRgb = 0x10, nearestInLevels = 0x20, seamless = 0x40;
  TextureDescription to = {};
  std::copy_n(asked.modes, 3, to.modes);
  to.filter = asked.filter;
  to.flags = (asked.readsFractions ? 0 : asIntegers) | (asked.isNormalized ? normalized : 0) |
             (asked.isSrgb ? sRgb : 0) | (asked.isNearestInLevels ? nearestInLevels : 0) |
             (asked.isSeamless ? seamless : 0);
  to.anisotropy = asked.anisotropy;
  to.levelFilter = asked.levelFilter;
  to.bias = asked.bias;
  to.leastLevel = asked.leastLevel;
  to.mostLevel = asked.mostLevel;
  std::copy_n(asked.border, 4, to.border);
  return to;
}

} // namespace ptxray::runtime

using namespace ptxray::runtime;

extern "C" __attribute__((visibility("default"))) ChannelDescription cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                                           int kind) {
  return {{x, y, z, w}, kind};
}

PTXRAY_RUNTIME cudaMallocArray(void **array, const ChannelDescription *channels, size_t width, size_t height,
                               unsigned flags) {
  return makeArray(array, channels, {width, height, 0}, flags, nullptr);
}
PTXRAY_RUNTIME cudaMalloc3DArray(void **array, const ChannelDescription *channels, Extent extent, unsigned flags) {
  return makeArray(array, channels, extent, flags, nullptr);
}
PTXRAY_RUNTIME cudaMallocMipmappedArray(void **array, const ChannelDescription *channels, Extent extent,
                                        unsigned levels, unsigned flags) {
  return makeArray(array, channels, extent, flags, &levels);
}
PTXRAY_RUNTIME cudaFreeArray(void *array) {
  return inContext([&] { return array ? cuArrayDestroy(array) : Error(Success); });
}
PTXRAY_RUNTIME cudaFreeMipmappedArray(void *array) {
  return inContext([&] { return array ? cuMipmappedArrayDestroy(array) : Error(Success); });
}
PTXRAY_RUNTIME cudaArrayGetInfo(ChannelDescription *channels, Extent *extent, unsigned *flags, void *array) {
  return inContext([&] {
    ArrayDescription described;
    if (const Error bad = cuArray3DGetDescriptor_v2(&described, array))
      return bad;
    if (channels)
      *channels = channelsOf(described.format, described.channels);
    if (extent)
      *extent = {described.width, described.height, described.depth};
    if (flags)
      *flags = described.flags;
    return Error(Success);
  });
}
PTXRAY_RUNTIME cudaGetChannelDesc(ChannelDescription *channels, void *array) {
  return channels ? cudaArrayGetInfo(channels, nullptr, nullptr, array) : noted(InvalidValue);
}

PTXRAY_RUNTIME cudaCreateTextureObject(uint64_t *object, const Resource *resource, const Texture *texture,
                                       const ViewDescription *view) {
  return inContext([&] {
    if (!resource || !texture)
      return Error(InvalidValue);
    ResourceDescription described;
    if (const Error bad = resourceOf(described, *resource))
      return bad;
    const TextureDescription sampled = textureOf(*texture);
    return cuTexObjectCreate(object, &described, &sampled, view);
  });
}
PTXRAY_RUNTIME cudaDestroyTextureObject(uint64_t object) {
  return inContext([&] { return object ? cuTexObjectDestroy(object) : Error(Success); });
}
PTXRAY_RUNTIME cudaCreateSurfaceObject(uint64_t *object, const Resource *resource) {
  return inContext([&] {
    ResourceDescription described;
    const Error bad = resource ? resourceOf(described, *resource) : Error(InvalidValue);
    return bad ? bad : cuSurfObjectCreate(object, &described);
  });
}
PTXRAY_RUNTIME cudaDestroySurfaceObject(uint64_t object) {
  return inContext([&] { return object ? cuSurfObjectDestroy(object) : Error(Success); });
}
