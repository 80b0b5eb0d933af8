#include "Images.h"
#include "Arguments.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ptxray::launcher {

using Mode = ImageDescription::Mode;
using Kind = ImageDescription::Kind;

static std::vector<std::string> partsOf(const std::string &text, char divider) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == divider)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

static Expected<double> readDecimal(const std::string &text, const std::string &within) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end)
    return Problem{"`" + text + "` in `" + within + "` is not a number"};
  return value;
}

static Expected<uint32_t> readCount(const std::string &text, const std::string &within) {
  const Expected<uint64_t> value = readNumber(text, within);
  if (value && *value > UINT32_MAX)
    return Problem{"`" + text + "` in `" + within + "` is too large"};
  return value ? Expected<uint32_t>(static_cast<uint32_t>(*value)) : Problem{value.problem()};
}

static bool readMode(const std::string &text, Mode &mode) {
  struct Named {
    const char *name;
    Mode mode;
  };
  static constexpr Named modes[] = {
      {"wrap", Mode::Wrap}, {"clamp", Mode::Clamp}, {"mirror", Mode::Mirror}, {"border", Mode::Border}};
  for (const Named &one : modes)
    if (text == one.name) {
      mode = one.mode;
      return true;
    }
  return false;
}

/// Reads `wrap` for all dimensions, or `wrap/clamp` for one dimension after another.
static bool readModes(const std::string &text, ImageDescription &image) {
  const std::vector<std::string> parts = partsOf(text, '/');
  if (parts.size() > image.modes.size())
    return false;
  for (size_t i = 0; i < image.modes.size(); ++i)
    if (!readMode(parts[std::min(i, parts.size() - 1)], image.modes[i]))
      return false;
  for (const Mode mode : image.modes) // other modes do not repeat the image
    image.isNormalized |= mode == Mode::Wrap || mode == Mode::Mirror;
  return true;
}

/// Returns true for a part that was read, or the problem of its value.
static Expected<bool> taken(const std::string &problem = "") {
  return problem.empty() ? Expected<bool>(true) : Problem{problem};
}

/// Reads `0/4` into one number after another. Numbers that are missing keep their value.
static std::string readDecimals(const std::string &text, const std::string &within, std::vector<double *> numbers) {
  const std::vector<std::string> parts = partsOf(text, '/');
  for (size_t i = 0; i < numbers.size() && i < parts.size(); ++i)
    if (std::string problem = take(*numbers[i], readDecimal(parts[i], within)); !problem.empty())
      return problem;
  return "";
}

/// Reads a part about sampling. Returns false if it is another part.
static Expected<bool> readSampling(const std::string &part, const std::string &text, ImageDescription &image) {
  const size_t equals = part.find('=');
  const std::string key = part.substr(0, equals), value = equals == std::string::npos ? "" : part.substr(equals + 1);
  if (part == "linear" || part == "nearest")
    image.isLinear = part == "linear";
  else if (part == "normalized")
    image.isNormalized = true;
  else if (part == "seamless")
    image.isSeamless = true;
  else if (part == "fraction")
    image.readsFractions = true;
  else if (key == "bias" && !value.empty())
    return taken(take(image.bias, readDecimal(value, text)));
  else if (key == "lod")
    return taken(readDecimals(value, text, {&image.leastLevel, &image.mostLevel}));
  else if (key == "border" && !value.empty()) {
    image.modes.fill(Mode::Border);
    image.border = {};
    return taken(readDecimals(value, text, {&image.border[0], &image.border[1], &image.border[2], &image.border[3]}));
  } else
    return readModes(part, image);
  return true;
}

/// Reads a part about the shape. Returns false if it is another part.
static Expected<bool> readShape(const std::string &part, const std::string &text, ImageDescription &image) {
  const size_t equals = part.find('=');
  const std::string key = part.substr(0, equals), value = equals == std::string::npos ? "" : part.substr(equals + 1);
  if (part[0] == '&')
    return taken(take(image.at, readAddress(part)));
  else if (key == "layers" && !value.empty())
    return taken(take(image.layers, readCount(value, text)));
  else if (part == "cube")
    image.isCube = image.isNormalized = true;
  else if (part == "buffer")
    image.isBuffer = true;
  else if (key == "levels" && !value.empty()) {
    const std::vector<std::string> parts = partsOf(value, '/');
    if (const std::string problem = take(image.levels, readCount(parts[0], text)); !problem.empty())
      return Problem{problem};
    image.isNormalized = true;
    image.isLinearInLevels = parts.size() > 1 && parts[1] == "linear";
    return parts.size() == 1 || (parts.size() == 2 && (parts[1] == "linear" || parts[1] == "nearest"));
  } else
    return false;
  return true;
}

/// Reads the type of a texel: `f32`, `u8x4`.
static std::string readTexelType(const std::string &text, const std::string &within, ImageDescription &image) {
  static constexpr const char *names[] = {"u8", "u16", "u32", "s8", "s16", "s32", "f16", "f32"};
  std::string name = text;
  if (const size_t x = text.rfind('x'); x != std::string::npos && x + 2 == text.size()) {
    image.channels = static_cast<unsigned>(text.back() - '0');
    name = text.substr(0, x);
  }
  for (const char *known : names)
    if (name == known)
      image.type = findType(name);
  if (!image.type || (image.channels != 1 && image.channels != 2 && image.channels != 4))
    return "`" + text + "` in `" + within +
           "`: texels are u8, u16, u32, s8, s16, s32, f16 or f32, with x2 or x4 for more channels";
  return "";
}

