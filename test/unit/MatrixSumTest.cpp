// Compares sums of products with the results of an H100, and with the same models computed with doubles.
#include "Numbers/MatrixTile.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ptxray::numbers;

namespace {

struct Given {
  const Format *a, *b, *result;
  bool isQuad;
  size_t products;
  uint32_t first[32], second[32], c, sum;
};
const Given given[] = {
#include "MatrixSums.inc"
};

std::vector<Factor> factors(const uint32_t *codes, size_t count, const Format &format) {
  std::vector<Factor> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(factorOf(codes[i], format));
  return result;
}

TEST(MatrixSum, IsWhatAnH100Gives) {
  for (const Given &one : given) {
    const SumModel model = sumModel({MatrixUnit::Mma, 90, one.a, one.result, one.isQuad});
    EXPECT_EQ(sumOfProducts(factors(one.first, one.products, *one.a), factors(one.second, one.products, *one.b), one.c,
                            *one.result, model),
              one.sum)
        << "row " << &one - given << ' ' << one.a->name;
  }
}

double valueOf(uint64_t code, const Format &format) {
  return std::bit_cast<double>(store(read(code, format), f64, {}));
}
int exponentOf(double x, const Format &format) { return std::max(std::ilogb(x), format.leastExponent()); }

/// Computes the model with doubles: a double holds each product exactly, and each sum of truncated terms.
uint64_t twinOf(const std::vector<uint32_t> &a, const std::vector<uint32_t> &b, uint64_t c, const Format &format,
                const Format &result, const SumModel &model) {
  for (size_t begin = 0; begin < a.size(); begin += model.products) {
    std::vector<std::pair<double, int>> terms;
    const double before = valueOf(c, result);
    terms.emplace_back(before, before == 0 ? model.zeroExponent : exponentOf(before, result));
    for (size_t i = begin; i < std::min<size_t>(a.size(), begin + model.products); ++i) {
      const double x = valueOf(a[i], format), y = valueOf(b[i], format);
      terms.emplace_back(x * y, x * y == 0 ? model.zeroExponent : exponentOf(x, format) + exponentOf(y, format));
    }
    int greatest = -10000;
    for (const auto &[value, exponent] : terms)
      greatest = std::max(greatest, exponent);
    double sum = 0;
    for (const auto &[value, exponent] : terms)
      sum += std::trunc(std::ldexp(value, model.fractionBits - greatest));
    sum = std::ldexp(sum, greatest - model.fractionBits);
    const bool isHalf = result.width() == 16;
    if (model.resultBits == 13 && !isHalf)
      sum = std::bit_cast<double>(std::bit_cast<uint64_t>(sum) & ~((uint64_t(1) << 39) - 1));
    c = store(read(std::bit_cast<uint64_t>(sum), f64), result,
              {.rounding = isHalf ? Rounding::Nearest : Rounding::Zero});
    c = c == result.signBit() ? 0 : c;
  }
  return c;
}

TEST(MatrixSum, IsWhatItsModelSays) {
  std::mt19937 random(1);
  const MatrixKind kinds[] = {{MatrixUnit::Mma, 75, &f16, &f32, true}, {MatrixUnit::Mma, 80, &f16, &f32},
                              {MatrixUnit::Mma, 80, &bf16, &f32},      {MatrixUnit::Mma, 86, &tf32, &f32},
                              {MatrixUnit::Mma, 86, &f16, &f16},       {MatrixUnit::Mma, 89, &e4m3, &f32},
                              {MatrixUnit::Mma, 89, &e5m2, &f16},      {MatrixUnit::Mma, 90, &f16, &f16},
                              {MatrixUnit::Mma, 120, &e3m2, &f32},     {MatrixUnit::Wgmma, 90, &e4m3, &f32},
                              {MatrixUnit::Wgmma, 90, &bf16, &f32},    {MatrixUnit::Tcgen05, 100, &e5m2, &f32},
                              {MatrixUnit::Tcgen05, 103, &e2m1, &f32}};
  for (const MatrixKind &kind : kinds) {
    const Format &format = *kind.operand;
    const SumModel model = sumModel(kind);
    const auto finite = [&](const Format &of) {
      uint64_t code = 0;
      do
        code = random() & ~((1U << of.unusedBits) - 1) & (of.width() == 32 ? ~0U : (1U << of.width()) - 1);
      while (!read(code, of).isFinite());
      return random() % 8 == 0 ? 0 : code;
    };
    for (int i = 0; i < 3000; ++i) {
      std::vector<uint32_t> a, b;
      for (int k = 0; k < 32; ++k) {
        a.push_back(uint32_t(finite(format)));
        b.push_back(uint32_t(finite(format)));
      }
      const uint64_t c = finite(*kind.result);
      const uint64_t mine =
          sumOfProducts(factors(a.data(), 32, format), factors(b.data(), 32, format), c, *kind.result, model);
      // This model has no infinity, which too great results become.
      if (read(mine, *kind.result).isFinite()) {
        ASSERT_EQ(mine, twinOf(a, b, c, format, *kind.result, model)) << format.name << ' ' << kind.architecture;
      }
    }
  }
}

/// The quads add four products and a sum with additions of f32. The result is -0 only if all of them are -0.
TEST(MatrixSum, OfQuadsHasNegativeZeros) {
  const SumModel quad = sumModel({MatrixUnit::Mma, 90, &f16, &f16, true});
  const Factor one = factorOf(0x3c00, f16), minus = factorOf(0x8000, f16), zero = factorOf(0, f16);
  const std::vector<Factor> ones(4, one), negative(4, minus), mixed{minus, minus, zero, minus};
  EXPECT_EQ(sumOfProducts(ones, negative, 0x8000, f16, quad), 0x8000U);
  EXPECT_EQ(sumOfProducts(ones, negative, 0, f16, quad), 0U);
  EXPECT_EQ(sumOfProducts(ones, mixed, 0x8000, f16, quad),
            0U); // 0 * 1 + -0 * 1 is 0, and adding further zeros keeps it 0
}

TEST(MatrixSum, WithScales) {
  const std::vector<Factor> elements(64, factorOf(0x3, e2m1)), minus(64, factorOf(0xb, e2m1)); // 1.5
  const std::vector<Factor> scales(4, factorOf(0x40, ue4m3)),
      negatives(4, factorOf(0xc0, ue4m3)); // 2, and its sign is ignored
  const SumModel groups = sumModel({MatrixUnit::Tcgen05, 100, &e2m1, &f32, false, true});
  const auto code = [](float x) { return std::bit_cast<uint32_t>(x); };
  EXPECT_EQ(scaledSumOfProducts(elements, elements, scales, negatives, code(1), groups, true),
            code(64 * 2.25F * 4 + 1));
  EXPECT_EQ(scaledSumOfProducts(elements, minus, scales, scales, code(1), groups, true), code(-64 * 2.25F * 4 + 1));
  const std::vector<Factor> powers(2, factorOf(128, ue8m0)), broken(2, factorOf(255, ue8m0)); // 2
  EXPECT_EQ(scaledSumOfProducts(elements, elements, powers, powers, code(1), groups, true), code(64 * 2.25F * 4 + 1));
  EXPECT_EQ(scaledSumOfProducts(elements, elements, powers, broken, code(1), groups, true), 0x7fffffffU);
  const SumModel bytes = sumModel({MatrixUnit::Mma, 120, &e4m3, &f32});
  const std::vector<Factor> three(32, factorOf(0x44, e4m3)); // 3
  EXPECT_EQ(scaledSumOfProducts(three, three, {powers.data(), 1}, {powers.data(), 1}, code(0.5F), bytes, false),
            code(32 * 9 * 4 + 0.5F));
}

TEST(MatrixSum, OfDoublesAndIntegers) {
  const uint64_t a[] = {std::bit_cast<uint64_t>(1e16), std::bit_cast<uint64_t>(1.0)};
  const uint64_t b[] = {std::bit_cast<uint64_t>(1.0), std::bit_cast<uint64_t>(0.75)};
  EXPECT_EQ(chainOfProducts(a, b, 0, Rounding::Nearest), std::bit_cast<uint64_t>(1e16));
  EXPECT_EQ(chainOfProducts(a, b, 0, Rounding::Up), std::bit_cast<uint64_t>(1e16 + 2));
  const int32_t x[] = {127, -128}, y[] = {127, 127};
  EXPECT_EQ(integerSum(x, y, 7, false), uint32_t(7 - 127));
  EXPECT_EQ(integerSum(x, x, 0x7fffffff, true), 0x7fffffffU);
  EXPECT_EQ(integerSum(x, x, 0x7fffffff, false), 0x7fffffffU + 127 * 127 + 128 * 128);
}

} // namespace
