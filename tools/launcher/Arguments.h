#pragma once
// Parses the arguments of a kernel on the command line: values, buffers, addresses in buffers, structures, tensor maps.
#include "Images.h"
#include <optional>

namespace ptxray::launcher {

/// The parameters of `cuTensorMapEncodeTiled`: `tma=f16:64x128:box=64x64:swizzle=128:&0`, or of
/// `cuTensorMapEncodeIm2col` and `cuTensorMapEncodeIm2colWide`. The innermost dimension comes first in all sizes.
struct TensorMap {
  enum class Mode : uint8_t { Tiled, Im2col, Wide, Wide128 };
  Mode mode = Mode::Tiled;
  const ElementType *type = nullptr;
  std::vector<uint64_t> extents, strides; // strides in bytes, for all dimensions except the innermost
  std::vector<uint32_t> box, steps;
  unsigned swizzle = 0, interleave = 0, promotion = 0; // in bytes; 0 for none
  unsigned swizzleAtom = 0;                            // 0 for 16 bytes
  bool fillsWithNan = false;
  bool isUnpacked = false; // 4-bit elements are separated by gaps in shared memory
  // For images: corners along width, height and depth, and the numbers of channels and pixels.
  std::vector<int> lower, upper;
  uint32_t channels = 0, pixels = 0;
  Address at;

  /// Returns the size of an element in memory in bits.
  unsigned elementBits() const;
  // Return the values of the driver; -1 if it has none for the type.
  int typeNumber() const;
  int swizzleNumber() const;
  int interleaveNumber() const;
  int promotionNumber() const;
};
inline constexpr size_t tensorMapBytes = 128, tensorMapAlignment = 64;

struct Argument {
  Bytes bytes;
  size_t alignment = 1;
  // Values that depend on allocated addresses, and their offsets in the bytes.
  std::vector<std::pair<size_t, Address>> addresses;
  std::vector<std::pair<size_t, TensorMap>> tensorMaps;
  std::vector<std::pair<size_t, ImageDescription>> images;
};

struct NamedBuffer {
  std::string name; // number of its argument, `2.1` within a structure, or a name from the user
  Buffer buffer;
};

Expected<uint64_t> readNumber(const std::string &text, const std::string &within);
/// Parses `&0` or `&0+128`.
Expected<Address> readAddress(const std::string &text);
/// Parses one argument. Adds buffers that it contains, named by its number.
Expected<Argument> readArgument(const std::string &text, const std::string &number, std::vector<NamedBuffer> &buffers);

} // namespace ptxray::launcher
