#pragma once
// Creates the initial contents of a buffer from a description.
#include "Source/Expected.h"
#include "Types.h"

namespace ptxray::launcher {

/// Returns a number with its noun: `1 byte`, `2 bytes`.
inline std::string counted(uint64_t count, const std::string &thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

struct Buffer {
  Bytes bytes;
  const ElementType *type = nullptr; // null if unspecified
  std::vector<uint64_t> shape;       // shape of a .npy file; empty for one dimension
  uint64_t at = 0;                   // address in a recorded launch; 0 if there is none
};

/// The error for a buffer that exceeds the memory.
inline constexpr const char *tooLarge = "a buffer is larger than this machine's memory";

/// Returns whether a text describes a buffer: `zeros:...`, `file:...` and so on.
bool isBuffer(const std::string &spec);
/// Parses `zeros:4096`, `zeros:f16:64`, `iota:u16:64`, `fill:u32:64:7`, `random:f32:1024:SEED`, `file:in.bin`,
/// `file:f16:in.bin`. `file:` also reads `in.npy`.
Expected<Buffer> readBuffer(const std::string &spec);

/// Reads a whole file.
Expected<Bytes> readBytes(const std::string &path);

/// Returns the header of a .npy file.
std::string npyHeader(const ElementType &type, const std::vector<uint64_t> &shape);

} // namespace ptxray::launcher
