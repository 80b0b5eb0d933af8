// The part of the C interface that describes textures, surfaces and samplers.
#include "Api/MachineStruct.h"
#include "Machine/Sampler.h"
#include "llvm/ADT/StringSwitch.h"
#include <bit>
#include <cmath>

using namespace ptxray;
using llvm::StringRef;

namespace {

std::optional<machine::TexelType> texelTypeOf(StringRef name) {
  using enum machine::TexelType;
  return llvm::StringSwitch<std::optional<machine::TexelType>>(name)
      .Case("u8", U8)
      .Case("u16", U16)
      .Case("u32", U32)
      .Case("s8", S8)
      .Case("s16", S16)
      .Case("s32", S32)
      .Case("f16", F16)
      .Case("f32", F32)
      .Default(std::nullopt);
}

/// Returns the mode with this number of the driver.
std::optional<machine::AddressMode> modeOf(int number) {
  using enum machine::AddressMode;
  static constexpr machine::AddressMode modes[] = {Wrap, Clamp, Mirror, Border};
  if (number < 0 || number >= 4)
    return {};
  return modes[number];
}

machine::Sampling samplingOf(const ptxray_image &from, bool areFloats) {
  machine::Sampling to;
  to.isLinear = from.is_linear != 0;
  to.isLinearInLevels = from.is_linear_in_levels != 0;
  to.isNormalized = from.is_normalized != 0;
  to.readsFractions = from.reads_fractions != 0;
  to.bias = machine::fixedLevel(from.bias);
  to.leastLevel = machine::fixedLevel(from.least_level);
  to.mostLevel = machine::fixedLevel(from.most_level);
  for (size_t i = 0; i < to.modes.size(); ++i)
    to.modes[i] = modeOf(from.modes[i]).value_or(machine::AddressMode::Clamp);
  for (size_t i = 0; i < to.border.size(); ++i)
    to.border[i] = areFloats ? std::bit_cast<uint32_t>(from.border[i])
                             : static_cast<uint32_t>(std::llround(static_cast<double>(from.border[i])));
  return to;
}

/// Converts a description. Returns the problem, or an empty string.
std::string read(const ptxray_image &from, machine::ImageObject &to) {
  using Kind = machine::ImageObject::Kind;
  if (from.kind < 0 || from.kind > 2)
    return "kind " + std::to_string(from.kind);
  to.kind = from.kind == 0 ? Kind::Texture : from.kind == 1 ? Kind::Surface : Kind::Sampler;
  for (const int mode : from.modes)
    if (!modeOf(mode))
      return "mode " + std::to_string(mode);
  if (to.kind == Kind::Sampler) {
    to.sampling = samplingOf(from, true);
    return "";
  }
  StringRef name = from.texels ? from.texels : "";
  machine::Image &image = to.image.emplace();
  for (const uint32_t channels : {2, 4})
    if (name.consume_back("x" + std::to_string(channels)))
      image.channels = channels;
  const std::optional<machine::TexelType> type = texelTypeOf(name);
  if (!type)
    return "texels `" + std::string(from.texels ? from.texels : "") + "`";
  image.type = *type;
  image.address = from.address;
  image.rank = from.rank;
  for (unsigned i = 0; i < std::min(from.rank, machine::mostImageRank); ++i)
    image.extents[i] = from.extents[i];
  image.layers = from.layers;
  image.levels = std::max(from.levels, 1u);
  image.isCube = from.is_cube != 0;
  image.isBuffer = from.is_buffer != 0;
  to.sampling = samplingOf(from, machine::isFloat(*type) || from.reads_fractions);
  return to.kind == Kind::Surface ? findProblem(image) : findProblem(image, to.sampling);
}

} // namespace

uint64_t ptxray_machine_add_image(ptxray_machine *machine, const ptxray_image *image, const char *name,
                                  const char **problem) {
  thread_local std::string why;
  machine::ImageObject object;
  why = read(*image, object);
  if (object.image && why.empty()) {
    const machine::Allocation *found = machine->memory.find(object.image->address);
    if (!found || !found->contains(object.image->address, object.image->bytes()))
      why = "an image of " + std::to_string(object.image->bytes()) + " bytes reaches beyond the end of its buffer";
  }
  *problem = why.c_str();
  if (!why.empty())
    return 0;
  if (!name)
    return machine->memory.addObject(std::move(object));
  why = machine->loaded ? machine->loaded->bind(name, std::move(object)) : "the text has errors";
  *problem = why.c_str();
  return why.empty() ? machine->loaded->imageAt(name) : 0;
}
