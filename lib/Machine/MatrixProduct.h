#pragma once
// Products of whole matrices, with operands in shared memory as descriptors describe them: what wgmma and tcgen05.mma
// have in common.
#include "Layout/Canonical.h"
#include "Machine/PastAccess.h"
#include "Numbers/MatrixTile.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace ptxray::machine {

/// The elements of an operand. Without a format they are integers.
struct OperandType {
  const numbers::Format *format = nullptr;
  bool isSigned = false;
  uint8_t bits = 16;
  auto operator<=>(const OperandType &) const = default;
};

/// Describes how a matrix lies in shared memory, but for where it begins.
struct SharedForm {
  uint32_t rows = 0, depth = 0;     // elements; rows are those of A, or of the transpose of B
  uint32_t bits = 16;               // the bits that an element takes: for those of 6 and 4 bits perhaps 8
  bool isAlongK = true;             // neighbours lie along K
  uint8_t mode = 0;                 // an index into layout::swizzleModes
  uint32_t leading = 0, stride = 0; // bytes
  auto operator<=>(const SharedForm &) const = default;
};
struct SharedMatrix {
  SharedForm form;
  uint32_t start = 0, baseOffset = 0; // offsets in the shared memory of a block
  uint64_t bytes() const { return uint64_t(form.rows) * form.depth * form.bits / 8; }
  auto operator<=>(const SharedMatrix &) const = default;
};
/// The places in shared memory of each 16 bytes of a matrix: row after row, or for each K one after the other.
struct MatrixPlaces {
  std::vector<uint32_t> places;
  std::vector<ByteRun> runs; // the same bytes, neighbours together
  uint32_t end = 0;          // of all
};

/// Returns whether its rows are no longer than those that its mode swizzles: more rows that follow along K belong to
/// another descriptor.
bool fitsSwizzle(const SharedForm &form);

/// Describes how products are made.
struct ProductKind {
  OperandType a, b;
  const numbers::Format *result = nullptr; // null: integers of 32 bits
  numbers::SumModel model{};
  bool saturates = false, isNegative = false; // the product is subtracted
};

/// A matrix ready to be multiplied: K grows slowest, then the row.
struct Prepared {
  uint32_t rows = 0, depth = 0;
  std::optional<numbers::Multiplicand> floats;
  std::vector<int32_t> integers;
};
Prepared prepare(uint32_t rows, uint32_t depth, const OperandType &type, llvm::ArrayRef<uint32_t> codes);

/// Matrices of shared memory that were prepared lately: they are multiplied several times, by several warps.
class MatrixCache {
public:
  /// Returns null if the matrix does not lie in the memory.
  std::shared_ptr<const Prepared> find(const SharedMatrix &matrix, const OperandType &type, bool isNegative,
                                       llvm::ArrayRef<uint8_t> shared);
  std::shared_ptr<const MatrixPlaces> placesOf(const SharedMatrix &matrix);
  /// Returns the bytes of the matrix, in pieces of 16: row after row, or for each K one after the other. Empty: it does
  /// not lie in the memory.
  std::vector<uint8_t> bytesOf(const SharedMatrix &matrix, llvm::ArrayRef<uint8_t> shared);

private:
  struct Pieces {
    std::vector<uint32_t> offsets; // where each 16 bytes are: row after row, or for each K one after the other
  };
  struct Entry {
    SharedMatrix matrix;
    std::shared_ptr<const MatrixPlaces> places;
    OperandType type;
    bool isNegative = false;
    std::vector<uint8_t> bytes;
    std::shared_ptr<const Prepared> prepared;
  };
  const Pieces &piecesOf(const SharedForm &form);

  std::map<SharedForm, Pieces> pieces;
  std::map<SharedMatrix, std::shared_ptr<const MatrixPlaces>> known; // lately
  std::deque<Entry> entries;
  size_t oldest = 0;
};

/// Adds the products to `count` rows of sums, one after the other; A's from `first` on. Each row of a sparse A holds
/// only some of the columns: `columns` are those of B for each of its elements, row after row.
void addProducts(const ProductKind &kind, const Prepared &a, uint32_t first, uint32_t count, const Prepared &b,
                 std::span<uint32_t> sums, llvm::ArrayRef<uint16_t> columns = {});
/// Returns the columns of a chunk that the four bits of metadata choose, for elements of so many bits: two of four, or
/// one of two; for elements of 4 bits two pairs of eight.
llvm::SmallVector<uint8_t, 4> chosenColumns(uint32_t index, uint32_t bits);
/// Returns the number of columns of which an index of metadata chooses.
uint32_t chunkOfIndex(uint32_t bits);

/// Returns the bits that lie after one another in memory or registers.
uint32_t bitsAt(const uint8_t *bytes, uint32_t bit, uint32_t width);

} // namespace ptxray::machine
