#include "Values.h"
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

namespace ptxray {

unsigned sizeOfType(const std::string &type) {
  if (type.size() < 2 || !std::strchr("busf", type[0]))
    return 0;
  const std::string bits = type.substr(1);
  if (type == "bf16" || bits == "16")
    return 2;
  if (bits == "8" && type[0] != 'f')
    return 1;
  return bits == "32" ? 4 : bits == "64" ? 8 : 0;
}

static double fromHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
                           : exponent == 0 ? std::ldexp(mantissa, -24)
                                           : std::ldexp(1024 + mantissa, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

/// The nearest half, found among all: exact, and fast enough for arguments.
static uint16_t toHalf(double value) {
  static const std::vector<double> all = [] {
    std::vector<double> values(0x7c01);
    for (unsigned i = 0; i < values.size(); ++i)
      values[i] = fromHalf(i);
    values.back() = 65536; // what infinity stands for when rounding
    return values;
  }();
  if (std::isnan(value))
    return 0x7fff;
  const double magnitude = std::fabs(value);
  unsigned low = 0, high = 0x7c00;
  while (low < high) {
    const unsigned middle = (low + high + 1) / 2;
    if (all[middle] <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  if (low < 0x7c00) {
    const double below = magnitude - all[low], above = all[low + 1] - magnitude;
    low += above < below || (above == below && low % 2);
  }
  return low | (std::signbit(value) ? 0x8000 : 0);
}

static uint16_t toBFloat(double value) {
  const float single = value;
  uint32_t bits;
  std::memcpy(&bits, &single, 4);
  if (std::isnan(value))
    return 0x7fff;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static void putFloat(const std::string &type, double value, Bytes &out) {
  unsigned char bytes[8];
  if (type == "f64") {
    std::memcpy(bytes, &value, 8);
  } else if (type == "f32") {
    const float single = value;
    std::memcpy(bytes, &single, 4);
  } else {
    const uint16_t half = type == "bf16" ? toBFloat(value) : toHalf(value);
    std::memcpy(bytes, &half, 2);
  }
  out.insert(out.end(), bytes, bytes + sizeOfType(type));
}

static void putInteger(const std::string &type, uint64_t value, Bytes &out) {
  unsigned char bytes[8];
  std::memcpy(bytes, &value, 8); // x86-64 and arm64 are little endian, as the GPU is
  out.insert(out.end(), bytes, bytes + sizeOfType(type));
}

static bool isFloat(const std::string &type) { return type[0] == 'f' || type == "bf16"; }

bool readScalar(const std::string &type, const std::string &text, Bytes &out) {
  const unsigned size = sizeOfType(type);
  if (size == 0 || text.empty())
    return false;
  char *end = nullptr;
  errno = 0;
  if (isFloat(type)) {
    const double value = std::strtod(text.c_str(), &end);
    putFloat(type, value, out);
    return *end == 0;
  }
  const bool negative = text[0] == '-';
  const uint64_t value = negative ? std::strtoll(text.c_str(), &end, 0) : std::strtoull(text.c_str(), &end, 0);
  if (*end != 0 || errno == ERANGE)
    return false;
  const unsigned bits = 8 * size;
  if (bits < 64) {
    const int64_t value64 = value;
    if (negative ? value64 < -(1ll << (bits - 1)) : value >> bits)
      return false;
  }
  putInteger(type, value, out);
  return true;
}

static std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool isBuffer(const std::string &spec) {
  for (const char *kind : {"zeros:", "iota:", "random:", "fill:", "file:"})
    if (spec.rfind(kind, 0) == 0)
      return true;
  return false;
}

bool readBuffer(const std::string &spec, Bytes &out, std::string &reason) {
  const std::vector<std::string> parts = split(spec);
  if (parts[0] == "file") {
    const std::string path = spec.substr(5);
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      reason = "cannot read `" + path + "`: " + std::strerror(errno);
      return false;
    }
    out.assign(std::istreambuf_iterator<char>(file), {});
    return true;
  }
  reason = "`" + spec +
           "` is none of zeros:BYTES, iota:TYPE:COUNT, fill:TYPE:COUNT:VALUE, random:TYPE:COUNT:SEED, "
           "file:PATH";
  constexpr uint64_t most = 1ull << 40;
  auto number = [&](size_t i, uint64_t &value) {
    char *end = nullptr;
    if (i >= parts.size() || parts[i].empty() || parts[i][0] == '-')
      return false;
    value = std::strtoull(parts[i].c_str(), &end, 0);
    return *end == 0 && value <= most;
  };
  uint64_t count = 0, seed = 1;
  if (parts[0] == "zeros") {
    if (parts.size() != 2 || !number(1, count))
      return false;
    out.assign(count, 0);
    return true;
  }
  if (parts.size() < 3 || !sizeOfType(parts[1]) || !number(2, count))
    return false;
  const std::string &type = parts[1];
  out.clear();
  out.reserve(count * sizeOfType(type));
  if (parts[0] == "iota" && parts.size() == 3) {
    for (uint64_t i = 0; i < count; ++i)
      isFloat(type) ? putFloat(type, i, out) : putInteger(type, i, out);
    return true;
  }
  if (parts[0] == "fill" && parts.size() == 4) {
    for (uint64_t i = 0; i < count; ++i)
      if (!readScalar(type, parts[3], out))
        return false;
    return true;
  }
  if (parts[0] != "random" || parts.size() > 4 || (parts.size() == 4 && !number(3, seed)))
    return false;
  std::mt19937_64 random(seed);
  for (uint64_t i = 0; i < count; ++i)
    if (isFloat(type))
      putFloat(type, static_cast<double>(random() >> 11) / (1ull << 52) - 1, out); // from -1 to 1
    else
      putInteger(type, random(), out);
  return true;
}

double numberOf(const std::string &type, const unsigned char *at) {
  uint64_t bits = 0;
  const unsigned size = sizeOfType(type);
  std::memcpy(&bits, at, size);
  if (type == "f64") {
    double value;
    std::memcpy(&value, at, 8);
    return value;
  }
  if (type == "f32") {
    float value;
    std::memcpy(&value, at, 4);
    return value;
  }
  if (type == "bf16") {
    const uint32_t wide = bits << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    return value;
  }
  if (type == "f16")
    return fromHalf(bits);
  if (type[0] == 's' && size < 8 && bits >> (8 * size - 1))
    return static_cast<double>(bits) - std::ldexp(1, 8 * size);
  return type[0] == 's' ? static_cast<double>(static_cast<int64_t>(bits)) : static_cast<double>(bits);
}

std::string showElement(const std::string &type, const unsigned char *at) {
  const unsigned size = sizeOfType(type);
  char text[40];
  if (isFloat(type)) {
    std::snprintf(text, sizeof text, type == "f64" ? "%.17g" : "%.9g", numberOf(type, at));
    return text;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  if (type[0] == 's') {
    const int64_t value = static_cast<int64_t>(bits << (64 - 8 * size)) >> (64 - 8 * size);
    return std::to_string(value);
  }
  if (type[0] == 'u')
    return std::to_string(bits);
  std::snprintf(text, sizeof text, "%0*llx", 2 * size, static_cast<unsigned long long>(bits));
  return text;
}

} // namespace ptxray
