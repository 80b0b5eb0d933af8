#pragma once
// The types of elements: how many bits each takes, and its values from and to numbers and text.
#include <cstdint>
#include <string>
#include <vector>

namespace ptxray {

using Bytes = std::vector<unsigned char>;

struct ElementType {
  enum Kind : uint8_t { Bits, Unsigned, Signed, Float };
  /// What stands for more than the largest finite value, and what is not a number.
  enum Specials : uint8_t { Ieee, NanAlone, None };

  const char *name;
  Kind kind;
  uint8_t bits;                               // that an element takes in memory
  uint8_t exponentBits = 0, mantissaBits = 0; // of a Float
  Specials specials = Ieee;
  bool isSigned = true;
};

/// `u32`, `f16`, `e4m3`; null: there is no such type.
const ElementType *findType(const std::string &name);
/// All names, for messages.
std::string typeNames();

uint64_t bytesFor(const ElementType &type, uint64_t count);
uint64_t countIn(const ElementType &type, uint64_t bytes);

uint64_t element(const ElementType &type, const Bytes &bytes, uint64_t index);
void setElement(const ElementType &type, Bytes &bytes, uint64_t index, uint64_t value);

/// A number as the bits of the type: floats to the nearest, what is too large to infinity or the largest; integers by
/// their low bits.
uint64_t encode(const ElementType &type, double number);
double decode(const ElementType &type, uint64_t bits);

/// `7`, `-1`, `0x10`, `1.5`, `inf` as the bits of the type; false: it is not a value of it.
bool readValue(const ElementType &type, const std::string &text, uint64_t &bits);
std::string show(const ElementType &type, uint64_t bits);

} // namespace ptxray
