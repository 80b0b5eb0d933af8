#pragma once
// The types of elements: their widths, and conversions of their values from and to numbers and text.
#include <cstdint>
#include <string>
#include <vector>

namespace ptxray::launcher {

using Bytes = std::vector<unsigned char>;

struct ElementType {
  enum Kind : uint8_t { Bits, Unsigned, Signed, Float };
  /// Formats differ in how they represent values beyond the largest finite one, and NaN.
  enum Specials : uint8_t { Ieee, NanAlone, None };

  const char *name;
  Kind kind;
  uint8_t bits;                               // that an element takes in memory
  uint8_t exponentBits = 0, mantissaBits = 0; // of a Float
  Specials specials = Ieee;
  bool isSigned = true;
};

/// Returns the type with a name such as `u32`, `f16`, `e4m3`; null if there is none.
const ElementType *findType(const std::string &name);
/// Returns all names, for messages.
std::string typeNames();

uint64_t bytesFor(const ElementType &type, uint64_t count);
uint64_t countIn(const ElementType &type, uint64_t bytes);

uint64_t element(const ElementType &type, const Bytes &bytes, uint64_t index);
void setElement(const ElementType &type, Bytes &bytes, uint64_t index, uint64_t value);

/// Returns the bits of a number: floats are rounded to the nearest, or to infinity or the largest value if they are too
/// large; integers keep their low bits.
uint64_t encode(const ElementType &type, double number);
double decode(const ElementType &type, uint64_t bits);

/// Reads `7`, `-1`, `0x10`, `1.5` or `inf` as bits of the type; returns false if it is not a value of that type.
bool readValue(const ElementType &type, const std::string &text, uint64_t &bits);
std::string show(const ElementType &type, uint64_t bits);

} // namespace ptxray::launcher
