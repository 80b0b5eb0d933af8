#include "Arrays.h"
#include "State.h"
#include "Texels.h"
#include <bit>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>

using namespace ptxray;
using namespace ptxray::driver;

std::optional<machine::TexelType> ptxray::driver::texelType(int format) {
  using enum machine::TexelType;
  static constexpr std::pair<int, machine::TexelType> all[] = {
      {TexelU8, U8},   {TexelU16, U16}, {TexelU32, U32}, {TexelS8, S8},
      {TexelS16, S16}, {TexelS32, S32}, {TexelF16, F16}, {TexelF32, F32},
  };
  for (const auto &[number, type] : all)
    if (number == format)
      return type;
  return std::nullopt;
}

Array *ptxray::driver::arrayOf(void *handle) {
  return state().arrays.contains(handle) ? static_cast<Array *>(handle) : nullptr;
}
static MipmappedArray *mipmappedOf(void *handle) {
  return state().mipmapped.contains(handle) ? static_cast<MipmappedArray *>(handle) : nullptr;
}
const machine::Image *ptxray::driver::mipmappedImage(void *handle) {
  const MipmappedArray *found = mipmappedOf(handle);
  return found ? &found->image : nullptr;
}

ArrayPlace ptxray::driver::placeIn(void *handle, size_t x, size_t y, size_t z, size_t width, size_t height,
                                   size_t depth) {
  const Array *array = arrayOf(handle);
  if (!array)
    return {};
  const machine::Image &image = array->image;
  const size_t pitch = image.extents[0] * image.texelBytes(), rows = image.extents[1];
  const size_t planes = size_t(image.extents[2]) * image.slices();
  const auto isIn = [](size_t at, size_t count, size_t limit) { return at <= limit && count <= limit - at; };
  if (!isIn(x, width, pitch) || !isIn(y, height, rows) || !isIn(z, depth, planes))
    return {};
  return {array->bytes + z * pitch * rows + y * pitch + x, pitch, pitch * rows};
}

/// Returns the image of a description, or nothing if an array cannot have that form.
static std::optional<machine::Image> imageOf(const ArrayDescription &described, unsigned levels) {
  enum : unsigned { layered = 1, cube = 4, known = 0xff };
  machine::Image image;
  const auto type = texelType(described.format);
  const unsigned channels = described.channels, flags = described.flags;
  if (!type || (channels != 1 && channels != 2 && channels != 4) || !described.width || (flags & ~known) || !levels ||
      levels > machine::mostImageLevels)
    return std::nullopt;
  constexpr size_t most = 1 << 17;
  if (described.width > most || described.height > most || described.depth > most)
    return std::nullopt;
  image.type = *type;
  image.channels = channels;
  image.levels = levels;
  const auto width = static_cast<uint32_t>(described.width), height = static_cast<uint32_t>(described.height),
             depth = static_cast<uint32_t>(described.depth);
  image.isCube = flags & cube;
  const bool isList = flags & layered;
  if (image.isCube && (width != height || !depth || depth % machine::cubeFaces || (!isList && depth != 6)))
    return std::nullopt;
  if (isList && !depth)
    return std::nullopt;
  if (isList)
    image.layers = image.isCube ? depth / machine::cubeFaces : depth;
  image.rank = !height ? 1 : !depth || isList || image.isCube ? 2 : 3;
  if (!height && depth && !isList)
    return std::nullopt;
  image.extents = {width, std::max(height, 1u), image.rank == 3 ? depth : 1};
  return image;
}

/// Allocates texels in memory of the machine, at an address that only the driver knows.
static Result allocateTexels(machine::Image &image, uint8_t *&bytes) {
  State &s = state();
  const size_t size = image.bytes();
  if (size > (size_t(s.chip->memory) << 30) - s.usedBytes)
    return OutOfMemory;
  void *made = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    return OutOfMemory;
  bytes = static_cast<uint8_t *>(made);
  image.address = s.memory.add({bytes, size}, "the array of " + std::to_string(size) + " bytes");
  s.usedBytes += size;
  return Success;
}
static void freeTexels(const machine::Image &image, uint8_t *bytes) {
  State &s = state();
  finishAll();
  s.memory.free(image.address);
  s.memory.trim();
  s.usedBytes -= image.bytes();
  munmap(bytes, image.bytes());
}

