// Reads arguments. Structures are laid out as in C: each field at a multiple of its alignment.
#include "Arguments.h"
#include <algorithm>
#include <cstring>
#include <iterator>

namespace ptxray::launcher {

static constexpr int deepest = 16; // structures within structures: the number of a field has as many points

uint64_t readNumber(const std::string &text, const std::string &within) {
  char *end = nullptr;
  const uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end)
    throw UsageError("`" + text + "` in `" + within + "` is not a number");
  return value;
}

Address readAddress(const std::string &text) {
  const size_t plus = text.find('+');
  Address address{text.substr(1, plus == std::string::npos ? plus : plus - 1), 0};
  if (address.buffer.empty())
    throw UsageError("`" + text + "` names no buffer: &NUMBER or &NAME expected, with +BYTES after it if need be");
  if (plus != std::string::npos)
    address.offset = readNumber(text.substr(plus + 1), text);
  return address;
}

/// Splits a text at a character outside of braces.
static std::vector<std::string> splitOutside(const std::string &text, char divider) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == divider && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

template <class T> static std::vector<T> readList(const std::string &text, char divider, const std::string &within) {
  std::vector<T> numbers;
  for (const std::string &part : splitOutside(text, divider))
    numbers.push_back(static_cast<T>(readNumber(part, within)));
  return numbers;
}

/// Numbers with or without a sign.
static std::vector<int> readCorners(const std::string &text, const std::string &within) {
  std::vector<int> numbers;
  for (const std::string &part : splitOutside(text, 'x')) {
    const bool isNegative = part.starts_with('-');
    const auto number = static_cast<int>(readNumber(part.substr(isNegative), within));
    numbers.push_back(isNegative ? -number : number);
  }
  return numbers;
}

unsigned TensorMap::elementBits() const {
  const std::string name = type->name;
  return name == "e3m2" || name == "e2m3" ? 6 : type->bits;
}

int TensorMap::typeNumber() const {
  struct Code {
    const char *type;
    int number;
  };
  static constexpr Code codes[] = {{"u8", 0},   {"s8", 0},    {"b8", 0},    {"e4m3", 0},  {"e5m2", 0}, {"ue8m0", 0},
                                   {"u16", 1},  {"s16", 1},   {"b16", 1},   {"u32", 2},   {"b32", 2},  {"s32", 3},
                                   {"u64", 4},  {"b64", 4},   {"s64", 5},   {"f16", 6},   {"f32", 7},  {"f64", 8},
                                   {"bf16", 9}, {"tf32", 11}, {"e2m1", 13}, {"e3m2", 15}, {"e2m3", 15}};
  const std::string name = type->name;
  if (isUnpacked)
    return name == "e2m1" ? 14 : -1;
  const auto *found =
      std::find_if(std::begin(codes), std::end(codes), [&](const Code &one) { return name == one.type; });
  return found == std::end(codes) ? -1 : found->number;
}

/// 0, first, 2 * first ... as 0, 1, 2 ...
static int power(unsigned bytes, unsigned first) {
  int code = 0;
  for (unsigned i = first; bytes && i <= bytes; i *= 2)
    ++code;
  return code;
}

int TensorMap::swizzleNumber() const {
  constexpr int first = 4, last = 6; // those of atoms of 32 and 64 bytes
  return swizzleAtom ? (swizzleAtom == 64 ? last : first) : power(swizzle, 32);
}
int TensorMap::interleaveNumber() const { return power(interleave, 16); }
int TensorMap::promotionNumber() const { return power(promotion, 64); }

/// Reads a part that only maps of images have.
static bool readImagePart(TensorMap &map, const std::string &part, const std::string &key, const std::string &value,
                          const std::string &text) {
  using Mode = TensorMap::Mode;
  if (part == "im2col")
    map.mode = Mode::Im2col;
  else if (part == "im2col=w")
    map.mode = Mode::Wide;
  else if (part == "im2col=w128")
    map.mode = Mode::Wide128;
  else if (key == "lower")
    map.lower = readCorners(value, text);
  else if (key == "upper")
    map.upper = readCorners(value, text);
  else if (key == "channels")
    map.channels = static_cast<uint32_t>(readNumber(value, text));
  else if (key == "pixels")
    map.pixels = static_cast<uint32_t>(readNumber(value, text));
  else
    return false;
  return true;
}

