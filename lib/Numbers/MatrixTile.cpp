#include "Numbers/TileVectors.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <vector>

namespace ptxray::numbers {

namespace {

/// The scales of a matrix's rows, ordered by factor, then by row.
struct ScaleNumbers {
  ScaleNumbers(const Scales &scales, uint32_t rows, uint32_t factors)
      : rows(rows), significands(size_t(rows) * factors + rowsAtOnce), exponents(size_t(rows) * factors + rowsAtOnce),
        areOutside(rows + rowsAtOnce) {
    for (uint32_t i = 0; i < factors; ++i)
      for (uint32_t row = 0; row < rows; ++row) {
        const Factor &factor = scales.of(row, i);
        const size_t at = size_t(i) * rows + row;
        significands[at] = float(factor.significand) / 1024;
        exponents[at] = factor.kind == Number::Kind::Zero ? ofZero : factor.exponent;
        if (factor.kind > Number::Kind::Finite || (factor.kind == Number::Kind::Finite && isFar(factor)))
          areOutside[row] = -1;
      }
  }
  /// Returns whether products with this scale may exceed the range of f32.
  static bool isFar(const Factor &scale) {
    constexpr int farthest = 48;
    return std::abs(scale.exponent) > farthest;
  }
  static constexpr int32_t ofZero = -8192;

  uint32_t rows;
  std::vector<float> significands;
  std::vector<int32_t> exponents, areOutside;
};

/// The decoded elements of one matrix.
struct Operand {
  Operand(const Multiplicand &of)
      : values(of.values.data()), exponents(of.exponents.data()), greatest(of.greatest.data()),
        areOutside(of.areOutside.data()), rows(of.rows) {}
  const float *values;
  const int8_t *exponents;
  const int32_t *greatest, *areOutside;
  size_t rows;
};

enum class Scaling : uint8_t { None, Products, Groups };

/// Everything that the sums of one product depend on.
struct Job {
  const RowsOfProduct &rows;
  const Multiplicand &b;
  const Format &result;
  const SumModel &model;
  uint32_t factors = 0; // number of scales in a row
  const Scales *scalesOfA = nullptr, *scalesOfB = nullptr;
  const ScaleNumbers *numbersOfA = nullptr, *numbersOfB = nullptr;
  bool hasGroups = false;
  Operand first = rows.a, second = b;
  /// Below this exponent, a product may involve an element whose exponent is not kept.
  int32_t leastKnown = rows.a.isFar || b.isFar ? Multiplicand::leastExponent + 1 : int32_t(Multiplicand::ofNoProduct);

  /// Returns whether the sums of a step fit 32-bit integers, in units of the last kept place, and all elements are
  /// finite.
  bool isUsual() const {
    constexpr int mostBits = 31 - 2; // each product is less than four
    return (uint64_t(std::min<uint32_t>(model.products, rows.a.depth)) << model.fractionBits) <= 1ull << mostBits &&
           !rows.a.hasOutside && !b.hasOutside;
  }

