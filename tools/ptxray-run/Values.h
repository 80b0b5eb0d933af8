#pragma once
// Values of kernel arguments, from and to text.
#include <cstdint>
#include <string>
#include <vector>

namespace ptxray {

using Bytes = std::vector<unsigned char>;

/// Number of bytes of `u32`, `f64`, `b8` ...; 0: no such type.
unsigned sizeOfType(const std::string &type);

/// `7`, `-1`, `0x10`, `1.5` as a value of that type; false: it is none.
bool readScalar(const std::string &type, const std::string &text, Bytes &out);

/// `zeros:4096`, `iota:u16:64`, `random:f32:1024:seed`, `fill:u32:64:7`, `file:in.bin`; false and
/// why it is none.
bool readBuffer(const std::string &spec, Bytes &out, std::string &reason);
bool isBuffer(const std::string &spec);

/// The value at an element, as text and as a number.
std::string showElement(const std::string &type, const unsigned char *at);
double numberOf(const std::string &type, const unsigned char *at);

} // namespace ptxray