bool isImage(const std::string &text) {
  return text.starts_with("tex=") || text.starts_with("surf=") || text.starts_with("sampler=");
}

/// Reads the type and the extents of texels.
static std::string readTexels(const std::vector<std::string> &parts, const std::string &text, ImageDescription &image) {
  if (std::string problem = readTexelType(parts[0], text, image); !problem.empty())
    return problem;
  for (const std::string &extent : partsOf(parts.size() > 1 ? parts[1] : "", 'x'))
    if (std::string problem = take(image.extents.emplace_back(), readCount(extent, text)); !problem.empty())
      return problem;
  return image.extents.size() > image.modes.size() ? "`" + text + "`: three dimensions are the most" : "";
}

/// Reads any part. Returns false if it does not describe the image.
static Expected<bool> readPart(const std::string &part, const std::string &text, ImageDescription &image) {
  if (image.kind != Kind::Sampler)
    if (Expected<bool> read = readShape(part, text, image); !read || *read)
      return read;
  return image.kind != Kind::Surface ? readSampling(part, text, image) : false;
}

Expected<ImageDescription> readImage(const std::string &text) {
  ImageDescription image;
  image.kind = text.starts_with("tex=") ? Kind::Texture : text.starts_with("surf=") ? Kind::Surface : Kind::Sampler;
  const std::vector<std::string> parts = partsOf(text.substr(text.find('=') + 1), ':');
  const bool isSampler = image.kind == Kind::Sampler;
  if (!isSampler)
    if (const std::string problem = readTexels(parts, text, image); !problem.empty())
      return Problem{problem};
  for (size_t i = isSampler ? 0 : 2; i < parts.size(); ++i) {
    const Expected<bool> isKnown = readPart(parts[i], text, image);
    if (!isKnown)
      return Problem{isKnown.problem()};
    if (!*isKnown)
      return Problem{"`" + parts[i] + "` in `" + text + "`: expected " +
                     (image.kind == Kind::Surface
                          ? "layers=, cube, buffer or &BUFFER"
                          : std::string("linear, normalized, fraction, wrap, clamp, mirror, border=, lod=, bias=") +
                                (isSampler ? "" : ", layers=, levels=, cube, buffer or &BUFFER"))};
  }
  if (!isSampler && image.at.buffer.empty())
    return Problem{"`" + text + "` is not a buffer: &NUMBER or &NAME is missing"};
  return image;
}

static std::string inDecimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

static std::string samplingText(const ImageDescription &image) {
  static constexpr const char *modes[] = {"wrap", "clamp", "mirror", "border"};
  std::string text = std::string(image.isLinear ? ":linear" : ":nearest") + (image.isNormalized ? ":normalized" : "") +
                     (image.isSeamless ? ":seamless" : "") + (image.readsFractions ? ":fraction" : "");
  std::string colour, all;
  for (size_t i = 0; i < image.border.size(); ++i)
    colour += (i ? "/" : "") + inDecimal(image.border[i]);
  for (size_t i = 0; i < image.modes.size(); ++i)
    all += std::string(i ? "/" : "") + modes[static_cast<size_t>(image.modes[i])];
  text += ":border=" + colour + ":" + all;
  return text + ":bias=" + inDecimal(image.bias) + ":lod=" + inDecimal(image.leastLevel) + "/" +
         inDecimal(image.mostLevel);
}

std::string textOf(const ImageDescription &image) {
  std::string text = image.kind == Kind::Surface ? "surf=" : "tex=";
  text += image.type->name;
  if (image.channels > 1)
    text += "x" + std::to_string(image.channels);
  for (size_t i = 0; i < image.extents.size(); ++i)
    text += (i ? "x" : ":") + std::to_string(image.extents[i]);
  if (image.layers)
    text += ":layers=" + std::to_string(image.layers);
  text += image.isCube ? ":cube" : "";
  text += image.isBuffer ? ":buffer" : "";
  if (image.levels > 1)
    text += ":levels=" + std::to_string(image.levels) + (image.isLinearInLevels ? "/linear" : "/nearest");
  return image.kind == Kind::Surface ? text : text + samplingText(image);
}

uint32_t slicesOf(const ImageDescription &image) {
  constexpr uint32_t faces = 6;
  return std::max(image.layers, 1u) * (image.isCube ? faces : 1);
}

uint64_t bytesOf(const ImageDescription &image) {
  uint64_t texels = 0;
  for (uint32_t level = 0; level < std::min(image.levels, 32u); ++level) {
    uint64_t ofLevel = slicesOf(image);
    for (const uint32_t extent : image.extents)
      ofLevel *= std::max(extent >> level, 1u);
    texels += ofLevel;
  }
  return texels * image.channels * (image.type->bits / 8);
}

} // namespace ptxray::launcher
