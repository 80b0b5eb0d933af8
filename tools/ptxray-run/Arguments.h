#pragma once
// The arguments of a kernel as the command line writes them: values, buffers, addresses within buffers, structures,
// tensor maps.
#include "Buffer.h"
#include <optional>

namespace ptxray {

/// `&0`, `&0+128`, `&weights`: an address within a buffer.
struct Address {
  std::string buffer;
  uint64_t offset = 0;
};

/// What `cuTensorMapEncodeTiled` takes: `tma=f16:64x128:box=64x64:swizzle=128:&0`. Sizes are with the innermost
/// dimension first.
struct TensorMap {
  const ElementType *type = nullptr;
  std::vector<uint64_t> extents, strides; // strides in bytes, of all dimensions but the innermost
  std::vector<uint32_t> box, steps;
  unsigned swizzle = 0, interleave = 0, promotion = 0; // bytes; 0: none
  unsigned swizzleAtom = 0;                            // 0: of 16 bytes
  bool fillsWithNan = false;
  Address at;
};
inline constexpr size_t tensorMapBytes = 128, tensorMapAlignment = 64;

struct Argument {
  Bytes bytes;
  size_t alignment = 1;
  // What is known only when memory is allocated, by its place among the bytes.
  std::vector<std::pair<size_t, Address>> addresses;
  std::vector<std::pair<size_t, TensorMap>> tensorMaps;
};

struct NamedBuffer {
  std::string name; // the number of its argument, `2.1` within a structure, or a name of the user's
  Buffer buffer;
};

/// One argument; buffers that it describes itself are added under its number.
Argument readArgument(const std::string &text, const std::string &number, std::vector<NamedBuffer> &buffers);

} // namespace ptxray
