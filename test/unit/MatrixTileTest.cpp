#include "Numbers/MatrixTile.h"
#include <gtest/gtest.h>
#include <random>

using namespace ptxray::numbers;

namespace {

/// The ways in which the numbers of a matrix are distributed.
enum class Spread { Anything, NearOne, MostlyZero, Zeros, Subnormal, FarApart, Last = FarApart };

uint32_t spreadCode(Spread kind, const Format &format, std::mt19937 &random) {
  const unsigned fraction = format.fractionBits + format.unusedBits;
  const uint32_t fields = (1u << format.exponentBits) - 1;
  const auto sign = static_cast<uint32_t>(format.signBit());
  const auto code = static_cast<uint32_t>(random()) & (sign | (sign - 1)), small = code & ((1u << fraction) - 1);
  const auto with = [&](uint32_t field) { return small | (field & fields) << fraction | (code & sign); };
  switch (kind) {
  case Spread::NearOne: return with(format.bias + random() % 5 - 2);
  case Spread::MostlyZero: return random() % 3 ? 0 : code;
  case Spread::Zeros: return code & sign;
  case Spread::Subnormal: return small | (code & sign);
  case Spread::FarApart: return random() % 5 ? with(random() % fields) : 0;
  default: return code;
  }
}

struct TileCase {
  MatrixKind kind;
  uint32_t depth;
};

constexpr uint32_t rows = 7, columns = 40; // `rows` is no multiple of the number of rows that are summed side by side

/// Compares all sums of a product that are computed side by side with those computed one by one. Each row of a sparse A
/// has its own columns.
void compareTile(const TileCase &one, Spread kind, bool isSparse, std::mt19937 &random) {
  const uint32_t depthOfB = isSparse ? 2 * one.depth : one.depth;
  const SumModel model = sumModel(one.kind);
  std::vector<uint32_t> a(rows * one.depth), b(columns * depthOfB), sums(rows * columns);
  std::vector<uint16_t> chosen(isSparse ? rows * one.depth : 0);
  for (uint16_t &column : chosen)
    column = static_cast<uint16_t>(random() % depthOfB);
  for (std::vector<uint32_t> *codes : {&a, &b})
    for (uint32_t &code : *codes)
      code = spreadCode(kind, *one.kind.operand, random);
  for (uint32_t &sum : sums)
    sum = spreadCode(random() % 2 ? Spread::NearOne : Spread::MostlyZero, *one.kind.result, random);
  const std::vector<uint32_t> before = sums;
  addProducts({Multiplicand(rows, one.depth, *one.kind.operand, a), 0, rows, chosen},
              Multiplicand(columns, depthOfB, *one.kind.operand, b), sums, *one.kind.result, model);
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t column = 0; column < columns; ++column) {
      std::vector<Factor> x, y;
      for (uint32_t k = 0; k < one.depth; ++k) {
        x.push_back(factorOf(a[k * rows + row], *one.kind.operand));
        y.push_back(factorOf(b[(isSparse ? chosen[row * one.depth + k] : k) * columns + column], *one.kind.operand));
      }
      const size_t at = size_t(row) * columns + column;
      ASSERT_EQ(sums[at], sumOfProducts(x, y, before[at], *one.kind.result, model))
          << one.kind.operand->name << " to " << one.kind.result->name << ", numbers of kind " << int(kind) << ", sum "
          << before[at];
    }
}

TEST(MatrixTile, SumsSideBySideAreThoseOneByOne) {
  constexpr MatrixUnit wgmma = MatrixUnit::Wgmma, tcgen05 = MatrixUnit::Tcgen05, mma = MatrixUnit::Mma;
  const TileCase cases[] = {
      {{wgmma, 90, &f16, &f32}, 16},    {{wgmma, 90, &bf16, &f32}, 16},    {{wgmma, 90, &tf32, &f32}, 8},
      {{wgmma, 90, &e4m3, &f32}, 32},   {{wgmma, 90, &e5m2, &f32}, 32},    {{wgmma, 90, &f16, &f16}, 16},
      {{wgmma, 90, &e4m3, &f16}, 32},   {{tcgen05, 100, &e4m3, &f32}, 32}, {{tcgen05, 100, &e2m1, &f32}, 32},
      {{tcgen05, 100, &f16, &f32}, 32}, {{tcgen05, 100, &f16, &f16}, 32},  {{wgmma, 90, &bf16, &f32}, 40},
      {{mma, 90, &e4m3, &f16}, 32},     {{mma, 80, &bf16, &f32}, 16},      {{mma, 75, &f16, &f16}, 8},
      {{mma, 75, &f16, &f32, true}, 8}, {{mma, 86, &tf32, &f32}, 8},       {{mma, 86, &f16, &f16}, 16},
      {{mma, 90, &f16, &f32}, 32},      {{mma, 120, &e3m2, &f32}, 32},     {{mma, 89, &e5m2, &f16}, 32}};
  std::mt19937 random(1);
  for (const TileCase &one : cases)
    for (int kind = 0; kind <= int(Spread::Last); ++kind)
      for (const bool isSparse : {false, true})
        compareTile(one, Spread(kind), isSparse, random);
}

