#include "Numbers/MatrixTile.h"
#include <gtest/gtest.h>
#include <random>

using namespace ptxray::numbers;

namespace {

/// The numbers of a matrix are spread in one of these ways.
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
  MatrixUnit unit;
  unsigned architecture;
  const Format *operand, *result;
  uint32_t depth;
};

/// All sums of a product, made side by side, are those that are made one by one.
void compareTile(const TileCase &one, Spread kind, std::mt19937 &random) {
  constexpr uint32_t rows = 3, columns = 40; // no multiple of what is made side by side
  const SumModel model = sumModel({one.unit, one.architecture, one.operand, one.result});
  std::vector<uint32_t> a(rows * one.depth), b(columns * one.depth), sums(rows * columns);
  for (std::vector<uint32_t> *codes : {&a, &b})
    for (uint32_t &code : *codes)
      code = spreadCode(kind, *one.operand, random);
  for (uint32_t &sum : sums)
    sum = spreadCode(random() % 2 ? Spread::NearOne : Spread::MostlyZero, *one.result, random);
  const std::vector<uint32_t> before = sums;
  addProducts(Multiplicand(rows, one.depth, *one.operand, a, model.products), 0, rows,
              Multiplicand(columns, one.depth, *one.operand, b, model.products), sums, *one.result, model);
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t column = 0; column < columns; ++column) {
      std::vector<Factor> x, y;
      for (uint32_t k = 0; k < one.depth; ++k) {
        x.push_back(factorOf(a[row * one.depth + k], *one.operand));
        y.push_back(factorOf(b[column * one.depth + k], *one.operand));
      }
      const size_t at = size_t(row) * columns + column;
      ASSERT_EQ(sums[at], sumOfProducts(x, y, before[at], *one.result, model))
          << one.operand->name << " to " << one.result->name << ", numbers of kind " << int(kind) << ", sum "
          << before[at];
    }
}

TEST(MatrixTile, SumsSideBySideAreThoseOneByOne) {
  constexpr MatrixUnit wgmma = MatrixUnit::Wgmma, tcgen05 = MatrixUnit::Tcgen05;
  const TileCase cases[] = {
      {wgmma, 90, &f16, &f32, 16},    {wgmma, 90, &bf16, &f32, 16},    {wgmma, 90, &tf32, &f32, 8},
      {wgmma, 90, &e4m3, &f32, 32},   {wgmma, 90, &e5m2, &f32, 32},    {wgmma, 90, &f16, &f16, 16},
      {wgmma, 90, &e4m3, &f16, 32},   {tcgen05, 100, &e4m3, &f32, 32}, {tcgen05, 100, &e2m1, &f32, 32},
      {tcgen05, 100, &f16, &f32, 32}, {tcgen05, 100, &f16, &f16, 32}};
  std::mt19937 random(1);
  for (const TileCase &one : cases)
    for (int kind = 0; kind <= int(Spread::Last); ++kind)
      compareTile(one, Spread(kind), random);
}

TEST(MatrixTile, ScaledSumsSideBySideAreThoseOneByOne) {
  constexpr uint32_t rows = 3, columns = 40, depth = 32;
  std::mt19937 random(1);
  for (const Format *format : {&e4m3, &e5m2, &e2m3, &e2m1})
    for (const unsigned spread : {20u, 100u, 256u}) { // of the scales; the widest have a NaN among them
      const SumModel model = sumModel({MatrixUnit::Tcgen05, 100, format, &f32});
      std::vector<uint32_t> a(rows * depth), b(columns * depth), sums(rows * columns);
      for (std::vector<uint32_t> *codes : {&a, &b})
        for (uint32_t &code : *codes)
          code = spreadCode(random() % 2 ? Spread::Anything : Spread::MostlyZero, *format, random);
      for (uint32_t &sum : sums)
        sum = spreadCode(random() % 2 ? Spread::NearOne : Spread::MostlyZero, f32, random);
      std::vector<Factor> scalesOfA(rows), scalesOfB(columns);
      for (std::vector<Factor> *scales : {&scalesOfA, &scalesOfB})
        for (Factor &scale : *scales)
          scale = factorOf(128 - spread / 2 + random() % spread, ue8m0);
      const std::vector<uint32_t> before = sums;
      const Multiplicand ofA(rows, depth, *format, a, model.products), ofB(columns, depth, *format, b, model.products);
      addScaledProducts(ofA, 0, rows, ofB, scalesOfA, scalesOfB, sums, model);
      for (uint32_t at = 0; at < sums.size(); ++at) {
        const uint32_t row = at / columns, column = at % columns;
        ASSERT_EQ(sums[at],
                  scaledSumOfProducts({&ofA.factors[row * depth], depth}, {&ofB.factors[column * depth], depth},
                                      {&scalesOfA[row], 1}, {&scalesOfB[column], 1}, before[at], model, false))
            << format->name << ", scales of " << spread << ", sum " << before[at];
      }
    }
}

} // namespace
