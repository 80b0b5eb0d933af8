#pragma once
// The terms of the bytes of memory. A byte of a buffer is a leaf until the kernel overwrites it. A byte of any other
// memory holds the same number for all contents.
#include "Equal/Terms.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ptxray::equal {

class TermMemory {
public:
  explicit TermMemory(Terms &terms, std::vector<llvm::MutableArrayRef<uint8_t>> buffers)
      : terms(terms), buffers(std::move(buffers)), isWritten(this->buffers.size()) {}

  /// Returns the term of a byte; `none` if the byte does not depend on contents.
  Ref at(const uint8_t *byte);
  void put(const uint8_t *byte, const Ref &ref);
  /// Copies the terms of `count` bytes from `from` to `to`.
  void copy(const uint8_t *to, const uint8_t *from, size_t count);
  void fill(const uint8_t *bytes, size_t count, const Ref &ref);
  /// Discards the terms of bytes outside of buffers.
  void clear(const uint8_t *bytes, size_t count);
  /// Returns the terms of all bytes of a buffer.
  std::vector<Ref> bytesOf(size_t buffer);
  /// Returns for each buffer whether anything was stored there.
  const std::vector<bool> &written() const { return isWritten; }
  /// Returns the number of the buffer that contains a byte, or the number of buffers.
  size_t bufferOf(const uint8_t *byte) const;
  llvm::ArrayRef<uint8_t> buffer(size_t number) const { return buffers[number]; }

private:
  static constexpr size_t pageBytes = 1 << 10;
  using Page = std::array<Ref, pageBytes>;
  Ref firstOf(const uint8_t *byte);
  Page *find(const uint8_t *byte);
  Page &make(const uint8_t *byte);

  Terms &terms;
  std::vector<llvm::MutableArrayRef<uint8_t>> buffers;
  std::vector<bool> isWritten;
  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> pages;
};

} // namespace ptxray::equal