PTXRAY_API cuArray3DCreate_v2(void **made, const ArrayDescription *described) {
  PTXRAY_BEGIN;
  if (!made || !described)
    return InvalidValue;
  const auto image = imageOf(*described, 1);
  if (!image)
    return InvalidValue;
  auto array = std::make_unique<Array>(Array{*described, *image});
  if (const Result bad = allocateTexels(array->image, array->bytes))
    return bad;
  *made = array.get();
  state().arrays.insert(array.release());
  return Success;
}

PTXRAY_API cuArrayCreate_v2(void **made, const FlatArrayDescription *described) {
  if (!described)
    return InvalidValue;
  const ArrayDescription all = {described->width, described->height, 0, described->format, described->channels, 0};
  return cuArray3DCreate_v2(made, &all);
}

PTXRAY_API cuArrayDestroy(void *handle) {
  PTXRAY_BEGIN;
  Array *array = arrayOf(handle);
  if (!array || array->isLevel)
    return InvalidHandle;
  freeTexels(array->image, array->bytes);
  state().arrays.erase(handle);
  delete array;
  return Success;
}

PTXRAY_API cuArray3DGetDescriptor_v2(ArrayDescription *to, void *handle) {
  PTXRAY_BEGIN;
  const Array *array = arrayOf(handle);
  if (!to || !array)
    return to ? InvalidHandle : InvalidValue;
  *to = array->described;
  return Success;
}
PTXRAY_API cuArrayGetDescriptor_v2(FlatArrayDescription *to, void *handle) {
  PTXRAY_BEGIN;
  const Array *array = arrayOf(handle);
  if (!to || !array)
    return to ? InvalidHandle : InvalidValue;
  *to = {array->described.width, array->described.height, array->described.format, array->described.channels};
  return Success;
}

PTXRAY_API cuMipmappedArrayCreate(void **made, const ArrayDescription *described, unsigned levels) {
  PTXRAY_BEGIN;
  if (!made || !described)
    return InvalidValue;
  const size_t longest = std::max({described->width, described->height, described->depth});
  const auto image = imageOf(*described, std::min<unsigned>(levels, std::bit_width(longest)));
  if (!image)
    return InvalidValue;
  auto array = std::make_unique<MipmappedArray>(MipmappedArray{*image, nullptr, {}});
  if (const Result bad = allocateTexels(array->image, array->bytes))
    return bad;
  for (uint32_t level = 0; level < array->image.levels; ++level) {
    auto one = std::make_unique<Array>(Array{*described, array->image});
    one->isLevel = true;
    one->bytes = array->bytes + array->image.levelOffset(level);
    one->image.address += array->image.levelOffset(level);
    one->image.levels = 1;
    for (unsigned i = 0; i < machine::mostImageRank; ++i)
      one->image.extents[i] = array->image.extent(i, level);
    one->described.width = one->image.extents[0];
    one->described.height = described->height ? one->image.extents[1] : 0;
    one->described.depth = one->image.rank == 3 ? one->image.extents[2] : described->depth;
    state().arrays.insert(one.get());
    array->levels.push_back(std::move(one));
  }
  *made = array.get();
  state().mipmapped.insert(array.release());
  return Success;
}

PTXRAY_API cuMipmappedArrayGetLevel(void **made, void *handle, unsigned level) {
  PTXRAY_BEGIN;
  const MipmappedArray *array = mipmappedOf(handle);
  if (!made || !array)
    return made ? InvalidHandle : InvalidValue;
  if (level >= array->levels.size())
    return InvalidValue;
  *made = array->levels[level].get();
  return Success;
}

PTXRAY_API cuMipmappedArrayDestroy(void *handle) {
  PTXRAY_BEGIN;
  MipmappedArray *array = mipmappedOf(handle);
  if (!array)
    return InvalidHandle;
  freeTexels(array->image, array->bytes);
  for (const auto &level : array->levels)
    state().arrays.erase(level.get());
  state().mipmapped.erase(handle);
  delete array;
  return Success;
}
