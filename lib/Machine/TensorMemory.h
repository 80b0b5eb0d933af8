#pragma once
// The tensor memory of a block: 128 lanes of 512 columns of 32 bits, handed out by columns.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace ptxray::machine {

class TensorMemory {
public:
  static constexpr uint32_t lanes = 128, columns = 512, unit = 32; // columns that are handed out together

  /// Returns the first column; nothing if so many are not free.
  std::optional<uint32_t> allocate(uint32_t count);
  /// Frees these columns; is false when not all of them had been allocated.
  bool free(uint32_t first, uint32_t count);
  /// Returns whether all of these columns are allocated.
  bool isAllocated(uint32_t first, uint32_t count) const;
  bool isFree() const { return !taken; }
  /// Returns whether something was allocated once.
  bool isUsed() const { return !cells.empty(); }

  uint32_t &at(uint32_t lane, uint32_t column) { return cells[size_t(lane) * columns + column]; }

private:
  std::vector<uint32_t> cells; // lane after lane; empty until something is allocated
  uint32_t taken = 0;          // a bit for each unit
};

/// An address: the lane is above the column.
struct TensorAddress {
  uint32_t lane, column;
  explicit TensorAddress(uint64_t address)
      : lane(static_cast<uint32_t>(address) >> 16), column(static_cast<uint32_t>(address) & 0xffff) {}
};

} // namespace ptxray::machine
