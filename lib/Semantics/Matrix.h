#pragma once
// Matrix products of register fragments: mma, mma.sp and wmma.mma. A product is prepared once per instruction and
// computed for any number of warps.
#include "Numbers/MatrixTile.h"
#include "Semantics/Element.h"
#include "Source/Expected.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace ptxray {

/// The locations of a matrix's elements in the registers of the lanes: row by row or, for A, column by column.
struct RegisterFragment {
  struct Place {
    uint16_t word;
    uint8_t lane, bit;
  };
  unsigned rows = 0, columns = 0, bits = 0; // size of the matrix, and of one element
  std::vector<Place> places;                // several matrices follow each other
  /// The index of each place in units of the element size, if all elements are aligned to their size of at least 8
  /// bits. Otherwise empty.
  std::vector<uint16_t> numbers;
};

/// Returns the fragment of a wmma matrix. The manual does not specify it; programs observe only that loads, products
/// and stores agree. Elements are placed as in the mma fragments that a GPU uses for it.
RegisterFragment wholeFragment(unsigned rows, unsigned columns, unsigned bits, bool isAccumulator, bool isTransposed);

/// Registers of an operand, each with all lanes.
template <class Word> using Registers = llvm::ArrayRef<const Word *>;
template <class Word> struct ProductOperands {
  Registers<Word> a, b, c;
  Registers<uint32_t> metadata; // selects the elements of a sparse A that are kept
  Registers<uint32_t> scalesOfA, scalesOfB;
};

class MatrixProduct {
public:
  /// The parameters of a product, from the opcode and its constant operands.
  struct Request {
    llvm::StringRef opcode;
    unsigned architecture = 90;
    bool isSparse = false;
    unsigned selector = 0;                                    // for a sparse A
    std::array<unsigned, 2> bytes = {0, 0}, threads = {0, 0}; // the bytes and threads that hold the scales of A and B
  };
  /// Prepares a product, or returns why it is not supported.
  static Expected<std::shared_ptr<const MatrixProduct>> make(const Request &request);

  /// Returns whether all registers have 64 bits instead of 32.
  bool isOfDoubles() const { return kind == Kind::Double; }
  /// Returns whether each result register must be written before the next register of C is read, because they may be
  /// the same.
  bool isOneByOne() const { return kind == Kind::Float && model.way == numbers::SumWay::Pairs; }
  void multiply(const ProductOperands<uint32_t> &from, llvm::ArrayRef<uint32_t *> to) const;
  void multiply(const ProductOperands<uint64_t> &from, llvm::ArrayRef<uint64_t *> to) const;

  /// A product as data, for callers that do not compute with numbers. A is ordered column by column.
  struct Description {
    unsigned matrices, rows, columns, depth;
    const RegisterFragment &a, &b, &c, &d;
    const ElementType &typeOfA, &typeOfB, &typeOfC, &typeOfD;
    const numbers::SumModel &model; // model of sums of floats
  };
  /// Returns nothing if the product is sparse, scaled or saturated, or multiplies single bits or f64.
  std::optional<Description> description() const;

private:
  enum class Kind : uint8_t { Float, Scaled, Double, Integer };

  // Return why the product is not supported, or an empty string.
  std::string readTypes(const Request &request);
  std::string readLayouts(const Request &request);
  void readSimpleLayouts();
  void readModel(const Request &request);
  std::vector<uint16_t> chosen(const ProductOperands<uint32_t> &from) const;
  void addIntegers(llvm::ArrayRef<uint32_t> x, llvm::ArrayRef<uint32_t> y, llvm::ArrayRef<uint16_t> rowsOfB,
                   llvm::MutableArrayRef<uint32_t> sums) const;
  /// Decodes `count` rows of A or columns of B.
  numbers::Multiplicand multiplicand(llvm::ArrayRef<uint32_t> codes, const ElementType &type, unsigned count) const;
  void addFloats(llvm::ArrayRef<uint32_t> x, llvm::ArrayRef<uint32_t> y, llvm::ArrayRef<uint16_t> rowsOfB,
                 llvm::MutableArrayRef<uint32_t> sums) const;
  void addScaled(const ProductOperands<uint32_t> &from, llvm::ArrayRef<uint32_t> x, llvm::ArrayRef<uint32_t> y,
                 llvm::ArrayRef<uint16_t> rowsOfB, llvm::MutableArrayRef<uint32_t> sums) const;
  /// Converts C to the type of the sums, and the sums to the type of D.
  void widen(llvm::MutableArrayRef<uint32_t> codes) const;
  void narrow(llvm::MutableArrayRef<uint32_t> codes) const;

  Kind kind = Kind::Float;
  bool isWhole = false; // wmma
  unsigned matrices = 1, rows = 0, columns = 0, depth = 0;
  unsigned chunk = 0; // number of neighbouring columns of a sparse A, half of which are kept
  ElementType typeOfA, typeOfB, typeOfC, typeOfD;
  RegisterFragment a, b, c, d, metadata, scalesOfA, scalesOfB;
  numbers::SumModel model{};
  numbers::Rounding rounding = numbers::Rounding::Nearest;
  bool isFinite = false; // .satfinite
  bool isXor = false;    // 1-bit elements are combined by xor instead of and
  bool hasGroups = false;
  const numbers::Format *scaleFormat = nullptr;
};

} // namespace ptxray
