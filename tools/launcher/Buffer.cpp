// Generates buffers, or reads them from a file, raw or .npy.
#include "Buffer.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <unistd.h>

namespace ptxray::launcher {

static std::vector<std::string> split(const std::string &text, char divider) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == divider)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// Returns whether the text is a list of elements: `f32:1,2,3`.
static bool isList(const std::string &spec) {
  const size_t colon = spec.find(':');
  return colon != std::string::npos && findType(spec.substr(0, colon));
}

bool isBuffer(const std::string &spec) {
  for (const char *kind : {"zeros:", "iota:", "random:", "edges:", "fill:", "file:"})
    if (spec.rfind(kind, 0) == 0)
      return true;
  return isList(spec);
}

static bool readNumber(const std::string &text, uint64_t &value) {
  constexpr uint64_t most = 1ull << 40;
  char *end = nullptr;
  if (text.empty() || text[0] < '0' || text[0] > '9')
    return false;
  value = std::strtoull(text.c_str(), &end, 0);
  return *end == 0 && value <= most;
}

// ------------------------------------------------------------------------------------------ .npy
static const std::string npyMagic("\x93NUMPY", 6);

/// Returns the type for numpy's letters, such as `<f2`. Types that numpy lacks (bf16, e4m3) are written as bytes
/// without a meaning: `|V2`.
static Expected<const ElementType *> typeOfDescription(const std::string &text, const std::string &path) {
  struct Known {
    const char *letters, *type;
  };
  static constexpr Known known[] = {{"f2", "f16"}, {"f4", "f32"}, {"f8", "f64"}, {"i1", "s8"},  {"i2", "s16"},
                                    {"i4", "s32"}, {"i8", "s64"}, {"u1", "u8"},  {"u2", "u16"}, {"u4", "u32"},
                                    {"u8", "u64"}, {"b1", "u8"},  {"V1", "b8"},  {"V2", "b16"}, {"V4", "b32"}};
  if (text.size() > 1 && text[0] == '>' && text[1] != 'b' && text.substr(2) != "1")
    return Problem{"`" + path + "` is big endian; the GPU is little endian"};
  for (const Known &one : known)
    if (text.size() > 1 && text.substr(1) == one.letters)
      return findType(one.type);
  return Problem{"`" + path + "` holds elements of type `" + text + "`, which is not supported"};
}

/// Returns the text of a value in the header's dictionary: the part after `'descr':` up to the next comma or bracket.
static std::string valueOf(const std::string &header, const std::string &key) {
  const size_t at = header.find("'" + key + "'");
  if (at == std::string::npos)
    return "";
  const size_t begin = header.find_first_not_of(" :", at + key.size() + 2);
  if (begin == std::string::npos)
    return "";
  const char closing = header[begin] == '(' ? ')' : header[begin] == '\'' ? '\'' : ',';
  const size_t end = header.find(closing, begin + 1);
  const size_t skip = closing == ',' ? 0 : 1;
  return header.substr(begin + skip, end == std::string::npos ? end : end - begin - skip);
}

/// Reads a .npy file whose bytes are in the buffer. Returns what is wrong with it.
static std::string readNpy(Buffer &buffer, const std::string &path) {
  Bytes &all = buffer.bytes;
  const std::string damaged = "`" + path + "` is a damaged .npy file";
  constexpr size_t prologue = 10;
  if (all.size() < prologue)
    return damaged;
  const bool isLong = all[6] >= 2; // the length has four bytes from version 2 on
  const size_t at = isLong ? 12 : prologue;
  uint32_t length = 0;
  if (all.size() < at)
    return damaged;
  std::memcpy(&length, &all[8], isLong ? 4 : 2);
  if (length > all.size() - at)
    return damaged;
  const std::string header(all.begin() + at, all.begin() + at + length);
  if (std::string problem = take(buffer.type, typeOfDescription(valueOf(header, "descr"), path)); !problem.empty())
    return problem;
  if (valueOf(header, "fortran_order") == "True")
    return "`" + path + "` is in Fortran order; use numpy.ascontiguousarray before saving it";
  uint64_t count = 1;
  for (const std::string &part : split(valueOf(header, "shape"), ',')) {
    const size_t digit = part.find_first_not_of(' ');
    if (digit == std::string::npos)
      continue;
    uint64_t extent = 0;
    if (!readNumber(part.substr(digit), extent) || (extent && count > (1ull << 40) / extent))
      return damaged;
    buffer.shape.push_back(extent);
    count *= extent;
  }
  all.erase(all.begin(), all.begin() + at + length);
  if (all.size() != bytesFor(*buffer.type, count))
    return "`" + path + "` holds " + std::to_string(all.size()) + " bytes, its header says " +
           std::to_string(bytesFor(*buffer.type, count));
  return "";
}

