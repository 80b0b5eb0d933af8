#pragma once
// Element types: their widths, and conversions of values from and to numbers and text.
#include <cstdint>
#include <string>
#include <vector>

namespace ptxray::launcher {

using Bytes = std::vector<unsigned char>;

struct ElementType {
  enum Kind : uint8_t { Bits, Unsigned, Signed, Float };
  /// How a format represents NaN, and values beyond the largest finite one.
  enum Specials : uint8_t { Ieee, NanAlone, None };

  const char *name;
  Kind kind;
  uint8_t bits;                               // size of an element in memory
  uint8_t exponentBits = 0, mantissaBits = 0; // for a Float
  Specials specials = Ieee;
  bool isSigned = true;
};

/// Returns the type with a name such as `u32`, `f16`, `e4m3`, or null.
const ElementType *findType(const std::string &name);
/// Returns all names, for messages.
std::string typeNames();

uint64_t bytesFor(const ElementType &type, uint64_t count);
uint64_t countIn(const ElementType &type, uint64_t bytes);

uint64_t element(const ElementType &type, const Bytes &bytes, uint64_t index);
void setElement(const ElementType &type, Bytes &bytes, uint64_t index, uint64_t value);

/// Returns the bits of a number. Floats are rounded to nearest; values that are too large become infinity or the
/// largest finite value. Integers keep their low bits.
uint64_t encode(const ElementType &type, double number);
double decode(const ElementType &type, uint64_t bits);

/// Parses `7`, `-1`, `0x10`, `1.5` or `inf` as bits of the type. Returns false if it is no value of that type.
bool readValue(const ElementType &type, const std::string &text, uint64_t &bits);
std::string show(const ElementType &type, uint64_t bits);

} // namespace ptxray::launcher