struct ScaledCase {
  MatrixKind kind;
  const Format *scale;
  uint32_t depth, factors;
};

/// Compares products with scales, whose codes differ by up to `spread`. With the widest spread, some scales are NaN.
void compareScaled(const ScaledCase &one, uint32_t spread, bool isSparse, std::mt19937 &random) {
  const Format &format = *one.kind.operand;
  const SumModel model = sumModel(one.kind);
  const uint32_t depth = one.depth, depthOfB = isSparse ? 2 * depth : depth, factors = one.factors;
  std::vector<uint32_t> a(rows * depth), b(columns * depthOfB), sums(rows * columns);
  std::vector<uint16_t> chosen(isSparse ? rows * depth : 0);
  for (uint16_t &column : chosen)
    column = static_cast<uint16_t>(random() % depthOfB);
  for (std::vector<uint32_t> *codes : {&a, &b})
    for (uint32_t &code : *codes)
      code = spreadCode(random() % 2 ? Spread::Anything : Spread::MostlyZero, format, random);
  for (uint32_t &sum : sums)
    sum = spreadCode(random() % 2 ? Spread::NearOne : Spread::MostlyZero, f32, random);
  std::vector<Factor> scalesOfA(rows * factors), scalesOfB(columns * factors);
  const auto greatest = uint32_t(one.scale->ones()), middle = uint32_t(one.scale->one());
  for (std::vector<Factor> *scales : {&scalesOfA, &scalesOfB})
    for (Factor &scale : *scales)
      scale =
          factorOf(std::min<uint32_t>(middle - std::min(middle, spread / 2) + random() % spread, greatest), *one.scale);
  const std::vector<uint32_t> before = sums;
  const Multiplicand ofA(rows, depth, format, a), ofB(columns, depthOfB, format, b);
  addScaledProducts({ofA, 0, rows, chosen}, ofB,
                    {{scalesOfA, factors, 1}, {scalesOfB, 1, columns}, factors, one.kind.hasGroups}, sums, model);
  for (uint32_t at = 0; at < sums.size(); ++at) {
    const uint32_t row = at / columns, column = at % columns;
    std::vector<Factor> x, y, scalesOfColumn;
    for (uint32_t k = 0; k < depth; ++k) {
      x.push_back(ofA.factor(row, k));
      y.push_back(ofB.factor(column, isSparse ? chosen[row * depth + k] : k));
    }
    for (uint32_t i = 0; i < factors; ++i)
      scalesOfColumn.push_back(scalesOfB[i * columns + column]);
    ASSERT_EQ(sums[at], scaledSumOfProducts(x, y, {&scalesOfA[row * factors], factors}, scalesOfColumn, before[at],
                                            model, one.kind.hasGroups))
        << format.name << " times " << factors << " of " << one.scale->name << ", scales of " << spread << ", sum "
        << before[at];
  }
}

TEST(MatrixTile, ScaledSumsSideBySideAreThoseOneByOne) {
  constexpr MatrixUnit tcgen05 = MatrixUnit::Tcgen05, mma = MatrixUnit::Mma;
  const ScaledCase cases[] = {{{tcgen05, 100, &e4m3, &f32}, &ue8m0, 32, 1},
                              {{tcgen05, 100, &e5m2, &f32}, &ue8m0, 32, 1},
                              {{tcgen05, 100, &e2m3, &f32}, &ue8m0, 32, 2},
                              {{mma, 120, &e2m1, &f32}, &ue8m0, 32, 1},
                              {{tcgen05, 100, &e2m1, &f32, false, true}, &ue8m0, 64, 2},
                              {{tcgen05, 100, &e2m1, &f32, false, true}, &ue8m0, 64, 4},
                              {{mma, 120, &e2m1, &f32, false, true}, &ue4m3, 64, 4}};
  std::mt19937 random(1);
  for (const ScaledCase &one : cases)
    for (const uint32_t spread : {1u, 8u, 20u, 100u, 256u})
      for (const bool isSparse : {false, true})
        compareScaled(one, spread, isSparse, random);
}

} // namespace