std::string npyHeader(const ElementType &type, const std::vector<uint64_t> &shape) {
  const bool isNumpys = type.kind != ElementType::Float || type.bits >= 32 || std::string(type.name) == "f16";
  const char letter = !isNumpys                          ? 'V'
                      : type.kind == ElementType::Float  ? 'f'
                      : type.kind == ElementType::Signed ? 'i'
                                                         : 'u';
  std::string text = "{'descr': '" + std::string(type.bits <= 8 || !isNumpys ? "|" : "<") + letter +
                     std::to_string(std::max(1, type.bits / 8)) + "', 'fortran_order': False, 'shape': (";
  for (uint64_t extent : shape)
    text += std::to_string(extent) + ",";
  text += "), }";
  constexpr size_t prologue = 10, alignment = 64;
  text.append(alignment - (prologue + text.size() + 1) % alignment, ' ');
  text += '\n';
  const auto length = static_cast<uint16_t>(text.size());
  return npyMagic + std::string("\1\0", 2) + static_cast<char>(length & 255) + static_cast<char>(length >> 8) + text;
}

// --------------------------------------------------------------------------------------- by rules
Expected<Bytes> readBytes(const std::string &path) {
  constexpr size_t step = 1 << 20;
  Bytes bytes;
  size_t size = 0;
  std::FILE *file = std::fopen(path.c_str(), "rb");
  bool isRead = file;
  while (isRead && !std::feof(file)) {
    bytes.resize(size + std::max(step, size));
    size += std::fread(&bytes[size], 1, bytes.size() - size, file);
    isRead = !std::ferror(file);
  }
  const int reason = errno;
  if (file)
    std::fclose(file);
  if (!isRead)
    return Problem{"cannot read `" + path + "`: " + std::strerror(reason)};
  bytes.resize(size);
  bytes.shrink_to_fit();
  return bytes;
}

static Expected<Buffer> readFile(std::string path) {
  Buffer buffer;
  const ElementType *named = nullptr;
  if (const size_t colon = path.find(':'); colon != std::string::npos)
    if ((named = findType(path.substr(0, colon))))
      path.erase(0, colon + 1);
  if (const std::string problem = take(buffer.bytes, readBytes(path)); !problem.empty())
    return Problem{problem};
  if (buffer.bytes.size() >= npyMagic.size() &&
      std::equal(npyMagic.begin(), npyMagic.end(), buffer.bytes.begin(),
                 [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; }))
    if (const std::string problem = readNpy(buffer, path); !problem.empty())
      return Problem{problem};
  if (named && buffer.type && named->bits != buffer.type->bits && named->bits != 4)
    return Problem{"`" + path + "` holds elements of " + std::to_string(buffer.type->bits) + " bits; " + named->name +
                   " has " + std::to_string(named->bits)};
  if (named)
    buffer.type = named;
  return buffer;
}

/// Returns an edge case for one in four numbers, where integers and floats of all sizes change their behaviour, and a
/// small number for one in eight.
static uint64_t edgeOr(uint64_t random) {
  static constexpr uint64_t edges[] = {0,
                                       1,
                                       2,
                                       31,
                                       32,
                                       63,
                                       64,
                                       0xFF,
                                       0xFFFF,
                                       0x10000,
                                       0xFFFFFFFF,
                                       0x100000000,
                                       ~uint64_t(0),
                                       ~uint64_t(1),
                                       0x8000000000000000,
                                       0x7FFFFFFFFFFFFFFF,
                                       0x8000000080000000,
                                       0x7FFFFFFF7FFFFFFF,
                                       0xFFFFFFFF00000000,
                                       0x3F8000003F800000,
                                       0xBF800000BF800000,
                                       0x7F8000007F800000,
                                       0xFF800000FF800000,
                                       0x7FC000007FC00000,
                                       0x0000000100000001,
                                       0x007FFFFF007FFFFF,
                                       0x0080000000800000,
                                       0x7F7FFFFF7F7FFFFF,
                                       0x4F0000004F000000,
                                       0x3FF0000000000000,
                                       0xBFF0000000000000,
                                       0x7FF0000000000000,
                                       0xFFF0000000000000,
                                       0x7FF8000000000000,
                                       0x000FFFFFFFFFFFFF,
                                       0x0010000000000000,
                                       0x7FEFFFFFFFFFFFFF,
                                       0x43E0000000000000,
                                       0x41E0000000000000,
                                       0x3C003C003C003C00,
                                       0xBC00BC00BC00BC00,
                                       0x7C007C007C007C00,
                                       0xFC00FC00FC00FC00,
                                       0x7E007E007E007E00,
                                       0x0001000100010001,
                                       0x03FF03FF03FF03FF,
                                       0x7BFF7BFF7BFF7BFF,
                                       0x8000800080008000,
                                       0x7FFF7FFF7FFF7FFF};
  constexpr unsigned kinds = 8, small = 64;
  const uint64_t kind = random >> 61;
  if (kind < kinds / 4)
    return edges[random % (sizeof edges / sizeof *edges)];
  return kind == kinds / 4 ? random % small : random * 0x9E3779B97F4A7C15 ^ random >> 29;
}