  /// Computes one sum from products `first` on, one at a time.
  uint32_t oneByOne(uint32_t row, uint32_t column, uint32_t first, uint32_t count, uint32_t code) const {
    std::vector<Factor> ofA, ofB, factorsOfA, factorsOfB;
    for (uint32_t k = first; k < first + count; ++k) {
      const size_t at = size_t(rows.first + row) * rows.a.depth + k;
      ofA.push_back(rows.a.factor(rows.first + row, k));
      ofB.push_back(b.factor(column, rows.columns.empty() ? k : rows.columns[at]));
    }
    if (factors == 0)
      return uint32_t(sumOfProducts(ofA, ofB, code, result, model));
    for (uint32_t i = 0; i < factors; ++i) {
      factorsOfA.push_back(scalesOfA->of(row, i));
      factorsOfB.push_back(scalesOfB->of(column, i));
    }
    return scaledSumOfProducts(ofA, ofB, factorsOfA, factorsOfB, code, model, hasGroups);
  }
};

/// Four rows by eight columns of sums.
struct Block {
  Block(const Job &job, uint32_t row, uint32_t column)
      : job(job), a(job.first), b(job.second), row(row), column(column), rowOfA(job.rows.first + row) {
    if (!job.rows.columns.empty())
      for (uint32_t i = 0; i < rowsTogether; ++i)
        columns[i] = &job.rows.columns[size_t(job.rows.first + rowAt(i)) * job.rows.a.depth];
  }
  /// Returns the row at index `i`, or the last row if there are fewer.
  uint32_t rowAt(uint32_t i) const { return std::min(row + i, job.rows.count - 1); }
  uint32_t rowsThere() const { return std::min(rowsAtOnce, job.rows.count - row); }
  /// Returns where the sums of row `i` are stored.
  uint32_t *sumsOf(uint32_t i, uint32_t *sums) const { return sums + size_t(rowAt(i)) * b.rows + column; }

