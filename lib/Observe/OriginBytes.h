#pragma once
// The origins of bytes in memory. A byte of global memory originates from its buffer until it is overwritten. Bytes of
// other memory have no origin at first.
#include "Observe/OriginSets.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <optional>
#include <string>

namespace ptxray::machine {

struct GridState;

/// A buffer: the bytes from one kernel argument up to the next one in the same allocation, or an allocation to which no
/// argument points.
struct OriginBuffer {
  uint8_t *begin = nullptr, *end = nullptr;
  std::string name; // number of the argument, or name of the allocation
  unsigned bit = 0; // index of its bit in `OriginSets::Bits`
  OriginId origin = 0;
  bool isArgument = false; // an argument points to it
};

class OriginBytes {
public:
  explicit OriginBytes(OriginSets &sets) : sets(sets) {}

  /// Finds the buffers of a launch.
  void findBuffers(const GridState &grid);
  /// Returns the union of the origins of some bytes.
  OriginId read(const uint8_t *bytes, size_t count);
  /// Returns the origin of some bytes if all bytes certainly have the same one and this can be found quickly.
  std::optional<OriginId> alike(const uint8_t *bytes, size_t count);
  void write(const uint8_t *bytes, size_t count, OriginId origin);
  /// Adds an origin to those of the bytes.
  void add(const uint8_t *bytes, size_t count, OriginId origin);
  /// Copies the origins of bytes, or adds them if `isReduced` is set.
  void copy(const uint8_t *to, const uint8_t *from, size_t count, bool isReduced);
  /// Discards the origins of bytes that belong to a block that has ended.
  void clear(const uint8_t *bytes, size_t count);
  /// Returns the union of all origins of stored bytes outside of buffers.
  OriginId storedElsewhere() const { return stored; }

  const std::vector<OriginBuffer> &buffers() const { return all; }

private:
  static constexpr size_t pageBytes = 1 << 10;
  struct Page {
    std::array<OriginId, pageBytes> of;
  };
  static uint64_t pageOf(const uint8_t *bytes) { return reinterpret_cast<uintptr_t>(bytes) / pageBytes; }
  static size_t placeIn(const uint8_t *bytes) { return reinterpret_cast<uintptr_t>(bytes) % pageBytes; }
  Page *find(uint64_t page);
  Page &at(uint64_t page);
  const OriginBuffer *bufferAt(const uint8_t *byte);
  OriginId firstOf(const uint8_t *byte);
  template <class Use> void eachPart(const uint8_t *bytes, size_t count, Use use);

  OriginSets &sets;
  std::vector<OriginBuffer> all; // sorted by `begin`
  size_t last = 0;               // index of the buffer found last
  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> pages;
  uint64_t lastNumber = 0; // number of the page found last
  Page *lastPage = nullptr;
  OriginId stored = 0;
};

} // namespace ptxray::machine
