// Encodes tensor maps as bytes, in the format of the emulated machine.
#include "Chips.h"
#include "Machine/DriverNumbers.h"
#include "State.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace ptxray;
using namespace ptxray::driver;

namespace {

/// Holds the common arguments of the three functions that encode a map.
struct Encoding {
  void *to;
  machine::DriverNumbers numbers;
  int promotion;
  unsigned rank;
  void *address;
  const uint64_t *extents, *strides;
  const uint32_t *steps;
};

/// Sets the fields that all maps have. Returns false if it is not valid. The driver counts promotion from 0 to 3; it
/// has no effect here.
bool begin(machine::TensorMap &map, const Encoding &from) {
  constexpr int mostPromotion = 3;
  if (!from.to || !from.rank || from.rank > machine::mostTensorRank || !from.extents ||
      (from.rank > 1 && !from.strides) || !from.steps || from.promotion < 0 || from.promotion > mostPromotion ||
      !setDriverNumbers(map, from.numbers))
    return false;
  map.rank = from.rank;
  map.address = reinterpret_cast<uintptr_t>(from.address);
  std::copy_n(from.extents, from.rank, map.extents.begin());
  for (unsigned i = 1; i < from.rank; ++i)
    map.strides[i - 1] = from.strides[i - 1];
  std::copy_n(from.steps, from.rank, map.steps.begin());
  return true;
}

Result finish(const machine::TensorMap &map, void *to) {
  const Chip *chip = state().chip;
  if (!findProblem(map, chip ? static_cast<unsigned>(chip->major * 10 + chip->minor) : 0).empty())
    return InvalidValue;
  llvm::copy(encode(map), static_cast<uint8_t *>(to));
  return Success;
}

} // namespace

PTXRAY_API cuTensorMapEncodeTiled(void *to, int type, unsigned rank, void *address, const uint64_t *extents,
                                  const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                                  int swizzle, int promotion, int fill) {
  machine::TensorMap map;
  if (!box || !begin(map, {to, {type, interleave, swizzle, fill}, promotion, rank, address, extents, strides, steps}))
    return InvalidValue;
  std::copy_n(box, rank, map.box.begin());
  return finish(map, to);
}

PTXRAY_API cuTensorMapEncodeIm2col(void *to, int type, unsigned rank, void *address, const uint64_t *extents,
                                   const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                                   uint32_t pixels, const uint32_t *steps, int interleave, int swizzle, int promotion,
                                   int fill) {
  machine::TensorMap map;
  if (rank < 3 || !lower || !upper ||
      !begin(map, {to, {type, interleave, swizzle, fill}, promotion, rank, address, extents, strides, steps}))
    return InvalidValue;
  map.mode = machine::TensorMode::Im2col;
  std::copy_n(lower, rank - 2, map.lower.begin());
  std::copy_n(upper, rank - 2, map.upper.begin());
  map.channels = channels;
  map.pixels = pixels;
  return finish(map, to);
}

PTXRAY_API cuTensorMapEncodeIm2colWide(void *to, int type, unsigned rank, void *address, const uint64_t *extents,
                                       const uint64_t *strides, int lower, int upper, uint32_t channels,
                                       uint32_t pixels, const uint32_t *steps, int interleave, int mode, int swizzle,
                                       int promotion, int fill) {
  machine::TensorMap map;
  if (rank < 3 || mode < 0 || mode > 1 ||
      !begin(map, {to, {type, interleave, swizzle, fill}, promotion, rank, address, extents, strides, steps}))
    return InvalidValue;
  map.mode = mode ? machine::TensorMode::Wide128 : machine::TensorMode::Wide;
  map.lower[0] = lower;
  map.upper[0] = upper;
  map.channels = channels;
  map.pixels = pixels;
  return finish(map, to);
}

PTXRAY_API cuTensorMapReplaceAddress(void *map, void *address) {
  if (!map)
    return InvalidValue;
  uint8_t bytes[machine::tensorMapBytes];
  std::copy_n(static_cast<const uint8_t *>(map), sizeof bytes, bytes);
  auto found = machine::decodeTensorMap(bytes);
  if (!found)
    return InvalidValue;
  found->address = reinterpret_cast<uintptr_t>(address);
  if (!findProblem(*found).empty())
    return InvalidValue;
  llvm::copy(encode(*found), static_cast<uint8_t *>(map));
  return Success;
}
