// Compares the numbers of lib/Numbers with LLVM's APFloat, an independent implementation: all codes of formats of up to
// 16 bits, and edge cases and random codes of wider formats.
#include "Numbers/Lanes.h"
#include "Numbers/Number.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Config/llvm-config.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace ptxray::numbers;
using llvm::APFloat;
using llvm::APInt;

namespace {

struct Twin {
  const Format *format;
  const llvm::fltSemantics *semantics;
};
const Twin half{&f16, &APFloat::IEEEhalf()}, brain{&bf16, &APFloat::BFloat()};
const Twin single{&f32, &APFloat::IEEEsingle()}, twice{&f64, &APFloat::IEEEdouble()};
std::vector<Twin> twins() {
  return {
      half,
      brain,
      single,
      twice,
      {&e5m2, &APFloat::Float8E5M2()},
      {&e4m3, &APFloat::Float8E4M3FN()},
#if LLVM_VERSION_MAJOR >= 20
      {&e3m2, &APFloat::Float6E3M2FN()},
      {&e2m3, &APFloat::Float6E2M3FN()},
      {&e2m1, &APFloat::Float4E2M1FN()},
      {&tf32, &APFloat::FloatTF32()},
#endif
  };
}

const std::pair<Rounding, APFloat::roundingMode> roundings[] = {
    {Rounding::Nearest, APFloat::rmNearestTiesToEven}, {Rounding::NearestAway, APFloat::rmNearestTiesToAway},
    {Rounding::Zero, APFloat::rmTowardZero},           {Rounding::Down, APFloat::rmTowardNegative},
    {Rounding::Up, APFloat::rmTowardPositive},
};

/// Returns all codes, or `count` of them: some near a tie, an end, or a power of two, and others.
std::vector<uint64_t> codes(const Format &format, size_t count) {
  std::vector<uint64_t> result;
  if (format.width() <= 16) {
    for (uint64_t code = 0; code >> format.width() == 0; ++code)
      result.push_back(code);
    return result;
  }
  std::mt19937_64 random(format.width());
  const uint64_t mask = ~uint64_t(0) >> (64 - format.width());
  while (result.size() < count) {
    uint64_t code = random();
    const unsigned length = random() % format.fractionBits;
    const uint64_t low = (uint64_t(1) << length) - 1;
    switch (random() % 6) { // the last bits are 0, 1, 10, 01, 011
    case 0: code &= ~low; break;
    case 1: code |= low; break;
    case 2: code = (code & ~low) | (low / 2 + 1); break;
    case 3: code = (code & ~low) | (low != 0 ? 1 : 0); break;
    case 4: code = (code & ~low) | low / 2; break;
    default: break;
    }
    if (random() % 8 == 0) // the least and the greatest exponents
      code = (code & ~(format.ones() ^ (format.ones() >> 3))) |
             (random() % 2 != 0 ? format.ones() ^ (format.ones() >> 3) : 0);
    if (random() % 4 == 0) // near 1
      code = (code & (format.signBit() | ((uint64_t(1) << format.fractionBits) - 1))) |
             (format.bias - 40 + random() % 80) << format.fractionBits;
    result.push_back(code & mask & ~((uint64_t(1) << format.unusedBits) - 1));
  }
  return result;
}

APFloat twinOf(const Twin &twin, uint64_t code) {
  return {*twin.semantics, APInt(APFloat::getSizeInBits(*twin.semantics), code >> twin.format->unusedBits)};
}
uint64_t codeOf(const Twin &twin, const APFloat &number) {
  return number.bitcastToAPInt().getZExtValue() << twin.format->unusedBits;
}
TEST(ExactNumbers, EveryFormatIsWhatItsFieldsSay) {
  EXPECT_EQ(f32.width(), 32U);
  EXPECT_EQ(f64.width(), 64U);
  EXPECT_EQ(tf32.width(), 32U);
  EXPECT_EQ(e2m1.width(), 4U);
  EXPECT_EQ(ue8m0.width(), 8U);
  EXPECT_EQ(ue4m3.width(), 7U);
  const auto greatest = [](const Format &format) { return store(read(format.greatest(), format), f32, {}); };
  EXPECT_EQ(greatest(f16), std::bit_cast<uint32_t>(65504.0F));
  EXPECT_EQ(greatest(e4m3), std::bit_cast<uint32_t>(448.0F));
  EXPECT_EQ(greatest(e5m2), std::bit_cast<uint32_t>(57344.0F));
  EXPECT_EQ(greatest(e3m2), std::bit_cast<uint32_t>(28.0F));
  EXPECT_EQ(greatest(e2m3), std::bit_cast<uint32_t>(7.5F));
  EXPECT_EQ(greatest(e2m1), std::bit_cast<uint32_t>(6.0F));
  EXPECT_EQ(greatest(ue8m0), std::bit_cast<uint32_t>(0x1p127F));
  EXPECT_EQ(greatest(ue4m3), std::bit_cast<uint32_t>(448.0F));
  for (const Format *format : {&f16, &bf16, &f32, &f64, &tf32, &e4m3, &e5m2, &e2m3, &e3m2, &e2m1, &ue8m0, &ue4m3})
    EXPECT_EQ(store(read(format->one(), *format), f32, {}), std::bit_cast<uint32_t>(1.0F)) << format->name;
}

TEST(ExactNumbers, ConvertAsTheirTwinDoes) {
  for (const Twin &from : twins())
    for (const uint64_t code : codes(*from.format, 60000)) {
      const Number number = read(code, *from.format);
      const APFloat twin = twinOf(from, code);
      ASSERT_EQ(number.isNaN(), twin.isNaN()) << from.format->name << ' ' << std::hex << code;
      if (!number.isFinite())
        continue;
      for (const Twin &to : twins())
        for (const auto &[rounding, mode] : roundings) {
          APFloat result = twin;
          bool isInexact = false;
          const bool overflows = (result.convert(*to.semantics, mode, &isInexact) & APFloat::opOverflow) != 0;
          // In a format without infinity, the two have nothing in common beyond the greatest number.
          if (overflows && !to.format->hasInfinity())
            continue;
          ASSERT_EQ(store(number, *to.format, {.rounding = rounding}), codeOf(to, result))
              << from.format->name << ' ' << std::hex << code << " to " << to.format->name << " rounding "
              << int(rounding);
        }
    }
}

TEST(ExactNumbers, BeyondTheGreatestIsTheGreatestWithSatfinite) {
  for (const Twin &to : twins())
    for (const float number : {3e38F, 65536.0F, 500.0F, HUGE_VALF})
      for (const bool isNegative : {false, true}) {
        const Number exact = read(std::bit_cast<uint32_t>(isNegative ? -number : number), f32);
        const uint64_t sign = isNegative ? to.format->signBit() : 0;
        const bool isTooGreat = compare(absolute(exact), read(to.format->greatest(), *to.format)) > 0;
        if (isTooGreat) {
          EXPECT_EQ(store(exact, *to.format, {.finite = true}), sign | to.format->greatest())
              << to.format->name << number;
        }
      }
  EXPECT_EQ(store(read(0x7fc00000, f32), e4m3, {.finite = true}), 0x7fU);
  EXPECT_EQ(store(read(0xffc00000, f32), e2m1, {.finite = true}), 0x7U);
  EXPECT_EQ(store(read(0xffc00000, f32), f16, {.finite = true}), 0x7fffU);
}

TEST(ExactNumbers, PowersOfTwoAlone) {
  const auto code = [](float number, Rounding rounding) {
    return store(read(std::bit_cast<uint32_t>(number), f32), ue8m0, {.rounding = rounding, .finite = true});
  };
  EXPECT_EQ(code(1.0F, Rounding::Zero), 127U);
  EXPECT_EQ(code(1.5F, Rounding::Zero), 127U);
  EXPECT_EQ(code(1.5F, Rounding::Up), 128U);
  EXPECT_EQ(code(0.0F, Rounding::Zero), 0U);
  EXPECT_EQ(code(0x1p-149F, Rounding::Zero), 0U);
  EXPECT_EQ(code(0x1p-149F, Rounding::Up), 0U);
  EXPECT_EQ(code(0x1.8p-127F, Rounding::Up), 1U);
  EXPECT_EQ(code(HUGE_VALF, Rounding::Up), 254U);
  EXPECT_EQ(code(NAN, Rounding::Up), 255U);
  EXPECT_EQ(store(read(0, ue8m0), bf16, {}), 0x0040U);
  EXPECT_EQ(store(read(255, ue8m0), bf16, {}), 0x7fffU);
}

/// Compares with the formulas of CUDA's headers for targets without the instruction.
TEST(ExactNumbers, PowersOfTwoFromBf16) {
  for (uint32_t code = 0; code < 1 << 16; ++code)
    for (const bool isUp : {false, true})
      for (const bool finite : {false, true}) {
        const uint32_t magnitude = code & 0x7fff;
        uint32_t twin = magnitude >> 7;
        if (isUp && (magnitude & 0x7f) != 0 && magnitude > 0x40 && magnitude < 0x7f80)
          ++twin;
        if (finite && magnitude <= 0x7f80 && twin == 0xff)
          --twin;
        const Storing how{.rounding = isUp ? Rounding::Up : Rounding::Zero, .finite = finite};
        ASSERT_EQ(store(read(code, bf16), ue8m0, how), twin) << std::hex << code << isUp << finite;
      }
}

TEST(ExactNumbers, RandomBitsCarryOrDoNot) {
  // The number is 1 + 2^-10 + 5/8 of 2^-10. Of the eight random numbers of three bits, five carry.
  const Number number = read(0x3f803400, f32);
  unsigned ups = 0;
  for (uint32_t random = 0; random < 8; ++random)
    ups += store(number, f16, {.rounding = Rounding::Random, .randomBits = 3, .random = random}) == 0x3c02 ? 1 : 0;
  EXPECT_EQ(ups, 5U);
}

TEST(ExactNumbers, SaturateAndFlushAndClamp) {
  const auto f = [](float x) { return read(std::bit_cast<uint32_t>(x), f32); };
  const auto code = [](float x) { return uint64_t(std::bit_cast<uint32_t>(x)); };
  EXPECT_EQ(store(f(2.0F), f32, {.saturate = true}), code(1.0F));
  EXPECT_EQ(store(f(-2.0F), f32, {.saturate = true}), 0U);
  EXPECT_EQ(store(f(NAN), f32, {.saturate = true}), 0U);
  EXPECT_EQ(store(f(-2.0F), f32, {.relu = true}), 0U);
  EXPECT_EQ(store(f(NAN), f32, {.relu = true}), 0x7fffffffU);
  EXPECT_EQ(store(f(-0x1p-127F), f32, {.flush = true}), 0x80000000U);
  EXPECT_EQ(store(read(0x80000001, f32, true), f32, {}), 0x80000000U);
}

/// Returns the result of `.ftz` for an exact number: it is rounded with so many bits that no exponent is too small for
/// it.
uint64_t flushedTwin(double exact, const Twin &twin, APFloat::roundingMode mode) {
  const auto rounded = [&](double x) {
    APFloat result(x);
    bool isInexact = false;
    result.convert(*twin.semantics, mode, &isInexact);
    return result;
  };
  APFloat least = APFloat::getSmallestNormalized(*twin.semantics);
  const bool isTiny = llvm::abs(rounded(exact * 0x1p13)) < scalbn(least, 13, mode);
  return isTiny ? uint64_t(std::signbit(exact)) << (twin.format->width() - 1) : codeOf(twin, rounded(exact));
}

TEST(ExactNumbers, FlushWhatIsTinyAfterItIsRounded) {
  std::mt19937_64 random(6);
  for (const Twin &twin : {half, single}) {
    const auto least = std::bit_cast<uint64_t>(std::ldexp(1.0, twin.format->leastExponent()));
    const int unit = 52 - twin.format->fractionBits; // bits of f64 beyond those of the format
    uint64_t kept = 0, flushed = 0;
    for (int i = 0; i < 200000; ++i) {
      const uint64_t part = uint64_t(1) << (unit - 4 + random() % 5);
      const uint64_t ulps = random() % 64 * part + (random() % 3 == 0 ? random() % 3 - 1 : random() % part);
      const auto exact = std::bit_cast<double>((least + part * 8 - ulps) | random() << 63);
      for (const auto &[rounding, mode] : roundings) {
        const uint64_t code =
            store(read(std::bit_cast<uint64_t>(exact), f64), *twin.format, {.rounding = rounding, .flush = true});
        ASSERT_EQ(code, flushedTwin(exact, twin, mode)) << twin.format->name << ' ' << exact;
        ((code << 1 >> 1 & 0x7fffffff) != 0 ? kept : flushed) += 1;
      }
    }
    EXPECT_GT(kept, 100000U);
    EXPECT_GT(flushed, 100000U);
  }
  // An H200 flushes an f32 between 2^-126 (1 - 2^-24) and 2^-126 (1 - 2^-25) to 0, although the nearest multiple of
  // 2^-149 is 2^-126 for both.
  const auto code = [](double x, bool flush) {
    return store(read(std::bit_cast<uint64_t>(x), f64), f32, {.flush = flush});
  };
  EXPECT_EQ(code(0x1.fffffep-127, true), 0U);
  EXPECT_EQ(code(0x1.fffffep-127, false), 0x800000U);
  EXPECT_EQ(code(0x1.fffffefffffffp-127, true), 0U);
  EXPECT_EQ(code(0x1.ffffffp-127, true), 0x800000U);
}

TEST(ExactNumbers, IntegersAsTheirTwinsAre) {
  for (const Twin &from : twins())
    for (const uint64_t code : codes(*from.format, 20000)) {
      const Number number = read(code, *from.format);
      if (number.isNaN())
        continue;
      const APFloat twin = twinOf(from, code);
      for (const auto &[rounding, mode] : roundings) {
        for (const unsigned width : {8, 16, 32, 64})
          for (const bool isSigned : {false, true}) {
            llvm::APSInt integer(width, !isSigned);
            bool isExact = false;
            twin.convertToInteger(integer, mode, &isExact);
            ASSERT_EQ(toInteger(number, width, isSigned, rounding, 0), integer.getZExtValue())
                << from.format->name << ' ' << std::hex << code << ' ' << width << isSigned << int(rounding);
          }
        if (!number.isFinite() || from.format == &e2m3) // APFloat adds 8, which e2m3 does not have
          continue;
        APFloat whole = twin;
        whole.roundToIntegral(mode);
        ASSERT_EQ(store(rounded(number, rounding), *from.format, {.finite = true}), codeOf(from, whole))
            << from.format->name << ' ' << std::hex << code << int(rounding);
      }
    }
}

TEST(ExactNumbers, FromIntegersAsTheirTwinsDo) {
  std::mt19937_64 random(1);
  for (const Twin &to : twins())
    for (int i = 0; i < 20000; ++i) {
      const unsigned width = 8U << random() % 4;
      const bool isSigned = random() % 2 != 0;
      const APInt integer(width, random() >> random() % 64 & ~uint64_t(0) >> (64 - width));
      for (const auto &[rounding, mode] : roundings) {
        APFloat twin = APFloat::getZero(*to.semantics);
        if ((twin.convertFromAPInt(integer, isSigned, mode) & APFloat::opOverflow) != 0 && !to.format->hasInfinity())
          continue;
        ASSERT_EQ(store(fromInteger(integer.getZExtValue(), width, isSigned), *to.format, {.rounding = rounding}),
                  codeOf(to, twin))
            << to.format->name << ' ' << std::hex << integer.getZExtValue() << ' ' << width << isSigned
            << int(rounding);
      }
    }
  EXPECT_EQ(integerOfNaN(f32, 32), 0U);
  EXPECT_EQ(integerOfNaN(f64, 32), 0x80000000U);
  EXPECT_EQ(integerOfNaN(f16, 64), uint64_t(1) << 63);
}

struct Operation {
  const char *name;
  Number (*mine)(const Number &, const Number &, const Number &);
  void (*twins)(APFloat &, const APFloat &, const APFloat &, APFloat::roundingMode);
};
const Operation operations[] = {
    {"add", [](const Number &a, const Number &b, const Number &) { return sum(a, b); },
     [](APFloat &a, const APFloat &b, const APFloat &, APFloat::roundingMode mode) { a.add(b, mode); }},
    {"sub", [](const Number &a, const Number &b, const Number &) { return sum(a, negative(b)); },
     [](APFloat &a, const APFloat &b, const APFloat &, APFloat::roundingMode mode) { a.subtract(b, mode); }},
    {"mul", [](const Number &a, const Number &b, const Number &) { return product(a, b); },
     [](APFloat &a, const APFloat &b, const APFloat &, APFloat::roundingMode mode) { a.multiply(b, mode); }},
    {"div", [](const Number &a, const Number &b, const Number &) { return quotient(a, b); },
     [](APFloat &a, const APFloat &b, const APFloat &, APFloat::roundingMode mode) { a.divide(b, mode); }},
    {"fma", [](const Number &a, const Number &b, const Number &c) { return fused(a, b, c); },
     [](APFloat &a, const APFloat &b, const APFloat &c, APFloat::roundingMode mode) {
       a.fusedMultiplyAdd(b, c, mode);
     }},
};

TEST(ExactNumbers, ComputeAsTheirTwinDoes) {
  std::mt19937_64 random(2);
  for (const Twin &twin : {half, brain, single, twice}) {
    const std::vector<uint64_t> all = codes(*twin.format, 40000);
    for (size_t i = 0; i < 60000; ++i) {
      const uint64_t a = all[random() % all.size()], b = all[random() % all.size()];
      const uint64_t c = random() % 4 == 0 // near the product
                             ? store(product(read(a, *twin.format), read(b, *twin.format)), *twin.format, {}) ^
                                   twin.format->signBit() ^ random() % 4
                             : all[random() % all.size()];
      const Number x = read(a, *twin.format), y = read(b, *twin.format), z = read(c, *twin.format);
      for (const Operation &operation : operations)
        for (const auto &[rounding, mode] : roundings) {
          APFloat result = twinOf(twin, a);
          operation.twins(result, twinOf(twin, b), twinOf(twin, c), mode);
          const uint64_t mine = store(operation.mine(x, y, z), *twin.format, {.rounding = rounding});
          if (result.isNaN()) {
            ASSERT_TRUE(read(mine, *twin.format).isNaN());
            continue;
          }
          ASSERT_EQ(mine, codeOf(twin, result)) << operation.name << ' ' << twin.format->name << std::hex << ' ' << a
                                                << ' ' << b << ' ' << c << " rounding " << int(rounding);
        }
      const APFloat first = twinOf(twin, a), second = twinOf(twin, b);
      const std::partial_ordering order = compare(x, y);
      const APFloat::cmpResult of = first.compare(second);
      ASSERT_EQ(of == APFloat::cmpLessThan, order < 0);
      ASSERT_EQ(of == APFloat::cmpEqual, order == 0);
      ASSERT_EQ(of == APFloat::cmpUnordered, order == std::partial_ordering::unordered);
    }
  }
}

TEST(ExactNumbers, RootsAreBetweenTheirNeighbours) {
  for (const Twin &twin : {half, brain, single, twice})
    for (const uint64_t code : codes(*twin.format, 60000)) {
      const Number exact = read(code, *twin.format);
      if (exact.kind != Number::Kind::Finite || exact.isNegative)
        continue;
      const auto root = [&](Rounding rounding) {
        return store(squareRoot(exact), *twin.format, {.rounding = rounding});
      };
      const uint64_t down = root(Rounding::Down), up = root(Rounding::Up);
      const Number low = read(down, *twin.format), high = read(up, *twin.format);
      ASSERT_LE(up - down, 1U);
      ASSERT_TRUE(compare(product(low, low), exact) <= 0 && compare(product(high, high), exact) >= 0)
          << std::hex << code;
      ASSERT_EQ(root(Rounding::Zero), down);
      const auto nearest =
          twin.format == &f64
              ? std::bit_cast<uint64_t>(std::sqrt(std::bit_cast<double>(code)))
              : store(read(std::bit_cast<uint64_t>(std::sqrt(twinOf(twin, code).convertToDouble())), f64), *twin.format,
                      {});
      ASSERT_EQ(root(Rounding::Nearest), nearest) << std::hex << code;
    }
}

TEST(ExactNumbers, NaNAsAnH100HasIt) {
  const Number one = read(0x3ff0000000000000, f64), signaling = read(0x7ff0000000000001, f64);
  EXPECT_EQ(store(sum(one, signaling), f64, {}), 0x7ff8000000000001U);
  EXPECT_EQ(store(fused(one, signaling, one), f64, {}), 0x7ff8000000000001U);
  EXPECT_EQ(store(squareRoot(negative(one)), f64, {}), 0xfff8000000000000U);
  EXPECT_EQ(store(sum(one, read(0xffffffff, f32)), f32, {}), 0x7fffffffU);
  EXPECT_EQ(store(quotient(read(0, f16), read(0, f16)), f16, {}), 0x7fffU);
}

/// Changes two numbers such that their product, or their product plus a third number, is close to the least normal
/// number.
void moveToLeast(uint64_t (&code)[3], const Format &format, std::mt19937_64 &random) {
  const uint64_t least = uint64_t(1) << format.fractionBits, sign = random() % 2 != 0 ? format.signBit() : 0;
  if (random() % 2 != 0) {
    code[1] = store(quotient(read(least, format), read(code[0], format)), format, {}) + random() % 5 - 2;
    code[2] = random() % 2 != 0 ? 0 : least;
  } else { // a product of about half the least subnormal number
    const uint64_t half = store(Number::scaled(false, 1, format.leastExponent() / 2 - int(random() % 27)), format, {});
    const uint64_t other =
        store(Number::scaled(false, 1, format.leastExponent() - format.leastExponent() / 2 + 1), format, {});
    code[0] = (half + random() % 3 - 1) | sign;
    code[1] = other + random() % 3 - 1;
    code[2] = (least + random() % 2) | (format.signBit() & ~sign);
  }
}

template <class T, bool Flush> void checkLanes(const Format &format) {
  std::mt19937_64 random(3);
  const std::vector<uint64_t> all = codes(format, 40000);
  const Storing how{.flush = Flush};
  for (int i = 0; i < 60000; ++i) {
    uint64_t code[3];
    Number n[3];
    T x[3];
    for (uint64_t &one : code)
      one = random() % 16 == 0 ? format.infinity() | random() % 4 : all[random() % all.size()];
    if (i % 3 == 0)
      moveToLeast(code, format, random);
    for (int k = 0; k < 3; ++k) {
      n[k] = read(code[k], format, Flush);
      x[k] = std::bit_cast<T>(std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>(code[k]));
    }
    const auto same = [&](T lane, const Number &exact, const char *what) {
      uint64_t bits = 0;
      std::memcpy(&bits, &lane, sizeof(T));
      EXPECT_EQ(bits, store(exact, format, how))
          << what << std::hex << ' ' << code[0] << ' ' << code[1] << ' ' << code[2];
    };
    same(lanes::add<Flush>(x[0], x[1]), sum(n[0], n[1]), "add");
    same(lanes::subtract<Flush>(x[0], x[1]), sum(n[0], negative(n[1])), "sub");
    same(lanes::multiply<Flush>(x[0], x[1]), product(n[0], n[1]), "mul");
    same(lanes::divide<Flush>(x[0], x[1]), quotient(n[0], n[1]), "div");
    same(lanes::fused<Flush>(x[0], x[1], x[2]), fused(n[0], n[1], n[2]), "fma");
    same(lanes::squareRoot<Flush>(x[0]), squareRoot(n[0]), "sqrt");
  }
}

TEST(ExactNumbers, AsTheProcessorHasThem) {
  checkLanes<float, false>(f32);
  checkLanes<float, true>(f32);
  checkLanes<double, false>(f64);
}

TEST(ExactNumbers, Of16BitsAsTheProcessorHasThem) {
  using namespace lanes;
  for (uint32_t code = 0; code < 1 << 16; ++code) {
    ASSERT_EQ(std::bit_cast<uint32_t>(widenedF16(uint16_t(code))), store(read(code, f16), f32, {}));
    if (!read(code, bf16).isNaN()) {
      ASSERT_EQ(std::bit_cast<uint32_t>(widenedBf16(uint16_t(code))), store(read(code, bf16), f32, {}));
    }
  }
  std::mt19937 random(4);
  for (const uint64_t code : codes(f32, 300000)) {
    // This number has a few bits more than f16, and is in its range.
    const auto near = uint32_t((code & 0x807ff000) | (100 + random() % 48) << 23 | random() % 3);
    for (const uint32_t one : {uint32_t(code), near}) {
      const auto x = std::bit_cast<float>(one);
      ASSERT_EQ(narrowedF16(x), store(read(one, f32), f16, {})) << std::hex << one;
      ASSERT_EQ(narrowedBf16(x), store(read(one, f32), bf16, {})) << std::hex << one;
    }
  }
  for (int i = 0; i < 300000; ++i) {
    const uint16_t a = random(), b = random();
    const Number x = read(a, f16), y = read(b, f16), z = read(a, bf16), w = read(b, bf16);
    const float p = widenedF16(a), q = widenedF16(b), r = widenedBf16(a), s = widenedBf16(b);
    ASSERT_EQ(narrowedF16(add(p, q)), store(sum(x, y), f16, {}));
    ASSERT_EQ(narrowedF16(multiply(p, q)), store(product(x, y), f16, {}));
    ASSERT_EQ(narrowedF16(divide(p, q)), store(quotient(x, y), f16, {}));
    ASSERT_EQ(narrowedBf16(add(r, s)), store(sum(z, w), bf16, {}));
    ASSERT_EQ(narrowedBf16(multiply(r, s)), store(product(z, w), bf16, {}));
    for (const Twin &twin : {half, brain}) {
      const Format &format = *twin.format;
      const Number first = read(a, format), second = read(b, format);
      // This is any number, or one that gives a tie or cancels most of the product.
      const auto c =
          uint16_t(i % 2 == 0 ? random() : store(product(first, second), format, {}) ^ (i % 4 == 1 ? 0x8000 : 0));
      const bool isHalf = &format == &f16;
      const float x32 = isHalf ? p : r, y32 = isHalf ? q : s, z32 = isHalf ? widenedF16(c) : widenedBf16(c);
      const float result = fusedOf16(x32, y32, z32);
      ASSERT_EQ(isHalf ? narrowedF16(result) : narrowedBf16(result),
                store(ptxray::numbers::fused(first, second, read(c, format)), format, {}))
          << format.name << std::hex << ' ' << a << ' ' << b << ' ' << c;
    }
  }
}

TEST(ExactNumbers, AwayFromZeroToTf32) {
  for (const uint64_t code : codes(f32, 20000))
    if (const Number number = read(code, f32); !number.isNaN()) {
      ASSERT_EQ(nearestAwayTf32(uint32_t(code), false), store(number, tf32, {.rounding = Rounding::NearestAway}));
      ASSERT_EQ(nearestAwayTf32(uint32_t(code), true),
                store(number, tf32, {.rounding = Rounding::NearestAway, .finite = true}));
    }
  EXPECT_EQ(nearestAwayTf32(0x7fffffff, false), 0x7fffe000U);
  EXPECT_EQ(nearestAwayTf32(0xffc00000, true), 0xffbfe000U);
}

TEST(ExactNumbers, OpposedSumsAreZeroWithTheSignOfTheRounding) {
  const Number one = read(0x3f800000, f32), zero = read(0, f32);
  EXPECT_EQ(store(sum(one, negative(one)), f32, {}), 0U);
  EXPECT_EQ(store(sum(one, negative(one)), f32, {.rounding = Rounding::Down}), 0x80000000U);
  EXPECT_EQ(store(sum(zero, negative(zero)), f32, {.rounding = Rounding::Down}), 0x80000000U);
  EXPECT_EQ(store(sum(negative(zero), negative(zero)), f32, {}), 0x80000000U);
}

TEST(ExactNumbers, MinimumAndMaximum) {
  const Number zero = read(0, f32), two = read(0x40000000, f32), three = read(0xc0400000, f32), nan = Number::invalid();
  const auto code = [](const Number &number) { return store(number, f32, {}); };
  EXPECT_EQ(code(chosen(two, three, {})), 0xc0400000U);
  EXPECT_EQ(code(chosen(two, three, {.greatest = true})), 0x40000000U);
  EXPECT_EQ(code(chosen(zero, negative(zero), {})), 0x80000000U);
  EXPECT_EQ(code(chosen(negative(zero), zero, {.greatest = true})), 0U);
  EXPECT_EQ(code(chosen(two, nan, {})), 0x40000000U);
  EXPECT_EQ(code(chosen(two, nan, {.passesNaN = true})), 0x7fffffffU);
  EXPECT_EQ(code(chosen(two, three, {.greatest = true, .absolute = true, .xorSign = true})), 0xc0400000U);
  EXPECT_EQ(code(chosen(two, three, zero, {})), 0xc0400000U);
}

} // namespace