  const Job &job;
  const Operand &a, &b;
  uint32_t row, column, rowOfA;
  const uint16_t *columns[rowsTogether] = {nullptr}; // column numbers of each row's products, if A is sparse
};

/// Finds the greatest exponents of the products from `first` on, as stored in the matrices, for groups of four rows,
/// column by column.
template <bool IsSparse, uint32_t Fours>
PTXRAY_INSIDE void findTops(const Block &block, uint32_t first, uint32_t end, Bytes (&tops)[Fours]) {
  const int8_t *ofA = block.a.exponents + first * block.a.rows + block.rowOfA;
  const int8_t *ofB = block.b.exponents + (IsSparse ? 0 : first * block.b.rows) + block.column;
  for (Bytes &one : tops)
    one = Bytes{} + int8_t(2 * Multiplicand::ofNoProduct);
  PTXRAY_SOME
  for (size_t k = first; k < end; ++k, ofA += block.a.rows) {
    Bytes second;
    if (!IsSparse) {
      second = __builtin_bit_cast(Bytes, Longs{} + eightBytes(ofB));
      second = __builtin_shufflevector(second, second, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 20, 20, 20, 20,
                                       21, 21, 21, 21, 22, 22, 22, 22, 23, 23, 23, 23);
      ofB += block.b.rows;
    }
    PTXRAY_EACH_ROW
    for (uint32_t four = 0; four < Fours; ++four) {
      if (IsSparse) {
        const auto of = [&](uint32_t i) {
          return eightBytes(ofB + block.columns[rowsAtOnce * four + i][k] * block.b.rows);
        };
        second = __builtin_bit_cast(Bytes, Longs{of(0), of(1), of(2), of(3)});
        turn(second);
      }
      int32_t rows;
      std::memcpy(&rows, ofA + four * rowsAtOnce, sizeof rows);
      raise(tops[four], __builtin_bit_cast(Bytes, Ints{} + rows) + second);
    }
  }
}
/// Adds the products of the rows. If `IsCut` is set, they are scaled and truncated to integers first.
template <bool IsSparse, bool IsCut, class Vector>
PTXRAY_INSIDE void addParts(const Block &block, uint32_t first, uint32_t end, const Floats *scale, Vector *part,
                            uint32_t row = 0) {
  const float *ofA = block.a.values + first * block.a.rows + block.rowOfA + row;
  const float *ofB = block.b.values + (IsSparse ? 0 : first * block.b.rows) + block.column;
  for (size_t k = first; k < end; ++k, ofA += block.a.rows) {
    Floats second;
    if (!IsSparse) {
      load(second, ofB);
      ofB += block.b.rows;
    }
    PTXRAY_EACH_ROW
    for (uint32_t i = 0; i < rowsAtOnce; ++i) {
      if (IsSparse)
        load(second, ofB + block.columns[row + i][k] * block.b.rows);
      const Floats product = second * ofA[i];
      if constexpr (IsCut)
        part[i] += __builtin_convertvector(product * scale[i], Ints);
      else
        part[i] += product;
    }
  }
}

PTXRAY_INSIDE void storeSums(const Block &block, const Ints (&codes)[rowsAtOnce], uint32_t *sums) {
  const uint32_t there = block.rowsThere();
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsAtOnce; ++i)
    if (i < there)
      store(block.sumsOf(i, sums), codes[i]);
}
/// Recomputes, one by one, the sums of a step that cannot be computed in vectors.
[[gnu::noinline]] void addLeft(const Block &block, uint32_t first, uint32_t count, const int32_t *before,
                               const int32_t *areLeft, int32_t *codes) {
  for (uint32_t i = 0; i < block.rowsThere(); ++i)
    for (uint32_t j = 0; j < columnsAtOnce; ++j)
      if (const uint32_t at = i * columnsAtOnce + j; areLeft[at])
        codes[at] = int32_t(block.job.oneByOne(block.row + i, block.column + j, first, count, uint32_t(before[at])));
}

/// One step of K: the products from `first` on that are added at once.
struct Step {
  Step(const Job &job, Scaling way, uint32_t first)
      : first(first), end(std::min(first + job.model.products, job.rows.a.depth)),
        products(way == Scaling::Groups     ? sizeOfGroup
                 : way == Scaling::Products ? (end - first) / job.factors
                                            : end - first),
        pieces((end - first) / products), piecesOfScale(way == Scaling::Groups ? pieces / job.factors : 1) {}
  uint32_t first, end;
  uint32_t products, pieces; // products per piece, which has one scale, and the number of pieces
  uint32_t piecesOfScale;
};

/// Sets the exponents of the scales of one row and all columns.
PTXRAY_INSIDE void setShift(const Block &block, const Step &step, uint32_t piece, uint32_t i, Ints &shift) {
  const Job &job = block.job;
  const size_t factor = piece / step.piecesOfScale;
  load(shift, &job.numbersOfB->exponents[factor * block.b.rows + block.column]);
  shift += job.numbersOfA->exponents[factor * job.numbersOfA->rows + block.row + i];
}

/// Finds the greatest exponents of products, and which sums have no products. Sets `areLeft` to -1 for sums that cannot
/// be computed this way.
template <bool IsSparse, Scaling Way>
PTXRAY_INSIDE void findTop(const Block &block, const Step &step, Ints (&top)[rowsAtOnce], Ints (&areNone)[rowsAtOnce],
                           Ints (&areLeft)[rowsAtOnce]) {
  constexpr int32_t ofNothing = -16384;
  Ints greatestOfB;
  load(greatestOfB, block.b.greatest + block.column);
  const int32_t *const greatestOfA = block.a.greatest + block.rowOfA;
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsAtOnce; ++i) {
    top[i] = Ints{} + ofNothing;
    areNone[i] = Ints{} - 1;
  }
  for (uint32_t piece = 0; piece < step.pieces; ++piece) {
    Bytes tops[1];
    const uint32_t first = step.first + piece * step.products;
    findTops<IsSparse>(block, first, first + step.products, tops);
    PTXRAY_EACH_ROW
    for (uint32_t i = 0; i < rowsAtOnce; ++i) {
      Ints relative, shift, exponent;
      rowOf(tops[0], i, relative);
      const Ints isNone = relative < Multiplicand::ofNoProduct + 1;
      if (Way == Scaling::Groups)
        setShift(block, step, piece, i, exponent);
      else {
        areLeft[i] |= (relative < block.job.leastKnown) & ~isNone;
        exponent = relative + (greatestOfB + greatestOfA[i]);
        if (Way == Scaling::Products) {
          setShift(block, step, piece, i, shift);
          exponent += shift;
        }
      }
      areNone[i] &= isNone;
      raise(top[i], isNone ? Ints{} + ofNothing : exponent);
    }
  }
}

