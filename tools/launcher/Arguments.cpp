// Reads arguments. Structures have the layout of C: each field lies at a multiple of its alignment.
#include "Arguments.h"
#include <algorithm>
#include <cstring>
#include <iterator>

namespace ptxray::launcher {

static constexpr int deepest = 16; // levels of nested structures: the number of a field has as many points

Expected<uint64_t> readNumber(const std::string &text, const std::string &within) {
  char *end = nullptr;
  const uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end)
    return Problem{"`" + text + "` in `" + within + "` is not a number"};
  return value;
}

Expected<Address> readAddress(const std::string &text) {
  const size_t plus = text.find('+');
  Address address{text.substr(1, plus == std::string::npos ? plus : plus - 1), 0};
  if (address.buffer.empty())
    return Problem{"`" + text + "` is not a buffer: expected &NUMBER or &NAME, optionally with +BYTES"};
  if (plus != std::string::npos)
    if (const std::string problem = take(address.offset, readNumber(text.substr(plus + 1), text)); !problem.empty())
      return Problem{problem};
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

/// Reads numbers. They may have a sign if the type has one. Returns what is wrong with them, or an empty string.
template <class T>
static std::string readList(std::vector<T> &numbers, const std::string &text, char divider, const std::string &within) {
  numbers.clear();
  for (const std::string &part : splitOutside(text, divider)) {
    const bool isNegative = std::is_signed_v<T> && part.starts_with('-');
    const Expected<uint64_t> number = readNumber(part.substr(isNegative), within);
    if (!number)
      return number.problem();
    numbers.push_back(isNegative ? -static_cast<T>(*number) : static_cast<T>(*number));
  }
  return "";
}

template <class T> static std::string readInto(T &to, const std::string &text, const std::string &within) {
  const Expected<uint64_t> number = readNumber(text, within);
  if (number)
    to = static_cast<T>(*number);
  return number.problem();
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

/// Returns 0, 1, 2, and so on for 0, first, 2 * first, and so on.
static int power(unsigned bytes, unsigned first) {
  int code = 0;
  for (unsigned i = first; bytes && i <= bytes; i *= 2)
    ++code;
  return code;
}

int TensorMap::swizzleNumber() const {
  constexpr int first = 4, last = 6; // the numbers for atoms of 32 and 64 bytes
  return swizzleAtom ? (swizzleAtom == 64 ? last : first) : power(swizzle, 32);
}
int TensorMap::interleaveNumber() const { return power(interleave, 16); }
int TensorMap::promotionNumber() const { return power(promotion, 64); }

/// Reads a part that only maps of images have. Returns false if it is another part.
static Expected<bool> readImagePart(TensorMap &map, const std::string &part, const std::string &key,
                                    const std::string &value, const std::string &text) {
  using Mode = TensorMap::Mode;
  std::string problem;
  if (part == "im2col")
    map.mode = Mode::Im2col;
  else if (part == "im2col=w")
    map.mode = Mode::Wide;
  else if (part == "im2col=w128")
    map.mode = Mode::Wide128;
  else if (key == "lower")
    problem = readList(map.lower, value, 'x', text);
  else if (key == "upper")
    problem = readList(map.upper, value, 'x', text);
  else if (key == "channels")
    problem = readInto(map.channels, value, text);
  else if (key == "pixels")
    problem = readInto(map.pixels, value, text);
  else
    return false;
  return problem.empty() ? Expected<bool>(true) : Problem{problem};
}

static std::string readSwizzle(TensorMap &map, const std::string &value, const std::string &text) {
  std::vector<unsigned> parts;
  if (std::string problem = readList(parts, value, '/', text); !problem.empty())
    return problem;
  map.swizzle = parts[0];
  map.swizzleAtom = parts.size() > 1 ? parts[1] : 0;
  return "";
}

static std::string readTensorMapPart(TensorMap &map, const std::string &part, const std::string &text) {
  const size_t equals = part.find('=');
  const std::string key = part.substr(0, equals), value = equals == std::string::npos ? "" : part.substr(equals + 1);
  if (const Expected<bool> isOfImage = readImagePart(map, part, key, value, text); !isOfImage || *isOfImage)
    return isOfImage.problem();
  if (part[0] == '&')
    return take(map.at, readAddress(part));
  if (key == "box")
    return readList(map.box, value, 'x', text);
  if (key == "steps")
    return readList(map.steps, value, 'x', text);
  if (key == "strides")
    return readList(map.strides, value, 'x', text);
  if (part == "swizzle=none")
    map.swizzle = 0;
  else if (key == "swizzle")
    return readSwizzle(map, value, text);
  else if (key == "interleave")
    return readInto(map.interleave, value, text);
  else if (key == "promotion")
    return readInto(map.promotion, value, text);
  else if (part == "fill=nan")
    map.fillsWithNan = true;
  else if (part == "unpacked")
    map.isUnpacked = true;
  else
    return "`" + part + "` in `" + text +
           "`: expected box=, strides=, steps=, swizzle=, interleave=, promotion=, fill=nan, unpacked, "
           "im2col, im2col=w, im2col=w128, lower=, upper=, channels=, pixels= or &BUFFER";
  return "";
}

/// Sets the defaults of maps of images: corners at the ends, and all channels.
static std::string completeImages(TensorMap &map, const std::string &text) {
  using Mode = TensorMap::Mode;
  const size_t rank = map.extents.size();
  if (map.mode == Mode::Tiled && (!map.lower.empty() || !map.upper.empty() || map.channels || map.pixels))
    return "`" + text + "`: lower, upper, channels and pixels need im2col, im2col=w or im2col=w128";
  if (map.mode == Mode::Tiled)
    return "";
  const size_t corners = map.mode == Mode::Im2col ? rank - 2 : 1;
  if (rank < 3 || !map.pixels)
    return "`" + text + "`: maps of images have 3 to 5 dimensions, and pixels=";
  for (std::vector<int> *one : {&map.lower, &map.upper})
    if (one->empty())
      one->assign(corners, 0);
  if (map.lower.size() != corners || map.upper.size() != corners)
    return "`" + text + "`: " + std::to_string(corners) + " corners expected, the width first";
  if (!map.channels)
    map.channels = static_cast<uint32_t>(map.extents[0]);
  return "";
}

/// Sets the defaults of missing parts. Returns the problem with the map.
static std::string completeTensorMap(TensorMap &map, const std::string &text) {
  const size_t rank = map.extents.size();
  if (map.typeNumber() < 0)
    return "`" + text + "`: there are no tensor maps of " + map.type->name +
           (map.isUnpacked ? " that are unpacked" : "");
  if (map.at.buffer.empty())
    return "`" + text + "` is not a buffer: &NUMBER or &NAME is missing";
  if (map.box.empty())
    map.box.assign(map.extents.begin(), map.extents.end());
  if (map.steps.empty())
    map.steps.assign(rank, 1);
  if (map.strides.empty()) { // the rows are packed
    uint64_t count = 1;
    for (size_t i = 0; i + 1 < rank; ++i) {
      count *= map.extents[i];
      map.strides.push_back(map.interleave ? count * map.interleave : count * map.elementBits() / 8);
    }
  }
  if (rank > 5 || map.box.size() != rank || map.steps.size() != rank || map.strides.size() + 1 != rank)
    return "`" + text + "`: the extents have " + std::to_string(rank) +
           " dimensions; box and steps need as many, strides one less, and five are the most";
  return completeImages(map, text);
}

static Expected<TensorMap> readTensorMap(const std::string &text) {
  const std::vector<std::string> parts = splitOutside(text.substr(4), ':');
  TensorMap map;
  map.type = findType(parts[0]);
  if (!map.type || parts.size() < 3)
    return Problem{"`" + text +
                   "`: tma=TYPE:EXTENTxEXTENT...:box=NxN...:&BUFFER expected, the innermost dimension first"};
  std::string problem = readList(map.extents, parts[1], 'x', text);
  for (size_t i = 2; i < parts.size() && problem.empty(); ++i)
    problem = readTensorMapPart(map, parts[i], text);
  if (problem.empty())
    problem = completeTensorMap(map, text);
  return problem.empty() ? Expected<TensorMap>(std::move(map)) : Problem{problem};
}

/// Adds a field to a structure.
static void append(Argument &structure, const Argument &field) {
  const size_t at = (structure.bytes.size() + field.alignment - 1) / field.alignment * field.alignment;
  structure.bytes.resize(at);
  structure.bytes.insert(structure.bytes.end(), field.bytes.begin(), field.bytes.end());
  structure.alignment = std::max(structure.alignment, field.alignment);
  for (const auto &[offset, address] : field.addresses)
    structure.addresses.push_back({at + offset, address});
  for (const auto &[offset, map] : field.tensorMaps)
    structure.tensorMaps.push_back({at + offset, map});
  for (const auto &[offset, image] : field.images)
    structure.images.push_back({at + offset, image});
}

// NOLINTNEXTLINE(misc-no-recursion): structures nest at most `deepest` deep
static Expected<Argument> readStructure(const std::string &text, const std::string &number,
                                        std::vector<NamedBuffer> &buffers) {
  if (text.back() != '}')
    return Problem{"`" + text + "`: a closing brace is missing"};
  if (std::count(number.begin(), number.end(), '.') >= deepest)
    return Problem{"structures nest at most " + std::to_string(deepest) + " deep"};
  Argument structure;
  unsigned index = 0;
  for (const std::string &field : splitOutside(text.substr(1, text.size() - 2), ',')) {
    if (field.rfind("pad=", 0) == 0) {
      constexpr uint64_t most = 32764; // bytes of all parameters of a kernel
      const Expected<uint64_t> bytes = readNumber(field.substr(4), text);
      if (!bytes)
        return Problem{bytes.problem()};
      if (*bytes > most)
        return Problem{"`" + field + "`: the parameters of a kernel have at most " + std::to_string(most) + " bytes"};
      structure.bytes.resize(structure.bytes.size() + *bytes);
      continue;
    }
    const Expected<Argument> inner = readArgument(field, number + "." + std::to_string(index++), buffers);
    if (!inner)
      return inner;
    append(structure, *inner);
  }
  const size_t whole = (structure.bytes.size() + structure.alignment - 1) / structure.alignment * structure.alignment;
  structure.bytes.resize(whole);
  return structure;
}

static Expected<Bytes> readHex(const std::string &text) {
  Bytes bytes;
  const std::string digits = text.substr(4);
  if (digits.size() % 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    return Problem{"`" + text + "`: hex= requires two hexadecimal digits a byte"};
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

static Expected<Argument> readScalar(const std::string &text) {
  const size_t equals = text.find('=');
  const ElementType *type = findType(text.substr(0, equals));
  if (equals == std::string::npos || !type || type->bits < 8)
    return Problem{"`" + text +
                   "` is not an argument: a value (u32=7), a buffer (zeros:f32:1024 or f32:1,2,3), an address (&0+16), "
                   "a structure ({u32=7,&0}), "
                   "a tensor map (tma=...), a texture or surface (tex=..., surf=...) or bytes (hex=00ff) expected"};
  uint64_t bits = 0;
  if (!readValue(*type, text.substr(equals + 1), bits))
    return Problem{"`" + text.substr(equals + 1) + "` is not a value of type " + type->name};
  Argument argument;
  argument.bytes.resize(type->bits / 8);
  argument.alignment = argument.bytes.size();
  setElement(*type, argument.bytes, 0, bits);
  return argument;
}

// NOLINTNEXTLINE(misc-no-recursion): structures nest at most `deepest` deep
Expected<Argument> readArgument(const std::string &text, const std::string &number, std::vector<NamedBuffer> &buffers) {
  constexpr size_t pointerBytes = 8; // a handle has as many
  if (text.starts_with('{'))
    return readStructure(text, number, buffers);
  Argument argument;
  std::string problem;
  const bool isReference = text.starts_with('&');
  if (text.rfind("hex=", 0) == 0) {
    problem = take(argument.bytes, readHex(text));
  } else if (text.rfind("tma=", 0) == 0) {
    argument.bytes.resize(tensorMapBytes);
    argument.alignment = tensorMapAlignment;
    problem = take(argument.tensorMaps.emplace_back().second, readTensorMap(text));
  } else if (isImage(text)) {
    argument.bytes.resize(pointerBytes);
    argument.alignment = pointerBytes;
    problem = take(argument.images.emplace_back().second, readImage(text));
  } else if (isReference || isBuffer(text)) {
    argument.bytes.resize(pointerBytes);
    argument.alignment = pointerBytes;
    Address &address = argument.addresses.emplace_back(0, Address{number, 0}).second;
    problem = isReference ? take(address, readAddress(text))
                          : take(buffers.emplace_back(NamedBuffer{number, {}}).buffer, readBuffer(text));
  } else {
    return readScalar(text);
  }
  return problem.empty() ? Expected<Argument>(std::move(argument)) : Problem{problem};
}

} // namespace ptxray::launcher
