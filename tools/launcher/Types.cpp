// Converts numbers of all types. One codec serves all floats; a type has a number of exponent bits, a number of
// mantissa bits, and a meaning of the largest exponent.
#include "Types.h"
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace ptxray::launcher {

using Type = ElementType;

static constexpr Type types[] = {
    {"u8", Type::Unsigned, 8},
    {"u16", Type::Unsigned, 16},
    {"u32", Type::Unsigned, 32},
    {"u64", Type::Unsigned, 64},
    {"s8", Type::Signed, 8},
    {"s16", Type::Signed, 16},
    {"s32", Type::Signed, 32},
    {"s64", Type::Signed, 64},
    {"b8", Type::Bits, 8},
    {"b16", Type::Bits, 16},
    {"b32", Type::Bits, 32},
    {"b64", Type::Bits, 64},
    {"f16", Type::Float, 16, 5, 10},
    {"bf16", Type::Float, 16, 8, 7},
    {"f32", Type::Float, 32, 8, 23},
    {"tf32", Type::Float, 32, 8, 23}, // in memory like f32; the hardware reads its upper bits
    {"f64", Type::Float, 64, 11, 52},
    {"e5m2", Type::Float, 8, 5, 2},
    {"e4m3", Type::Float, 8, 4, 3, Type::NanAlone},
    {"e3m2", Type::Float, 8, 3, 2, Type::None}, // 6 bits, padded to a byte
    {"e2m3", Type::Float, 8, 2, 3, Type::None},
    {"e2m1", Type::Float, 4, 2, 1, Type::None}, // two per byte, the lower half first
    {"ue8m0", Type::Float, 8, 8, 0, Type::NanAlone, /*isSigned=*/false},
};

const Type *findType(const std::string &name) {
  const auto found =
      std::find_if(std::begin(types), std::end(types), [&](const Type &type) { return name == type.name; });
  return found == std::end(types) ? nullptr : found;
}

std::string typeNames() {
  std::string names;
  for (const Type &type : types)
    names += (names.empty() ? "" : " ") + std::string(type.name);
  return names;
}

uint64_t bytesFor(const Type &type, uint64_t count) { return (count * type.bits + 7) / 8; }
uint64_t countIn(const Type &type, uint64_t bytes) { return bytes * 8 / type.bits; }

uint64_t element(const Type &type, const Bytes &bytes, uint64_t index) {
  if (type.bits == 4)
    return bytes[index / 2] >> 4 * (index % 2) & 15;
  uint64_t bits = 0; // x86-64 and arm64 are little endian, like the GPU
  std::memcpy(&bits, &bytes[index * (type.bits / 8)], type.bits / 8);
  return bits;
}

void setElement(const Type &type, Bytes &bytes, uint64_t index, uint64_t value) {
  if (type.bits == 4) {
    unsigned char &byte = bytes[index / 2];
    byte = index % 2 ? (byte & 15) | value << 4 : (byte & 0xf0) | (value & 15);
    return;
  }
  std::memcpy(&bytes[index * (type.bits / 8)], &value, type.bits / 8);
}

static uint64_t lowBits(unsigned count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

// ue8m0 has no mantissa and no zero: code 0 is the smallest power of two.
static int bias(const Type &type) { return (1 << (type.exponentBits - 1)) - 1; }
static uint64_t signBit(const Type &type) {
  return type.isSigned ? uint64_t(1) << (type.exponentBits + type.mantissaBits) : 0;
}
static uint64_t largestFinite(const Type &type) {
  const uint64_t all = lowBits(type.exponentBits + type.mantissaBits);
  switch (type.specials) {
  case Type::Ieee: return all - lowBits(type.mantissaBits) - 1;
  case Type::NanAlone: return all - 1;
  case Type::None: break;
  }
  return all;
}
static uint64_t notANumber(const Type &type) {
  return type.specials == Type::None ? largestFinite(type) : lowBits(type.exponentBits + type.mantissaBits);
}

static uint64_t encodeFloat(const Type &type, double number) {
  if (std::isnan(number))
    return notANumber(type);
  const uint64_t sign = std::signbit(number) ? signBit(type) : 0;
  const double magnitude = type.isSigned ? std::fabs(number) : std::max(number, 0.0);
  const bool hasSubnormals = type.mantissaBits > 0;
  const uint64_t overflow = largestFinite(type) + (type.specials == Type::Ieee ? 1 : 0);
  if (std::isinf(magnitude))
    return sign | overflow;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int least = hasSubnormals ? 1 - bias(type) : -bias(type);
  const int unbiased = std::max(magnitude == 0 ? least : exponent - 1, least);
  const double steps = std::nearbyint(std::ldexp(magnitude, type.mantissaBits - unbiased));
  const uint64_t hidden = uint64_t(1) << type.mantissaBits;
  uint64_t mantissa = static_cast<uint64_t>(steps);
  uint64_t code = mantissa; // a number below the least normal number
  if (!hasSubnormals)
    code = static_cast<uint64_t>(unbiased + bias(type)) + (mantissa > 1);
  else if (mantissa >= hidden) // the carry goes into the exponent
    code = (static_cast<uint64_t>(unbiased + bias(type)) << type.mantissaBits) + (mantissa - hidden);
  return sign | (code > largestFinite(type) ? overflow : code);
}

static double decodeFloat(const Type &type, uint64_t bits) {
  const uint64_t code = bits & lowBits(type.exponentBits + type.mantissaBits);
  const bool negative = signBit(type) & bits;
  double magnitude;
  if (code > largestFinite(type)) {
    magnitude = type.specials == Type::Ieee && code == largestFinite(type) + 1 ? INFINITY : NAN;
  } else {
    const auto exponent = static_cast<int>(code >> type.mantissaBits);
    const auto mantissa = static_cast<double>(code & lowBits(type.mantissaBits));
    const double hidden = std::ldexp(1, type.mantissaBits);
    if (type.mantissaBits == 0)
      magnitude = std::ldexp(1, exponent - bias(type));
    else if (exponent == 0)
      magnitude = std::ldexp(mantissa, 1 - bias(type) - type.mantissaBits);
    else
      magnitude = std::ldexp(hidden + mantissa, exponent - bias(type) - type.mantissaBits);
  }
  return negative ? -magnitude : magnitude;
}

uint64_t encode(const Type &type, double number) {
  if (type.kind == Type::Float)
    return encodeFloat(type, number);
  const uint64_t bits =
      number < 0 ? static_cast<uint64_t>(static_cast<int64_t>(number)) : static_cast<uint64_t>(number);
  return bits & lowBits(type.bits);
}

static int64_t asSigned(const Type &type, uint64_t bits) {
  return static_cast<int64_t>(bits << (64 - type.bits)) >> (64 - type.bits);
}

double decode(const Type &type, uint64_t bits) {
  switch (type.kind) {
  case Type::Float: return decodeFloat(type, bits);
  case Type::Signed: return static_cast<double>(asSigned(type, bits));
  default: return static_cast<double>(bits);
  }
}

bool readValue(const Type &type, const std::string &text, uint64_t &bits) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0])))
    return false;
  char *end = nullptr;
  errno = 0;
  if (type.kind == Type::Float) {
    const double value = std::strtod(text.c_str(), &end);
    bits = encode(type, value);
    return *end == 0;
  }
  const bool negative = text[0] == '-';
  const uint64_t value = negative ? std::strtoll(text.c_str(), &end, 0) : std::strtoull(text.c_str(), &end, 0);
  if (*end != 0 || errno == ERANGE)
    return false;
  if (type.bits < 64 &&
      (negative ? static_cast<int64_t>(value) < -(int64_t(1) << (type.bits - 1)) : value >> type.bits))
    return false;
  bits = value & lowBits(type.bits);
  return true;
}

std::string show(const Type &type, uint64_t bits) {
  char text[40];
  switch (type.kind) {
  case Type::Float:
    std::snprintf(text, sizeof text, type.mantissaBits > 23 ? "%.17g" : "%.9g", decodeFloat(type, bits));
    return text;
  case Type::Signed: return std::to_string(asSigned(type, bits));
  case Type::Unsigned: return std::to_string(bits);
  case Type::Bits: break;
  }
  std::snprintf(text, sizeof text, "%0*llx", type.bits / 4, static_cast<unsigned long long>(bits));
  return text;
}

} // namespace ptxray::launcher