static void readTensorMapPart(TensorMap &map, const std::string &part, const std::string &text) {
  const size_t equals = part.find('=');
  const std::string key = part.substr(0, equals), value = equals == std::string::npos ? "" : part.substr(equals + 1);
  if (readImagePart(map, part, key, value, text))
    return;
  if (part[0] == '&')
    map.at = readAddress(part);
  else if (key == "box")
    map.box = readList<uint32_t>(value, 'x', text);
  else if (key == "steps")
    map.steps = readList<uint32_t>(value, 'x', text);
  else if (key == "strides")
    map.strides = readList<uint64_t>(value, 'x', text);
  else if (part == "swizzle=none")
    map.swizzle = 0;
  else if (key == "swizzle") {
    const std::vector<unsigned> parts = readList<unsigned>(value, '/', text);
    map.swizzle = parts[0];
    map.swizzleAtom = parts.size() > 1 ? parts[1] : 0;
  } else if (key == "interleave")
    map.interleave = static_cast<unsigned>(readNumber(value, text));
  else if (key == "promotion")
    map.promotion = static_cast<unsigned>(readNumber(value, text));
  else if (part == "fill=nan")
    map.fillsWithNan = true;
  else if (part == "unpacked")
    map.isUnpacked = true;
  else
    throw UsageError("`" + part + "` in `" + text +
                     "`: expected box=, strides=, steps=, swizzle=, interleave=, promotion=, fill=nan, unpacked, "
                     "im2col, im2col=w, im2col=w128, lower=, upper=, channels=, pixels= or &BUFFER");
}

/// Sets what was not written about images: corners at the ends, and all channels.
static void completeImages(TensorMap &map, const std::string &text) {
  using Mode = TensorMap::Mode;
  const size_t rank = map.extents.size();
  if (map.mode == Mode::Tiled && (!map.lower.empty() || !map.upper.empty() || map.channels || map.pixels))
    throw UsageError("`" + text + "`: lower, upper, channels and pixels need im2col, im2col=w or im2col=w128");
  if (map.mode == Mode::Tiled)
    return;
  const size_t corners = map.mode == Mode::Im2col ? rank - 2 : 1;
  if (rank < 3 || !map.pixels)
    throw UsageError("`" + text + "`: maps of images have 3 to 5 dimensions, and pixels=");
  for (std::vector<int> *one : {&map.lower, &map.upper})
    if (one->empty())
      one->assign(corners, 0);
  if (map.lower.size() != corners || map.upper.size() != corners)
    throw UsageError("`" + text + "`: " + std::to_string(corners) + " corners expected, that of the width first");
  if (!map.channels)
    map.channels = static_cast<uint32_t>(map.extents[0]);
}

static TensorMap readTensorMap(const std::string &text) {
  const std::vector<std::string> parts = splitOutside(text.substr(4), ':');
  TensorMap map;
  map.type = findType(parts[0]);
  if (!map.type || parts.size() < 3)
    throw UsageError("`" + text +
                     "`: tma=TYPE:EXTENTxEXTENT...:box=NxN...:&BUFFER expected, the innermost dimension first");
  map.extents = readList<uint64_t>(parts[1], 'x', text);
  for (size_t i = 2; i < parts.size(); ++i)
    readTensorMapPart(map, parts[i], text);
  const size_t rank = map.extents.size();
  if (map.typeNumber() < 0)
    throw UsageError("`" + text + "`: there are no tensor maps of " + map.type->name +
                     (map.isUnpacked ? " that are unpacked" : ""));
  if (map.at.buffer.empty())
    throw UsageError("`" + text + "` names no buffer: &NUMBER or &NAME is missing");
  if (map.box.empty())
    map.box.assign(map.extents.begin(), map.extents.end());
  if (map.steps.empty())
    map.steps.assign(rank, 1);
  if (map.strides.empty()) { // packed
    uint64_t count = 1;
    for (size_t i = 0; i + 1 < rank; ++i) {
      count *= map.extents[i];
      map.strides.push_back(map.interleave ? count * map.interleave : count * map.elementBits() / 8);
    }
  }
  if (rank > 5 || map.box.size() != rank || map.steps.size() != rank || map.strides.size() + 1 != rank)
    throw UsageError("`" + text + "`: the extents have " + std::to_string(rank) +
                     " dimensions; box and steps need as many, strides one less, and five are the most");
  completeImages(map, text);
  return map;
}

