#pragma once
// Products of whole matrices whose operands in shared memory are given by descriptors; used for wgmma and tcgen05.mma.
#include "Layout/Canonical.h"
#include "Machine/PastAccess.h"
#include "Numbers/MatrixTile.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace ptxray::machine {

/// The element type of an operand. Without a format, elements are integers.
struct OperandType {
  const numbers::Format *format = nullptr;
  bool isSigned = false;
  uint8_t bits = 16;
  auto operator<=>(const OperandType &) const = default;
};

/// The layout of a matrix in shared memory, relative to its start.
struct SharedForm {
  uint32_t rows = 0, depth = 0;     // in elements; the rows of A, or of the transpose of B
  uint32_t bits = 16;               // size of an element in memory; may be 8 for 6-bit and 4-bit elements
  bool isAlongK = true;             // adjacent elements in memory are neighbours along K
  uint8_t mode = 0;                 // index into layout::swizzleModes
  uint32_t leading = 0, stride = 0; // in bytes
  auto operator<=>(const SharedForm &) const = default;
};
struct SharedMatrix {
  SharedForm form;
  uint32_t start = 0, baseOffset = 0; // offsets in the block's shared memory
  uint64_t bytes() const { return uint64_t(form.rows) * form.depth * form.bits / 8; }
  auto operator<=>(const SharedMatrix &) const = default;
};
/// The offsets of all 16-byte pieces of a matrix in shared memory: row by row, or K by K.
struct MatrixPlaces {
  std::vector<uint32_t> places;
  std::vector<ByteRun> runs; // contiguous runs of these offsets
  uint32_t end = 0;          // end of the last piece
};

/// Returns whether rows are no longer than the row of the swizzle mode. Further elements along K need another
/// descriptor.
bool fitsSwizzle(const SharedForm &form);

/// The types and modifiers of a product.
struct ProductKind {
  OperandType a, b;
  const numbers::Format *result = nullptr; // null for 32-bit integers
  numbers::SumModel model{};
  bool saturates = false, isNegative = false; // isNegative: the product is subtracted
};

/// The location of an element of a matrix: a byte of memory, or of a lane of a register.
struct ElementPlace {
  const uint8_t *memory = nullptr; // null: in a register
  uint32_t slot = 0;
  uint8_t lane = 0, byte = 0;
};
/// The product of the rows of one warp, for observers.
struct GroupProduct {
  const ProductKind &kind;
  uint32_t rows, columns, depth;
  bool isAdded, isSparse; // isAdded: the product is added to the result registers
  std::vector<ElementPlace> a, b,
      d; // the order of a and b is row by row, or column by column; the order of d is row by row
};

/// A matrix prepared for multiplication, ordered by K and then by row.
struct Prepared {
  uint32_t rows = 0, depth = 0;
  std::optional<numbers::Multiplicand> floats;
  std::vector<int32_t> integers;
};
Prepared prepare(uint32_t rows, uint32_t depth, const OperandType &type, llvm::ArrayRef<uint32_t> codes);

/// Caches recently prepared matrices in shared memory, because several warps multiply the same ones.
class MatrixCache {
public:
  /// Returns null if the matrix exceeds shared memory.
  std::shared_ptr<const Prepared> find(const SharedMatrix &matrix, const OperandType &type, bool isNegative,
                                       llvm::ArrayRef<uint8_t> shared);
  std::shared_ptr<const MatrixPlaces> placesOf(const SharedMatrix &matrix);
  /// Returns the bytes of the matrix in 16-byte pieces: row by row, or K by K. Returns no bytes if the matrix exceeds
  /// shared memory.
  std::vector<uint8_t> bytesOf(const SharedMatrix &matrix, llvm::ArrayRef<uint8_t> shared);

private:
  struct Pieces {
    std::vector<uint32_t> offsets; // offset of each 16-byte piece: row by row, or K by K
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
  std::map<SharedMatrix, std::shared_ptr<const MatrixPlaces>> known; // recently used
  std::deque<Entry> entries;
  size_t oldest = 0;
};

/// Adds products to `count` rows of sums, starting with row `first` of A. Each row of a sparse A contains only some
/// columns; `columns` lists the matching columns of B for each of its elements, row by row.
void addProducts(const ProductKind &kind, const Prepared &a, uint32_t first, uint32_t count, const Prepared &b,
                 std::span<uint32_t> sums, llvm::ArrayRef<uint16_t> columns = {});
/// Returns the columns of a chunk that four bits of metadata select: two of four, or one of two. For 4-bit elements,
/// selects two pairs of eight.
llvm::SmallVector<uint8_t, 4> chosenColumns(uint32_t index, uint32_t bits);
/// Returns the number of columns from which an index of metadata selects.
uint32_t chunkOfIndex(uint32_t bits);

/// Returns `width` consecutive bits of memory or registers.
uint32_t bitsAt(const uint8_t *bytes, uint32_t bit, uint32_t width);

} // namespace ptxray::machine
