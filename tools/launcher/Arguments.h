#pragma once
// The arguments of a kernel on the command line: values, buffers, addresses within buffers, structures, tensor maps.
#include "Images.h"
#include <optional>

namespace ptxray::launcher {

/// The parameters of `cuTensorMapEncodeTiled`: `tma=f16:64x128:box=64x64:swizzle=128:&0`, or of
/// `cuTensorMapEncodeIm2col` and `cuTensorMapEncodeIm2colWide`. The innermost dimension comes first in all sizes.
struct TensorMap {
  enum class Mode : uint8_t { Tiled, Im2col, Wide, Wide128 };
  Mode mode = Mode::Tiled;
  const ElementType *type = nullptr;
  std::vector<uint64_t> extents, strides; // strides in bytes, of all dimensions but the innermost
  std::vector<uint32_t> box, steps;
  unsigned swizzle = 0, interleave = 0, promotion = 0; // bytes; 0: none
  unsigned swizzleAtom = 0;                            // 0: of 16 bytes
  bool fillsWithNan = false;
  bool isUnpacked = false; // elements of 4 bits get gaps in shared memory
  // Images have corners along width, height and depth, and so many channels and pixels are taken.
  std::vector<int> lower, upper;
  uint32_t channels = 0, pixels = 0;
  Address at;

  /// Returns the bits of an element in memory.
  unsigned elementBits() const;
  // The numbers that the driver has for them; -1: it has none for the type.
  int typeNumber() const;
  int swizzleNumber() const;
  int interleaveNumber() const;
  int promotionNumber() const;
};
inline constexpr size_t tensorMapBytes = 128, tensorMapAlignment = 64;

struct Argument {
  Bytes bytes;
  size_t alignment = 1;
  // Values that are known only when memory is allocated, with their places among the bytes.
  std::vector<std::pair<size_t, Address>> addresses;
  std::vector<std::pair<size_t, TensorMap>> tensorMaps;
  std::vector<std::pair<size_t, ImageDescription>> images;
};

struct NamedBuffer {
  std::string name; // the number of its argument, `2.1` within a structure, or a name of the user's
  Buffer buffer;
};

Expected<uint64_t> readNumber(const std::string &text, const std::string &within);
/// `&0`, `&0+128`.
Expected<Address> readAddress(const std::string &text);
/// Reads one argument; buffers that it describes itself are added under its number.
Expected<Argument> readArgument(const std::string &text, const std::string &number, std::vector<NamedBuffer> &buffers);

} // namespace ptxray::launcher