// NOLINTNEXTLINE(misc-no-recursion): structures nest at most `deepest` deep
static Argument readStructure(const std::string &text, const std::string &number, std::vector<NamedBuffer> &buffers) {
  if (text.back() != '}')
    throw UsageError("`" + text + "`: a closing brace is missing");
  if (std::count(number.begin(), number.end(), '.') >= deepest)
    throw UsageError("structures nest at most " + std::to_string(deepest) + " deep");
  Argument structure;
  unsigned index = 0;
  for (const std::string &field : splitOutside(text.substr(1, text.size() - 2), ',')) {
    if (field.rfind("pad=", 0) == 0) {
      constexpr uint64_t most = 32764; // bytes of all parameters of a kernel
      const uint64_t bytes = readNumber(field.substr(4), text);
      if (bytes > most)
        throw UsageError("`" + field + "`: the parameters of a kernel have at most " + std::to_string(most) + " bytes");
      structure.bytes.resize(structure.bytes.size() + bytes);
      continue;
    }
    const Argument inner = readArgument(field, number + "." + std::to_string(index++), buffers);
    const size_t at = (structure.bytes.size() + inner.alignment - 1) / inner.alignment * inner.alignment;
    structure.bytes.resize(at);
    structure.bytes.insert(structure.bytes.end(), inner.bytes.begin(), inner.bytes.end());
    structure.alignment = std::max(structure.alignment, inner.alignment);
    for (const auto &[offset, address] : inner.addresses)
      structure.addresses.push_back({at + offset, address});
    for (const auto &[offset, map] : inner.tensorMaps)
      structure.tensorMaps.push_back({at + offset, map});
    for (const auto &[offset, image] : inner.images)
      structure.images.push_back({at + offset, image});
  }
  const size_t whole = (structure.bytes.size() + structure.alignment - 1) / structure.alignment * structure.alignment;
  structure.bytes.resize(whole);
  return structure;
}

static Bytes readHex(const std::string &text) {
  Bytes bytes;
  const std::string digits = text.substr(4);
  if (digits.size() % 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    throw UsageError("`" + text + "`: hex= requires two hexadecimal digits a byte");
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

static Argument readScalar(const std::string &text) {
  const size_t equals = text.find('=');
  const ElementType *type = findType(text.substr(0, equals));
  if (equals == std::string::npos || !type || type->bits < 8)
    throw UsageError(
        "`" + text +
        "` is not an argument: a value (u32=7), a buffer (zeros:4096), an address (&0+16), a structure ({u32=7,&0}), "
        "a tensor map (tma=...), a texture or surface (tex=..., surf=...) or bytes (hex=00ff) expected");
  uint64_t bits = 0;
  if (!readValue(*type, text.substr(equals + 1), bits))
    throw UsageError("`" + text.substr(equals + 1) + "` is not a value of type " + type->name);
  Argument argument;
  argument.bytes.resize(type->bits / 8);
  argument.alignment = argument.bytes.size();
  setElement(*type, argument.bytes, 0, bits);
  return argument;
}

// NOLINTNEXTLINE(misc-no-recursion): structures nest at most `deepest` deep
Argument readArgument(const std::string &text, const std::string &number, std::vector<NamedBuffer> &buffers) {
  constexpr size_t pointerBytes = 8;
  Argument argument;
  if (text.starts_with('{'))
    return readStructure(text, number, buffers);
  if (text.rfind("hex=", 0) == 0) {
    argument.bytes = readHex(text);
    return argument;
  }
  if (text.rfind("tma=", 0) == 0) {
    argument.bytes.resize(tensorMapBytes);
    argument.alignment = tensorMapAlignment;
    argument.tensorMaps.push_back({0, readTensorMap(text)});
    return argument;
  }
  if (isImage(text)) {
    argument.bytes.resize(pointerBytes); // a handle
    argument.alignment = pointerBytes;
    argument.images.push_back({0, readImage(text)});
    return argument;
  }
  const bool isReference = text.starts_with('&');
  if (!isReference && !isBuffer(text))
    return readScalar(text);
  argument.bytes.resize(pointerBytes);
  argument.alignment = pointerBytes;
  argument.addresses.push_back({0, isReference ? readAddress(text) : Address{number, 0}});
  if (!isReference)
    buffers.push_back({number, readBuffer(text)});
  return argument;
}

} // namespace ptxray::launcher