/// Initialises the sums with the accumulators, in units given by the greatest exponents.
template <bool IsHalf, Scaling Way>
PTXRAY_INSIDE void begin(const SumModel &model, const Ints &codes, const Ints &areNone, Ints &top, Ints &areLeft,
                         Floats &unit, LongInts &sum, Doubles (&made)[2]) {
  constexpr int32_t lowest = Way == Scaling::Groups ? leastTopOfGroups : leastTop;
  Floats before;
  Ints exponents;
  if (IsHalf)
    readHalves(codes, model.zeroExponent, before, exponents, areLeft);
  else
    readSingles(codes, before, exponents, areLeft);
  const Ints isOnlyZeros = areNone & ((__builtin_bit_cast(Ints, before) << 1) == 0);
  raise(top, exponents);
  // Sums this small would be truncated to nothing.
  areLeft |= (top < lowest) & ~isOnlyZeros;
  raise(top, Ints{} + lowest);
  setPowers(unit, model.fractionBits - top);
  before *= unit;
  if (Way == Scaling::Groups) {
    cut(before);
    widen(before, made);
  } else
    sum.add(__builtin_convertvector(before, Ints));
}

/// Returns the factors of a piece of a row: its scales, in units of the sum.
template <Scaling Way>
PTXRAY_INSIDE void setScale(const Block &block, const Step &step, uint32_t piece, uint32_t i, const Ints &top,
                            const Floats &unit, Floats &scale) {
  constexpr int least = 1, greatest = 254; // range of f32; smaller scales are zero, and larger ones are truncated
  scale = unit;
  if (Way == Scaling::None)
    return;
  Ints shift;
  setShift(block, step, piece, i, shift);
  shift += block.job.model.fractionBits + 127 - top;
  shift = shift > greatest ? Ints{} + greatest : shift < least ? Ints{} + least : shift;
  scale = __builtin_bit_cast(Floats, shift << 23);
}

/// Adds a group of products, multiplied by the significands of their scales.
template <bool IsSparse>
PTXRAY_INSIDE void addGroup(const Block &block, const Step &step, uint32_t piece, const Floats (&scale)[rowsAtOnce],
                            Doubles (&made)[rowsAtOnce][2]) {
  const Job &job = block.job;
  const uint32_t first = step.first + piece * step.products;
  Floats part[rowsAtOnce] = {}; // exact, because these are small integers
  addParts<IsSparse, false>(block, first, first + step.products, scale, part);
  const size_t factor = piece / step.piecesOfScale;
  Floats ofB;
  load(ofB, &job.numbersOfB->significands[factor * block.b.rows + block.column]);
  const float *const ofA = &job.numbersOfA->significands[factor * job.numbersOfA->rows + block.row];
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsAtOnce; ++i) {
    Floats group = part[i] * (ofB * ofA[i]) * scale[i];
    cut(group);
    Doubles more[2];
    widen(group, more);
    made[i][0] += more[0];
    made[i][1] += more[1];
  }
}

/// Rounds sums whose last added place has the exponents `top`.
template <bool IsHalf, Scaling Way>
PTXRAY_INSIDE void finish(const SumModel &model, const Ints &exponent, const LongInts &from, Doubles (&made)[2],
                          Ints &codes) {
  if constexpr (Way == Scaling::Groups) {
    HalfInts units[2];
    const Ints biased = exponent + 1023;
    std::memcpy(units, &biased, sizeof biased);
    for (unsigned half = 0; half < 2; ++half)
      made[half] *= __builtin_bit_cast(Doubles, __builtin_convertvector(units[half], Longs) << 52);
    cutSingles(made, codes);
  } else {
    Floats sum, unit;
    Ints areCut;
    cut(from, sum, areCut);
    setPowers(unit, exponent);
    sum *= unit;
    if (IsHalf)
      roundHalves(sum, areCut, codes);
    else
      codes = __builtin_bit_cast(Ints, sum) & -(1 << (23 - model.resultBits));
  }
}