static bool fill(Buffer &buffer, const std::vector<std::string> &parts, uint64_t count) {
  const ElementType &type = *buffer.type;
  uint64_t value = 0, seed = 1;
  const std::string &kind = parts[0];
  if (kind == "zeros")
    return parts.size() == 3;
  if (kind == "iota") {
    for (uint64_t i = 0; i < count; ++i)
      setElement(type, buffer.bytes, i, encode(type, static_cast<double>(i)));
    return parts.size() == 3;
  }
  if (kind == "fill") {
    if (parts.size() != 4 || !readValue(type, parts[3], value))
      return false;
    for (uint64_t i = 0; i < count; ++i)
      setElement(type, buffer.bytes, i, value);
    return true;
  }
  if (parts.size() > 4 || (parts.size() == 4 && !readNumber(parts[3], seed)))
    return false;
  std::mt19937_64 random(seed);
  if (kind == "edges") {
    for (uint64_t i = 0; i < count; ++i)
      setElement(type, buffer.bytes, i, edgeOr(random()));
    return true;
  }
  for (uint64_t i = 0; i < count; ++i) // floats from -1 to 1
    setElement(type, buffer.bytes, i,
               type.kind == ElementType::Float ? encode(type, static_cast<double>(random() >> 11) / (1ull << 52) - 1)
                                               : random());
  return true;
}

/// Makes a buffer of zeros. Returns whether the machine has enough memory. An allocator may promise more than that, and
/// the process would then die when it writes there.
static bool resize(Buffer &buffer, uint64_t bytes) {
#ifdef __wasm__ // addresses have 32 bits
  constexpr uint64_t page = 1 << 16, pages = 1 << 15;
#else
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)),
             pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
#endif
  if (bytes / page >= pages)
    return false;
  buffer.bytes.assign(static_cast<size_t>(bytes), 0);
  return true;
}

/// Reads `f32:1,2,3`.
static Expected<Buffer> readElements(const std::string &spec) {
  const size_t colon = spec.find(':');
  Buffer buffer;
  buffer.type = findType(spec.substr(0, colon));
  const std::vector<std::string> elements = split(spec.substr(colon + 1), ',');
  if (!resize(buffer, bytesFor(*buffer.type, elements.size())))
    return Problem{tooLarge};
  for (size_t i = 0; i < elements.size(); ++i) {
    uint64_t value = 0;
    if (!readValue(*buffer.type, elements[i], value))
      return Problem{"`" + elements[i] + "` in `" + spec + "` is not a value of type " + buffer.type->name};
    setElement(*buffer.type, buffer.bytes, i, value);
  }
  return buffer;
}

Expected<Buffer> readBuffer(const std::string &spec) {
  if (spec.rfind("file:", 0) == 0)
    return readFile(spec.substr(5));
  if (isList(spec))
    return readElements(spec);
  const Problem unknown{
      "`" + spec +
      "` is none of zeros:BYTES, TYPE:VALUE,VALUE..., zeros:TYPE:COUNT, iota:TYPE:COUNT, fill:TYPE:COUNT:VALUE, "
      "random:TYPE:COUNT:SEED, edges:TYPE:COUNT:SEED, file:PATH, file:TYPE:PATH"};
  const std::vector<std::string> parts = split(spec, ':');
  Buffer buffer;
  uint64_t count = 0;
  if (parts[0] == "zeros" && parts.size() == 2) {
    if (!readNumber(parts[1], count))
      return unknown;
    return resize(buffer, count) ? Expected<Buffer>(std::move(buffer)) : Problem{tooLarge};
  }
  if (parts.size() < 3 || !(buffer.type = findType(parts[1])) || !readNumber(parts[2], count))
    return unknown;
  if (!resize(buffer, bytesFor(*buffer.type, count)))
    return Problem{tooLarge};
  if (!fill(buffer, parts, count))
    return unknown;
  return buffer;
}

} // namespace ptxray::launcher
