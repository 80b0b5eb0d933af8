#include "Machine/TensorMemory.h"
#include <cstring>

namespace ptxray::machine {

static uint32_t unitsOf(uint32_t first, uint32_t count) {
  const uint32_t units = (count + TensorMemory::unit - 1) / TensorMemory::unit;
  return (units >= 32 ? ~0u : (1u << units) - 1) << first / TensorMemory::unit;
}

std::optional<uint32_t> TensorMemory::allocate(uint32_t count) {
  if (!count || count % unit || count > columns)
    return std::nullopt;
  for (uint32_t first = 0; first + count <= columns; first += unit)
    if (!(taken & unitsOf(first, count))) {
      taken |= unitsOf(first, count);
      cells.resize(size_t(lanes) * columns);
      return first;
    }
  return std::nullopt;
}

bool TensorMemory::isAllocated(uint32_t first, uint32_t count) const {
  if (first + count > columns)
    return false;
  const uint32_t wanted = unitsOf(first, count + first % unit);
  return (taken & wanted) == wanted;
}

bool TensorMemory::free(uint32_t first, uint32_t count) {
  if (first % unit || !isAllocated(first, count))
    return false;
  taken &= ~unitsOf(first, count);
  return true;
}

} // namespace ptxray::machine