/// Adds the products of a step to the sums in `codes`.
template <bool IsSparse, bool IsHalf, Scaling Way>
PTXRAY_INSIDE void addStep(const Block &block, const Step &step, Ints (&codes)[rowsAtOnce],
                           Ints (&areLeft)[rowsAtOnce]) {
  const SumModel &model = block.job.model;
  Ints top[rowsAtOnce], areNone[rowsAtOnce];
  Floats unit[rowsAtOnce];
  LongInts sums[rowsAtOnce];
  Doubles made[rowsAtOnce][2]; // sums of groups
  findTop<IsSparse, Way>(block, step, top, areNone, areLeft);
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsAtOnce; ++i)
    begin<IsHalf, Way>(model, codes[i], areNone[i], top[i], areLeft[i], unit[i], sums[i], made[i]);
  for (uint32_t piece = 0; piece < step.pieces; ++piece) {
    Floats scale[rowsAtOnce];
    PTXRAY_EACH_ROW
    for (uint32_t i = 0; i < rowsAtOnce; ++i)
      setScale<Way>(block, step, piece, i, top[i], unit[i], scale[i]);
    if constexpr (Way == Scaling::Groups) {
      addGroup<IsSparse>(block, step, piece, scale, made);
      continue;
    }
    const uint32_t first = step.first + piece * step.products, end = first + step.products;
    for (uint32_t from = first; from < end; from += mostOfWord) {
      Ints part[rowsAtOnce] = {}; // exact except for truncation before the addition
      addParts<IsSparse, true>(block, from, std::min(from + mostOfWord, end), scale, part);
      PTXRAY_EACH_ROW
      for (uint32_t i = 0; i < rowsAtOnce; ++i)
        sums[i].add(part[i]);
    }
  }
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsAtOnce; ++i)
    finish<IsHalf, Way>(model, top[i] - model.fractionBits, sums[i], made[i], codes[i]);
}

/// Adds the products of a step to sums in memory.
template <bool IsSparse, bool IsHalf, Scaling Way>
PTXRAY_INSIDE void addStepOf(const Block &block, const Step &step, uint32_t *sums) {
  const Job &job = block.job;
  const Operand &a = block.a, &b = block.b;
  Ints codes[rowsAtOnce], areLeft[rowsAtOnce];
  Ints ofB;
  load(ofB, b.areOutside + block.column);
  if (Way != Scaling::None) {
    Ints scales;
    load(scales, &job.numbersOfB->areOutside[block.column]);
    ofB |= scales;
  }
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsAtOnce; ++i) {
    load(codes[i], block.sumsOf(i, sums));
    areLeft[i] = ofB | a.areOutside[block.rowOfA + i];
    if (Way != Scaling::None)
      areLeft[i] |= job.numbersOfA->areOutside[block.row + i];
  }
  Ints before[rowsAtOnce];
  std::memcpy(before, codes, sizeof before);
  addStep<IsSparse, IsHalf, Way>(block, step, codes, areLeft);
  if (areSome(areLeft)) {
    constexpr uint32_t all = rowsAtOnce * columnsAtOnce;
    int32_t old[all], left[all], made[all];
    std::memcpy(old, before, sizeof old);
    std::memcpy(left, areLeft, sizeof left);
    std::memcpy(made, codes, sizeof made);
    addLeft(block, step.first, step.end - step.first, old, left, made);
    std::memcpy(codes, made, sizeof made);
  }
  storeSums(block, codes, sums);
}

