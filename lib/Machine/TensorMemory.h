#pragma once
// The tensor memory of a block: 128 lanes of 512 columns of 32 bits, allocated by columns.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace ptxray::machine {

class TensorMemory {
public:
  static constexpr uint32_t lanes = 128, columns = 512, unit = 32; // unit: columns per unit of allocation

  /// Returns the first of `count` columns, or nothing if not enough are free.
  std::optional<uint32_t> allocate(uint32_t count);
  /// Frees columns. Returns false if not all of them were allocated.
  bool free(uint32_t first, uint32_t count);
  /// Returns whether all of these columns are allocated.
  bool isAllocated(uint32_t first, uint32_t count) const;
  bool isFree() const { return !taken; }
  /// Returns whether anything was ever allocated.
  bool isUsed() const { return !cells.empty(); }

  uint32_t &at(uint32_t lane, uint32_t column) { return cells[size_t(lane) * columns + column]; }

private:
  std::vector<uint32_t> cells; // lane by lane; empty before the first allocation
  uint32_t taken = 0;          // bit mask of units
};

/// An address. The lane is in the bits above the column.
struct TensorAddress {
  uint32_t lane, column;
  explicit TensorAddress(uint64_t address)
      : lane(static_cast<uint32_t>(address) >> 16), column(static_cast<uint32_t>(address) & 0xffff) {}
};

} // namespace ptxray::machine
