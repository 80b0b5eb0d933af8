#include "Textures.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

namespace ptxray::recorder {

using launcher::Bytes;
using launcher::ImageDescription;

namespace {

struct ImageObject {
  bool isTexture = true, isOtherView = false;
  ResourceDescription resource = {};
  TextureDescription sampling = {};
};
struct KnownObjects {
  std::mutex mutex;
  std::map<uint64_t, ImageObject> objects;
};

/// A handle among the words of parameters.
struct Use {
  size_t parameter, offset;
  uint64_t handle;
  ImageObject object;
};

} // namespace

static KnownObjects &knownObjects() {
  static auto *const one = new KnownObjects; // never destroyed, since threads of the program may call until the end
  return *one;
}

void addImageObject(uint64_t handle, bool isTexture, const ResourceDescription &resource,
                    const TextureDescription *sampling, bool isOtherView) {
  const std::lock_guard lock(knownObjects().mutex);
  knownObjects().objects[handle] = {isTexture, isOtherView, resource, sampling ? *sampling : TextureDescription{}};
}

void removeImageObject(uint64_t handle) {
  const std::lock_guard lock(knownObjects().mutex);
  knownObjects().objects.erase(handle);
}

// ---- descriptions

static const launcher::ElementType *typeOf(int format) {
  static constexpr std::pair<int, const char *> names[] = {
      {driver::TexelU8, "u8"},   {driver::TexelU16, "u16"}, {driver::TexelU32, "u32"}, {driver::TexelS8, "s8"},
      {driver::TexelS16, "s16"}, {driver::TexelS32, "s32"}, {driver::TexelF16, "f16"}, {driver::TexelF32, "f32"},
  };
  for (const auto &[number, name] : names)
    if (number == format)
      return launcher::findType(name);
  return nullptr;
}

/// Describes how a texture is read. Returns false if a recording cannot describe that.
static bool describeSampling(ImageDescription &image, const TextureDescription &sampling) {
  using Mode = ImageDescription::Mode;
  if (sampling.flags & driver::TextureIsSrgb || sampling.anisotropy > 1)
    return false;
  image.isNormalized = sampling.flags & driver::TextureIsNormalized;
  for (size_t i = 0; i < image.modes.size(); ++i) {
    if (sampling.modes[i] < 0 || sampling.modes[i] > 3)
      return false;
    image.modes[i] = static_cast<Mode>(sampling.modes[i]);
    if (!image.isNormalized && image.modes[i] != Mode::Border)
      image.modes[i] = Mode::Clamp; // other modes require coordinates from 0 to 1
  }
  image.isLinear = sampling.filter == 1;
  image.isLinearInLevels = sampling.levelFilter == 1;
  image.isSeamless = sampling.flags & driver::TextureIsSeamless;
  image.readsFractions = !(sampling.flags & driver::TextureAsIntegers) &&
                         image.type->kind != launcher::ElementType::Float && image.type->bits < 32;
  image.bias = sampling.bias;
  image.leastLevel = sampling.leastLevel;
  image.mostLevel = sampling.mostLevel;
  std::copy(std::begin(sampling.border), std::end(sampling.border), image.border.begin());
  return true;
}

/// Describes the texels of an array of the driver. Returns false if a recording cannot describe them.
static bool describeArray(ImageDescription &image, void *array) {
  enum : unsigned { layered = 1, cube = 4 };
  constexpr uint32_t faces = 6;
  ArrayDescription found = {};
  if (!real().cuArray3DGetDescriptor_v2 || real().cuArray3DGetDescriptor_v2(&found, array) != Success)
    return false;
  image.type = typeOf(found.format);
  image.channels = found.channels;
  image.isCube = found.flags & cube;
  const auto depth = static_cast<uint32_t>(found.depth);
  if (found.flags & layered)
    image.layers = image.isCube ? depth / faces : depth;
  image.extents = {static_cast<uint32_t>(found.width)};
  if (found.height)
    image.extents.push_back(static_cast<uint32_t>(found.height));
  if (depth && !(found.flags & (layered | cube)))
    image.extents.push_back(depth);
  return image.type;
}

/// Describes an object, except for the place of its texels. Returns nothing if that is not possible.
static std::optional<ImageDescription> describe(const ImageObject &object) {
  enum { ofArray, ofLevels, linear, rows };
  constexpr uint32_t mostLevels = 17;
  ImageDescription image;
  const ResourceDescription &resource = object.resource;
  image.kind = object.isTexture ? ImageDescription::Kind::Texture : ImageDescription::Kind::Surface;
  bool isKnown = !object.isOtherView;
  if (resource.kind == ofArray) {
    isKnown &= describeArray(image, resource.array);
  } else if (resource.kind == ofLevels) {
    void *level = nullptr;
    const auto get = real().cuMipmappedArrayGetLevel;
    isKnown &= get && get(&level, resource.array, 0) == Success && describeArray(image, level);
    while (isKnown && image.levels < mostLevels && get(&level, resource.array, image.levels) == Success)
      ++image.levels;
  } else if (resource.kind == linear || resource.kind == rows) {
    const bool isBuffer = resource.kind == linear;
    image.type = typeOf(isBuffer ? resource.linear.format : resource.rows.format);
    image.channels = isBuffer ? resource.linear.channels : resource.rows.channels;
    image.isBuffer = isBuffer;
    isKnown &= image.type && image.channels;
    if (isKnown && isBuffer)
      image.extents = {static_cast<uint32_t>(resource.linear.bytes / (image.type->bits / 8 * image.channels))};
    else
      image.extents = {static_cast<uint32_t>(resource.rows.width), static_cast<uint32_t>(resource.rows.height)};
  } else
    return std::nullopt;
  if (!isKnown || (object.isTexture && !describeSampling(image, object.sampling)))
    return std::nullopt;
  return image;
}

// ---- texels

/// Copies all levels, packed, one after another.
static bool copyTexels(Bytes &to, const ImageDescription &image, const ResourceDescription &resource) {
  constexpr int rows = 3;
  if (!real().cuMemcpy3D_v2)
    return false;
  to.resize(bytesOf(image));
  size_t at = 0;
  for (uint32_t level = 0; level < image.levels; ++level) {
    Copy3D copy = {};
    const auto extent = [&](size_t i) {
      return i < image.extents.size() ? std::max(image.extents[i] >> level, 1u) : 1;
    };
    copy.width = size_t(extent(0)) * image.channels * (image.type->bits / 8);
    copy.height = extent(1);
    copy.depth = size_t(extent(2)) * slicesOf(image);
    copy.toKind = KindHost;
    copy.toHost = to.data() + at;
    copy.toPitch = copy.width;
    copy.toHeight = copy.height;
    copy.fromKind = resource.kind == rows ? KindDevice : KindArray;
    copy.fromArray = resource.array;
    if (resource.kind == rows) {
      copy.fromArray = nullptr;
      copy.fromDevice = resource.rows.address;
      copy.fromPitch = resource.rows.pitch;
      copy.fromHeight = copy.height;
    } else if (image.levels > 1 && real().cuMipmappedArrayGetLevel(&copy.fromArray, resource.array, level) != Success)
      return false;
    if (real().cuMemcpy3D_v2(&copy) != Success)
      return false;
    at += copy.width * copy.height * copy.depth;
  }
  return true;
}

static std::vector<Use> usesIn(const std::vector<Bytes> &parameters) {
  std::vector<Use> uses;
  const std::lock_guard lock(knownObjects().mutex);
  uint64_t word = 0;
  for (size_t i = 0; i < parameters.size(); ++i)
    for (size_t at = 0; at + sizeof word <= parameters[i].size(); at += sizeof word) {
      std::memcpy(&word, &parameters[i][at], sizeof word);
      if (const auto found = knownObjects().objects.find(word); found != knownObjects().objects.end())
        uses.push_back({i, at, word, found->second});
    }
  return uses;
}

uint64_t findImages(launcher::Recording &to, uint64_t most) {
  constexpr int linear = 2, rows = 3;
  uint64_t stored = 0;
  std::map<void *, size_t> texelsOfArrays;
  for (const Use &use : usesIn(to.parameters)) {
    const ResourceDescription &resource = use.object.resource;
    const std::string name = std::string(use.object.isTexture ? "a texture" : "a surface") + " of parameter " +
                             std::to_string(use.parameter);
    auto image = describe(use.object);
    if (!image) {
      to.leftOut.push_back(name + ", whose kind has no description");
      continue;
    }
    image->handle = use.handle;
    launcher::RecordedImage one{use.parameter, use.offset, std::move(*image)};
    void *const array = resource.kind == rows ? nullptr : resource.array;
    if (resource.kind == linear) {
      one.address = resource.linear.address;
    } else if (const auto same = texelsOfArrays.find(array); array && same != texelsOfArrays.end()) {
      one.texels = same->second;
    } else {
      launcher::RecordedTexels texels;
      const uint64_t bytes = bytesOf(one.image);
      if (bytes > most - stored) {
        to.leftOut.push_back(name + " (" + std::to_string(bytes) + " bytes), beyond the limit");
        continue;
      }
      if (!copyTexels(texels.before, one.image, resource)) {
        to.leftOut.push_back(name + ": the driver does not copy it");
        continue;
      }
      stored += bytes;
      one.texels = to.texels.size();
      if (array)
        texelsOfArrays[array] = one.texels;
      to.texels.push_back(std::move(texels));
    }
    to.images.push_back(std::move(one));
  }
  return stored;
}

void dropImagesWithoutMemory(launcher::Recording &to) {
  std::erase_if(to.images, [&](const launcher::RecordedImage &one) {
    if (!one.address || memoryOf(to, one))
      return false;
    to.leftOut.push_back("a texture of parameter " + std::to_string(one.parameter) + ", whose memory is missing");
    return true;
  });
}

bool readImagesAgain(launcher::Recording &to) {
  for (const launcher::RecordedImage &one : to.images) {
    if (one.address)
      continue;
    launcher::RecordedTexels &texels = to.texels[one.texels];
    if (one.image.kind == ImageDescription::Kind::Texture) {
      if (texels.after.empty())
        texels.after = texels.before;
      continue;
    }
    std::optional<ResourceDescription> resource;
    {
      const std::lock_guard lock(knownObjects().mutex);
      if (const auto found = knownObjects().objects.find(one.image.handle); found != knownObjects().objects.end())
        resource = found->second.resource;
    }
    if (!resource || !copyTexels(texels.after, one.image, *resource))
      return false;
  }
  return true;
}

} // namespace ptxray::recorder