/// Adds products to accumulators in the same unit, and rounds the result.
template <bool IsHalf>
PTXRAY_INSIDE void finishUsual(const SumModel &model, const Ints &start, const Floats &unit, Ints &part,
                               Ints &areUnusual) {
  constexpr int32_t one = 2 * 127 << 23; // sum of the exponent fields of a number and its inverse
  const Ints all = start + part;
  areUnusual |= (start ^ all) & (part ^ all); // set on signed overflow
  Floats sum;
  Ints rest;
  cut(all, sum, rest);
  sum *= __builtin_bit_cast(Floats, one - __builtin_bit_cast(Ints, unit));
  if (IsHalf)
    roundHalves(sum, rest != 0, part);
  else
    part = __builtin_bit_cast(Ints, sum) & -(1 << (23 - model.resultBits));
}

/// Adds the products of a step to eight rows of sums in the usual case: all numbers are finite, normal and fit 32 bits.
/// Exponents are stored as in f32. Returns false, before storing anything, in any other case.
template <bool IsSparse, bool IsHalf>
PTXRAY_INSIDE bool addUsualStep(const Block &block, const Step &step, uint32_t *sums) {
  constexpr int32_t bias = 127, lowest = leastTop + bias, highest = 254;
  const SumModel &model = block.job.model;
  const int32_t leastKnown = block.job.leastKnown;
  Bytes tops[rowsTogether / rowsAtOnce];
  findTops<IsSparse>(block, step.first, step.end, tops);
  Ints ofB, areUnusual{}; // tested by sign
  load(ofB, block.b.greatest + block.column);
  ofB += bias;
  const int32_t *const ofA = block.a.greatest + block.rowOfA;
  Floats unit[rowsTogether];
  Ints start[rowsTogether], part[rowsTogether]; // truncated before the addition
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsTogether; ++i) {
    Ints relative, codes, exponents;
    Floats before;
    rowOf(tops[i / rowsAtOnce], i % rowsAtOnce, relative);
    load(codes, block.sumsOf(i, sums));
    if (IsHalf) {
      readHalves(codes, model.zeroExponent, before, exponents, areUnusual);
      exponents += bias;
    } else {
      before = __builtin_bit_cast(Floats, codes);
      exponents = codes >> 23 & 255;
      areUnusual |= highest - exponents;
    }
    const Ints isNone = relative < Multiplicand::ofNoProduct + 1;
    if (leastKnown > Multiplicand::ofNoProduct)
      areUnusual |= (relative - leastKnown) & ~isNone;
    Ints top = (relative + (ofB + ofA[i])) & ~isNone;
    raise(top, exponents);
    areUnusual |= top - lowest;
    raise(top, Ints{} + lowest);
    unit[i] = __builtin_bit_cast(Floats, (model.fractionBits + 2 * bias - top) << 23);
    start[i] = __builtin_convertvector(before * unit[i], Ints);
  }
  for (uint32_t row = 0; row < rowsTogether; row += rowsAtOnce) {
    Ints of[rowsAtOnce] = {};
    addParts<IsSparse, true>(block, step.first, step.end, unit + row, of, row);
    std::memcpy(part + row, of, sizeof of);
  }
  PTXRAY_EACH_ROW
  for (uint32_t i = 0; i < rowsTogether; ++i)
    finishUsual<IsHalf>(model, start[i], unit[i], part[i], areUnusual);
  if (hasSign(areUnusual))
    return false;
  // Rows beyond the last one alias it, so the last row is stored last.
  for (uint32_t i = rowsTogether; i-- > 0;)
    store(block.sumsOf(i, sums), part[i]);
  return true;
}

template <bool IsSparse, bool IsHalf, Scaling Way> PTXRAY_INSIDE void addAll(const Job &job, uint32_t *sums) {
  for (uint32_t column = 0; column < job.b.rows; column += columnsAtOnce)
    for (uint32_t row = 0; row < job.rows.count; row += rowsAtOnce)
      for (uint32_t first = 0; first < job.rows.a.depth; first += job.model.products)
        addStepOf<IsSparse, IsHalf, Way>(Block(job, row, column), Step(job, Way, first), sums);
}

