// Tensor maps, in the bytes that the emulated machine keeps them in.
#include "Machine/DriverNumbers.h"
#include "State.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace ptxray;
using namespace ptxray::driver;

PTXRAY_API cuTensorMapEncodeTiled(void *to, int type, unsigned rank, void *address, const uint64_t *extents,
                                  const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                                  int swizzle, int, int fill) {
  machine::TensorMap map;
  if (!to || !rank || rank > machine::mostTensorRank || !extents || (rank > 1 && !strides) || !box || !steps ||
      !setDriverNumbers(map, {type, interleave, swizzle, fill}))
    return InvalidValue;
  map.rank = rank;
  map.address = reinterpret_cast<uintptr_t>(address);
  std::copy_n(extents, rank, map.extents.begin());
  std::copy_n(strides, rank - 1, map.strides.begin());
  std::copy_n(box, rank, map.box.begin());
  std::copy_n(steps, rank, map.steps.begin());
  if (!findProblem(map).empty())
    return InvalidValue;
  llvm::copy(encode(map), static_cast<uint8_t *>(to));
  return Success;
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
