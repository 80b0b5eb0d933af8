// Executes texture fetches, surface accesses and queries about both, lane by lane.
#include "Machine/Images.h"
#include "Machine/Async.h"
#include "Machine/Notify.h"
#include "Machine/Sampler.h"
#include "Numbers/Number.h"
#include "llvm/ADT/StringSwitch.h"
#include <bit>
#include <cmath>
#include <cstring>

namespace ptxray::machine {

using Kind = ImageObject::Kind;

static const char *nameOf(Kind kind) {
  switch (kind) {
  case Kind::Texture: return "texture";
  case Kind::Surface: return "surface";
  default: return "sampler";
  }
}

/// Returns the object of a handle. Reports a fault and returns null if it is invalid.
static const ImageObject *objectAt(Warp &warp, const Op &op, unsigned lane, uint64_t handle, Kind kind) {
  const ImageObject *found = warp.block->grid->memory.object(handle);
  if (!found || found->kind != kind) {
    reportUndefined(warp, op, lane, std::string("a handle that does not belong to a ") + nameOf(kind));
    return nullptr;
  }
  if (!found->image && kind != Kind::Sampler) {
    reportUndefined(warp, op, lane,
                    std::string("the ") + nameOf(kind) + " `" + found->name + "`, to which nothing was bound");
    return nullptr;
  }
  return found;
}

static std::string textOf(const ImageGeometry &geometry) {
  const std::string list = geometry.isList ? "a list of " : "";
  if (geometry.isCube)
    return list + (geometry.isList ? "cubes" : "a cube");
  return list + (geometry.isList ? "images" : "an image") + " of " + std::to_string(geometry.rank) +
         (geometry.rank == 1 ? " dimension" : " dimensions");
}

/// Returns the bytes of an image. Reports a fault and returns null if the image does not match the instruction, or is
/// not in memory.
static uint8_t *bytesOf(Warp &warp, const Op &op, unsigned lane, const Image &image, const ImageGeometry &geometry,
                        bool isWrite) {
  const ImageGeometry has = {image.isCube ? 3 : image.rank, image.layers != 0, image.isCube};
  if (has.rank != geometry.rank || has.isList != geometry.isList || has.isCube != geometry.isCube) {
    reportUndefined(warp, op, lane, textOf(has) + " that is used as " + textOf(geometry));
    return nullptr;
  }
  const Allocation *found = warp.block->grid->memory.find(image.address);
  if (!found || !found->contains(image.address, image.bytes())) {
    report(warp, op, AccessFault::OutOfBounds, {{}, 0, Space::Global}, image.address, image.bytes(), isWrite, lane);
    return nullptr;
  }
  return found->at(image.address);
}

static float floatIn(const char *registers, Place place, unsigned lane) {
  return std::bit_cast<float>(static_cast<uint32_t>(numberIn(registers, place, lane)));
}

// ---- textures

static TexelFetch requestOf(const TextureFetch &fetch, const Image &image, const char *registers, unsigned lane) {
  TexelFetch request;
  request.areIntegers = fetch.areIntegers;
  request.isBase = fetch.isBase;
  request.component = fetch.component;
  const unsigned first = fetch.geometry.isList ? 1 : 0;
  if (first)
    request.layer = static_cast<uint32_t>(numberIn(registers, fetch.coordinates[0], lane));
  for (unsigned i = 0; i < fetch.geometry.rank; ++i) {
    request.at[i] = floatIn(registers, fetch.coordinates[first + i], lane);
    request.texel[i] = static_cast<int32_t>(numberIn(registers, fetch.coordinates[first + i], lane));
  }
  for (unsigned i = 0; i < std::min<size_t>(fetch.offsets.size(), mostImageRank); ++i)
    request.offsets[i] = static_cast<int32_t>(numberIn(registers, fetch.offsets[i], lane));
  request.hasLevel = fetch.level.bits != 0;
  if (request.hasLevel)
    request.level = fetch.areIntegers ? static_cast<int32_t>(numberIn(registers, fetch.level, lane))
                                      : fixedLevel(floatIn(registers, fetch.level, lane));
  if (!fetch.dx.empty() && !fetch.areIntegers) {
    std::array<float, mostImageRank> dx = {}, dy = {};
    for (unsigned i = 0; i < fetch.geometry.rank; ++i) {
      dx[i] = i < fetch.dx.size() ? floatIn(registers, fetch.dx[i], lane) : 0;
      dy[i] = fetch.dy.empty() ? 0 : floatIn(registers, fetch.dy[std::min<size_t>(i, fetch.dy.size() - 1)], lane);
    }
    request.level = levelOfGradients(image, dx, dy);
  }
  return request;
}

/// Returns the sampling of a texture with a separate sampler.
static Sampling with(Sampling texture, const Sampling &sampler) {
  const bool isNormalized = texture.isNormalized && sampler.isNormalized, readsFractions = texture.readsFractions,
             isSeamless = texture.isSeamless;
  texture = sampler;
  texture.isSeamless = isSeamless;
  texture.isNormalized = isNormalized;
  texture.readsFractions = readsFractions;
  return texture;
}

/// Returns the reason why the fetch is not supported; empty if it is.
static std::string problemOf(const TextureFetch &fetch, const Image &image, const Sampling &sampling) {
  if (image.rank == 1 && !image.isCube && !image.layers && fetch.areIntegers != image.isBuffer)
    return image.isBuffer ? "float coordinates for a texture in linear memory"
                          : "integer coordinates for a one-dimensional texture that is not in linear memory (`buffer`)";
  if (std::string problem = findProblem(image, sampling); !problem.empty())
    return "a texture that no driver makes: " + problem;
  if (fetch.component >= 0 && image.rank != 2)
    return "four texels of an image that is not two-dimensional";
  return "";
}

static void fetchOfLane(const TextureFetch &fetch, char *registers, const Op &op, unsigned lane, Warp &warp) {
  const ImageObject *texture = objectAt(warp, op, lane, numberIn(registers, fetch.texture, lane), Kind::Texture);
  if (!texture)
    return;
  Sampling sampling = texture->sampling;
  if (fetch.sampler.bits) {
    const ImageObject *sampler = objectAt(warp, op, lane, numberIn(registers, fetch.sampler, lane), Kind::Sampler);
    if (!sampler)
      return;
    sampling = with(sampling, sampler->sampling);
  }
  const Image &image = *texture->image;
  if (std::string problem = problemOf(fetch, image, sampling); !problem.empty())
    return reportUndefined(warp, op, lane, std::move(problem));
  if (image.isCube && sampling.isSeamless && fetch.component >= 0)
    return refuse(warp, op, lane, "four texels of a seamless cube");
  const uint8_t *bytes = bytesOf(warp, op, lane, image, fetch.geometry, /*isWrite=*/false);
  if (!bytes)
    return;
  const Texel found = fetchTexel(image, sampling, bytes, requestOf(fetch, image, registers, lane));
  for (unsigned i = 0; i < fetch.results.size(); ++i)
    if (!fetch.areHalves)
      setNumber(registers, fetch.results[i], lane, found[i]);
    else {
      const bool isPair = fetch.results.size() == 2;
      uint64_t value = 0;
      for (unsigned half = 0; half < (isPair ? 2 : 1); ++half)
        value |= numbers::store(numbers::read(found[isPair ? 2 * i + half : i], numbers::f32), numbers::f16, {})
                 << 16 * half;
      setNumber(registers, fetch.results[i], lane, value);
    }
  for (const Place &result : fetch.results)
    reportAmount(warp, op, Amount::TextureBytes, result.bits / 8);
  setNumber(registers, fetch.isResident, lane, 1);
}

void fetchFromTexture(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &fetch = *static_cast<const TextureFetch *>(op.more);
  for (uint32_t left = mask; left && !warp.fault; left &= left - 1)
    fetchOfLane(fetch, registers, op, static_cast<unsigned>(__builtin_ctz(left)), warp);
}

// ---- surfaces

namespace {

/// The location of a lane's access in the image.
struct SurfacePlace {
  uint64_t offset = 0; // in bytes from the start of the image
  bool isOutside = false;
};

} // namespace

static SurfacePlace placeIn(const Image &image, const SurfaceAccess &access, const char *registers, unsigned lane,
                            uint32_t bytes) {
  SurfacePlace result;
  const unsigned first = access.geometry.isList ? 1 : 0;
  const auto texelBytes = static_cast<int64_t>(image.texelBytes());
  const int64_t rowBytes = texelBytes * image.extents[0];
  std::array<int64_t, mostImageRank> at = {};
  for (unsigned i = 0; i < image.rank; ++i)
    at[i] = static_cast<int32_t>(numberIn(registers, access.coordinates[first + i], lane));
  at[0] *= access.isFormatted ? texelBytes : 1;
  uint64_t slice = first ? static_cast<uint32_t>(numberIn(registers, access.coordinates[0], lane)) : 0;
  result.isOutside = at[0] < 0 || at[0] + bytes > rowBytes || slice >= image.slices();
  at[0] = std::clamp<int64_t>(at[0], 0, std::max<int64_t>(rowBytes - bytes, 0));
  for (unsigned i = 1; i < image.rank; ++i) {
    const int64_t last = int64_t(image.extents[i]) - 1;
    result.isOutside |= at[i] < 0 || at[i] > last;
    at[i] = std::clamp<int64_t>(at[i], 0, last);
  }
  slice = std::min<uint64_t>(slice, image.slices() - 1);
  result.offset =
      slice * image.sliceBytes(0) + static_cast<uint64_t>((at[2] * image.extents[1] + at[1]) * rowBytes + at[0]);
  return result;
}

/// Clamps a value to the range of integer texels. Floats are truncated.
static uint32_t formatted(uint32_t value, TexelType type) {
  numbers::Storing cut;
  cut.rounding = numbers::Rounding::Zero;
  const auto number = static_cast<int32_t>(value);
  switch (type) {
  case TexelType::U8: return std::min<uint32_t>(value, 255);
  case TexelType::U16: return std::min<uint32_t>(value, 65535);
  case TexelType::S8: return static_cast<uint32_t>(std::clamp(number, -128, 127));
  case TexelType::S16: return static_cast<uint32_t>(std::clamp(number, -32768, 32767));
  case TexelType::F16:
    if (std::isnan(std::bit_cast<float>(value)))
      return 0x7fff | (value >> 31) << 15;
    return static_cast<uint32_t>(numbers::store(numbers::read(value, numbers::f32), numbers::f16, cut));
  default: return value;
  }
}

static void store(const SurfaceAccess &access, const Image &image, uint8_t *bytes, const char *registers,
                  unsigned lane) {
  if (!access.isFormatted) {
    const size_t piece = access.bytes / access.elements.size();
    for (size_t i = 0; i < access.elements.size(); ++i) {
      const uint64_t value = numberIn(registers, access.elements[i], lane);
      std::memcpy(bytes + i * piece, &value, piece);
    }
    return;
  }
  const size_t piece = bitsOf(image.type) / 8;
  for (size_t i = 0; i < image.channels; ++i) {
    const bool isGiven = i < access.elements.size();
    const uint32_t value =
        isGiven ? formatted(static_cast<uint32_t>(numberIn(registers, access.elements[i], lane)), image.type) : 0;
    std::memcpy(bytes + i * piece, &value, piece);
  }
}

static void reduceTexel(const SurfaceAccess &access, const Image &image, uint8_t *bytes, const char *registers,
                        unsigned lane) {
  using How = Reduction::How;
  Reduction reduction;
  reduction.how = llvm::StringSwitch<How>(access.reduction)
                      .Case(".add", How::Add)
                      .Case(".min", How::Min)
                      .Case(".max", How::Max)
                      .Case(".and", How::And)
                      .Default(How::Or);
  const bool isSigned = access.isSigned || (access.isFormatted && image.type == TexelType::S32);
  reduction.type = {isSigned ? ElementType::Kind::Signed : ElementType::Kind::Unsigned,
                    static_cast<uint16_t>(access.bytes * 8), 1, nullptr};
  const uint64_t value = numberIn(registers, access.elements[0], lane);
  uint8_t with[8];
  std::memcpy(with, &value, sizeof with);
  reduce(reduction, bytes, with, access.bytes);
}

static void load(const SurfaceAccess &access, const uint8_t *bytes, char *registers, unsigned lane) {
  const size_t piece = access.bytes / access.elements.size();
  for (size_t i = 0; i < access.elements.size(); ++i) {
    uint64_t value = 0;
    if (bytes)
      std::memcpy(&value, bytes + i * piece, piece);
    setNumber(registers, access.elements[i], lane, value);
  }
}

/// Returns the coordinates of a lane, for messages.
static std::string textOf(const SurfaceAccess &access, const char *registers, unsigned lane, const Image &image) {
  std::string text;
  for (unsigned i = 0; i < access.geometry.rank + access.geometry.isList; ++i)
    text += (i ? ", " : "") + std::to_string(static_cast<int32_t>(numberIn(registers, access.coordinates[i], lane)));
  std::string size;
  for (unsigned i = 0; i < image.rank; ++i)
    size += (i ? " x " : "") + std::to_string(image.extents[i]);
  return "the coordinates (" + text + ") are outside of the surface, which has " + size + " texels";
}

static void accessWeakly(const SurfaceAccess &access, const Image &image, PendingTexel texel, char *registers,
                         unsigned lane, WeakView &weak) {
  if (access.what == SurfaceAccess::What::Load)
    return load(access, weak.texelAt(texel.to, texel.bytes, texel.surface), registers, lane);
  store(access, image, texel.value.data(), registers, lane);
  weak.storeTexel(texel);
}

static void accessOfLane(const SurfaceAccess &access, char *registers, const Op &op, unsigned lane, Warp &warp) {
  using What = SurfaceAccess::What;
  const ImageObject *surface = objectAt(warp, op, lane, numberIn(registers, access.surface, lane), Kind::Surface);
  if (!surface)
    return;
  const Image &image = *surface->image;
  const bool isWrite = access.what != What::Load;
  uint8_t *all = bytesOf(warp, op, lane, image, access.geometry, isWrite);
  if (!all)
    return;
  const auto bytes =
      access.isFormatted && access.what == What::Store ? static_cast<uint32_t>(image.texelBytes()) : access.bytes;
  const SurfacePlace place = placeIn(image, access, registers, lane, bytes);
  const uint64_t address = image.address + place.offset;
  const AddressOf global = {{}, 0, Space::Global};
  const uint32_t alignment = access.isFormatted ? 1 : access.bytes;
  if (place.offset % alignment)
    return report(warp, op, AccessFault::Misaligned, global, address, access.bytes, isWrite, lane);
  if (place.isOutside && access.outside == SurfaceAccess::Outside::Trap) {
    report(warp, op, AccessFault::OutOfBounds, global, address, bytes, isWrite, lane);
    warp.fault->text = textOf(access, registers, lane, image);
    return;
  }
  if (place.isOutside && access.outside == SurfaceAccess::Outside::Zero) {
    if (!isWrite)
      load(access, nullptr, registers, lane);
    return;
  }
  reportAmount(warp, op, Amount::TextureBytes, bytes);
  if (access.what != What::Reduce)
    reportRange(warp, op, global, address, bytes, isWrite, lane);
  uint8_t *texel = all + place.offset;
  if (warp.weak && access.what != What::Reduce && bytes <= PendingTexel::mostBytes)
    return accessWeakly(access, image, {texel, {}, bytes, numberIn(registers, access.surface, lane), nullptr, 0},
                        registers, lane, *warp.weak);
  if (warp.weak)
    warp.weak->settleTexels();
  if (access.what == What::Load)
    load(access, texel, registers, lane);
  else if (access.what == What::Store)
    store(access, image, texel, registers, lane);
  else
    reduceTexel(access, image, texel, registers, lane);
}

void accessSurface(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const SurfaceAccess *>(op.more);
  for (uint32_t left = mask; left && !warp.fault; left &= left - 1)
    accessOfLane(access, registers, op, static_cast<unsigned>(__builtin_ctz(left)), warp);
}

// ---- questions

/// Returns the value of an attribute according to the manual. Some attributes depend on the program's language and have
/// none.
static std::optional<uint32_t> attributeOf(const ImageObject &object, llvm::StringRef name, uint32_t level) {
  const Sampling &sampling = object.sampling;
  const auto mode = [&](unsigned dimension) -> uint32_t {
    constexpr uint32_t numbers[] = {0, 1, 3, 4}; // wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border
    return numbers[static_cast<unsigned>(sampling.modes[dimension])];
  };
  if (name == ".filter_mode")
    return sampling.isLinear;
  if (name.consume_front(".addr_mode_"))
    return mode(static_cast<unsigned>(name[0] - '0'));
  if (name == ".normalized_coords")
    return sampling.isNormalized;
  if (name == ".force_unnormalized_coords")
    return !sampling.isNormalized;
  if (!object.image)
    return {};
  const Image &image = *object.image;
  const uint32_t layers = image.layers;
  if (name == ".width")
    return image.extent(0, level);
  if (name == ".height")
    return image.rank > 1 ? image.extent(1, level) : image.isBuffer ? 0 : std::max(layers, 1u);
  if (name == ".depth")
    return image.rank > 2 ? image.extent(2, level) : image.rank == 2 ? layers : 0;
  if (name == ".array_size")
    return layers;
  if (name == ".num_mipmap_levels")
    return image.levels;
  if (name == ".num_samples")
    return 1;
  if (name == ".memory_layout")
    return image.isBuffer;
  return {};
}

void queryImage(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &query = *static_cast<const ImageQuery *>(op.more);
  for (uint32_t left = mask; left && !warp.fault; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const ImageObject *object = warp.block->grid->memory.object(numberIn(registers, query.handle, lane));
    if (!object)
      return reportUndefined(warp, op, lane, "a handle of nothing");
    const auto level = static_cast<uint32_t>(numberIn(registers, query.level, lane));
    const std::optional<uint32_t> answer = attributeOf(*object, query.attribute, std::min(level, mostImageLevels));
    if (!answer)
      return refuse(warp, op, lane,
                    "`" + query.attribute + "` of " + (object->image ? "an image" : "what was not bound"));
    setNumber(registers, query.result, lane, *answer);
  }
}

void queryHandle(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &query = *static_cast<const HandleQuery *>(op.more);
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const ImageObject *object = warp.block->grid->memory.object(numberIn(registers, query.handle, lane));
    setNumber(registers, query.result, lane, object && object->kind == query.kind);
  }
}

} // namespace ptxray::machine
