#pragma once
// Products of matrices whose elements the registers of a warp hold: mma, mma.sp and wmma.mma, prepared for one
// instruction and then computed for any number of warps.
#include "Numbers/MatrixTile.h"
#include "Semantics/Element.h"
#include "Source/Expected.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <memory>
#include <vector>

namespace ptxray {

/// The places of the elements of a matrix, row after row, of A column after column: the bits of a register of a lane.
struct RegisterFragment {
  struct Place {
    uint16_t word;
    uint8_t lane, bit;
  };
  unsigned rows = 0, columns = 0, bits = 0; // the size of the matrix, and of an element
  std::vector<Place> places;                // those of several matrices follow one after the other
  /// The number of each place among the elements of all registers, if each lies at a multiple of its size of 8 bits or
  /// more; else empty.
  std::vector<uint16_t> numbers;
};

/// The manual leaves open which thread holds which element of a fragment of wmma; programs see only that loads,
/// products and stores agree. The elements lie as in the fragments of mma that a GPU makes of it.
RegisterFragment wholeFragment(unsigned rows, unsigned columns, unsigned bits, bool isAccumulator, bool isTransposed);

/// Registers of an operand, each of all lanes.
template <class Word> using Registers = llvm::ArrayRef<const Word *>;
template <class Word> struct ProductOperands {
  Registers<Word> a, b, c;
  Registers<uint32_t> metadata; // which elements of a sparse A are kept
  Registers<uint32_t> scalesOfA, scalesOfB;
};

class MatrixProduct {
public:
  /// A request is what the opcode says, with the constants among its operands.
  struct Request {
    llvm::StringRef opcode;
    unsigned architecture = 90;
    bool isSparse = false;
    unsigned selector = 0;                                    // of a sparse A
    std::array<unsigned, 2> bytes = {0, 0}, threads = {0, 0}; // which bytes and threads have the scales of A and B
  };
  /// The problem: nothing is known of such a product.
  static Expected<std::shared_ptr<const MatrixProduct>> make(const Request &request);

  /// All registers have 64 bits, else 32.
  bool isOfDoubles() const { return kind == Kind::Double; }
  /// Each register of the result is written before the next one of C is read: they may be the same.
  bool isOneByOne() const { return kind == Kind::Float && model.way == numbers::SumWay::Pairs; }
  void multiply(const ProductOperands<uint32_t> &from, llvm::ArrayRef<uint32_t *> to) const;
  void multiply(const ProductOperands<uint64_t> &from, llvm::ArrayRef<uint64_t *> to) const;

private:
  enum class Kind : uint8_t { Float, Scaled, Double, Integer };

  // The first two return why nothing is known, or nothing.
  std::string readTypes(const Request &request);
  std::string readLayouts(const Request &request);
  void readSimpleLayouts();
  void readModel(const Request &request);
  std::vector<uint16_t> chosen(const ProductOperands<uint32_t> &from) const;
  void addIntegers(llvm::ArrayRef<uint32_t> x, llvm::ArrayRef<uint32_t> y, llvm::ArrayRef<uint16_t> rowsOfB,
                   llvm::MutableArrayRef<uint32_t> sums) const;
  /// The rows of A, or the columns of B: so many.
  numbers::Multiplicand multiplicand(llvm::ArrayRef<uint32_t> codes, const ElementType &type, unsigned count) const;
  void addFloats(llvm::ArrayRef<uint32_t> x, llvm::ArrayRef<uint32_t> y, llvm::ArrayRef<uint16_t> rowsOfB,
                 llvm::MutableArrayRef<uint32_t> sums) const;
  void addScaled(const ProductOperands<uint32_t> &from, llvm::ArrayRef<uint32_t> x, llvm::ArrayRef<uint32_t> y,
                 llvm::ArrayRef<uint16_t> rowsOfB, llvm::MutableArrayRef<uint32_t> sums) const;
  /// C as numbers of the type of the sums, and these as D.
  void widen(llvm::MutableArrayRef<uint32_t> codes) const;
  void narrow(llvm::MutableArrayRef<uint32_t> codes) const;

  Kind kind = Kind::Float;
  bool isWhole = false; // wmma
  unsigned matrices = 1, rows = 0, columns = 0, depth = 0;
  unsigned chunk = 0; // how many neighbouring columns of a sparse A half are kept from
  ElementType typeOfA, typeOfB, typeOfC, typeOfD;
  RegisterFragment a, b, c, d, metadata, scalesOfA, scalesOfB;
  numbers::SumModel model{};
  numbers::Rounding rounding = numbers::Rounding::Nearest;
  bool isFinite = false; // .satfinite
  bool isXor = false;    // single bits are joined by xor
  bool hasGroups = false;
  const numbers::Format *scaleFormat = nullptr;
};

} // namespace ptxray