using AddAll = void (*)(const Job &, uint32_t *);
template <bool IsSparse, bool IsHalf, Scaling Way> void addPlainly(const Job &job, uint32_t *sums) {
  addAll<IsSparse, IsHalf, Way>(job, sums);
}
#if defined(__x86_64__) && defined(__GNUC__)
template <bool IsSparse, bool IsHalf>
[[gnu::target("avx2"), gnu::noinline]] void addUnusualStep(const Block &block, const Step &step, uint32_t *sums) {
  addStepOf<IsSparse, IsHalf, Scaling::None>(block, step, sums);
}
template <bool IsSparse, bool IsHalf, Scaling Way>
[[gnu::target("avx2")]] void addWidely(const Job &job, uint32_t *sums) {
  if constexpr (Way != Scaling::None)
    return addAll<IsSparse, IsHalf, Way>(job, sums);
  const bool isUsual = job.isUsual();
  for (uint32_t column = 0; column < job.b.rows; column += columnsAtOnce)
    for (uint32_t row = 0; row < job.rows.count; row += rowsTogether) {
      const Block block(job, row, column);
      for (uint32_t first = 0; first < job.rows.a.depth; first += job.model.products) {
        const Step step(job, Way, first);
        if (isUsual && addUsualStep<IsSparse, IsHalf>(block, step, sums))
          continue;
        for (uint32_t some = row; some < std::min(row + rowsTogether, job.rows.count); some += rowsAtOnce)
          addUnusualStep<IsSparse, IsHalf>(Block(job, some, column), step, sums);
      }
    }
}
template <bool IsSparse, bool IsHalf, Scaling Way = Scaling::None> AddAll fastest() {
  return __builtin_cpu_supports("avx2") ? addWidely<IsSparse, IsHalf, Way> : addPlainly<IsSparse, IsHalf, Way>;
}
#else
template <bool IsSparse, bool IsHalf, Scaling Way = Scaling::None> AddAll fastest() {
  return addPlainly<IsSparse, IsHalf, Way>;
}
#endif

} // namespace

void addProducts(const RowsOfProduct &rows, const Multiplicand &b, std::span<uint32_t> sums, const Format &result,
                 const SumModel &model) {
  static const AddAll all[] = {fastest<false, false>(), fastest<false, true>(), fastest<true, false>(),
                               fastest<true, true>()};
  assert(b.rows % columnsAtOnce == 0 && "eight columns are added at a time");
  const Job job{rows, b, result, model};
  if (model.way == SumWay::Fused)
    return all[size_t(!rows.columns.empty()) * 2 + size_t(result.width() == 16)](job, sums.data());
  for (uint32_t row = 0; row < rows.count; ++row)
    for (uint32_t column = 0; column < b.rows; ++column) {
      uint32_t &sum = sums[size_t(row) * b.rows + column];
      sum = job.oneByOne(row, column, 0, rows.a.depth, sum);
    }
}

void addScaledProducts(const RowsOfProduct &rows, const Multiplicand &b, const ProductScales &scales,
                       std::span<uint32_t> sums, const SumModel &model) {
  static const AddAll all[] = {fastest<false, false, Scaling::Products>(), fastest<false, false, Scaling::Groups>(),
                               fastest<true, false, Scaling::Products>(), fastest<true, false, Scaling::Groups>()};
  assert(rows.a.depth <= model.products && "all products are added at once");
  const ScaleNumbers ofA(scales.ofA, rows.count, scales.factors), ofB(scales.ofB, b.rows, scales.factors);
  const Job job{rows, b, f32, model, scales.factors, &scales.ofA, &scales.ofB, &ofA, &ofB, scales.hasGroups};
  all[size_t(!rows.columns.empty()) * 2 + size_t(scales.hasGroups)](job, sums.data());
}

} // namespace ptxray::numbers
