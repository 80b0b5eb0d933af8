#include "EmulatedImages.h"
#include "Machine/Sampler.h"
#include <bit>
#include <cmath>

namespace ptxray {

using launcher::ImageDescription;

static machine::TexelType texelType(const launcher::ElementType &type) {
  using enum machine::TexelType;
  const bool isSigned = type.kind == launcher::ElementType::Signed;
  if (type.kind == launcher::ElementType::Float)
    return type.bits == 16 ? F16 : F32;
  if (type.bits == 32)
    return isSigned ? S32 : U32;
  return type.bits == 16 ? (isSigned ? S16 : U16) : isSigned ? S8 : U8;
}

static machine::AddressMode addressMode(ImageDescription::Mode mode) {
  switch (mode) {
  case ImageDescription::Mode::Wrap: return machine::AddressMode::Wrap;
  case ImageDescription::Mode::Mirror: return machine::AddressMode::Mirror;
  case ImageDescription::Mode::Border: return machine::AddressMode::Border;
  default: return machine::AddressMode::Clamp;
  }
}

machine::ImageObject imageObjectFor(const ImageDescription &asked, uint64_t address) {
  using Kind = machine::ImageObject::Kind;
  machine::ImageObject object;
  object.kind = asked.kind == ImageDescription::Kind::Texture   ? Kind::Texture
                : asked.kind == ImageDescription::Kind::Surface ? Kind::Surface
                                                                : Kind::Sampler;
  machine::Sampling &sampling = object.sampling;
  for (size_t i = 0; i < asked.modes.size(); ++i)
    sampling.modes[i] = addressMode(asked.modes[i]);
  sampling.isLinear = asked.isLinear;
  sampling.isLinearInLevels = asked.isLinearInLevels;
  sampling.isNormalized = asked.isNormalized || object.kind == Kind::Sampler;
  sampling.readsFractions = asked.readsFractions;
  sampling.isSeamless = asked.isSeamless;
  sampling.bias = machine::fixedLevel(static_cast<float>(asked.bias));
  sampling.leastLevel = machine::fixedLevel(static_cast<float>(asked.leastLevel));
  sampling.mostLevel = machine::fixedLevel(static_cast<float>(asked.mostLevel));
  if (object.kind == Kind::Sampler)
    return object;
  machine::Image &image = object.image.emplace();
  image.address = address;
  image.type = texelType(*asked.type);
  image.channels = asked.channels;
  image.rank = static_cast<uint32_t>(asked.extents.size());
  for (size_t i = 0; i < asked.extents.size(); ++i)
    image.extents[i] = asked.extents[i];
  image.layers = asked.layers;
  image.isCube = asked.isCube;
  image.isBuffer = asked.isBuffer;
  image.levels = asked.levels;
  for (size_t i = 0; i < asked.border.size(); ++i)
    sampling.border[i] = machine::isFloat(image.type) || asked.readsFractions
                             ? std::bit_cast<uint32_t>(static_cast<float>(asked.border[i]))
                             : static_cast<uint32_t>(std::llround(asked.border[i]));
  return object;
}

std::string problemOf(const machine::ImageObject &object, const machine::Memory &memory) {
  const machine::Image &image = *object.image;
  const bool isSurface = object.kind == machine::ImageObject::Kind::Surface;
  std::string problem = isSurface ? findProblem(image) : findProblem(image, object.sampling);
  if (!problem.empty())
    return (isSurface ? "a surface: " : "a texture: ") + problem;
  const machine::Allocation *found = memory.find(image.address);
  if (!found || !found->contains(image.address, image.bytes()))
    return "an image of " + std::to_string(image.bytes()) + " bytes reaches beyond the end of its buffer";
  return "";
}

} // namespace ptxray
