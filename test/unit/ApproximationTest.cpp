// Compares the approximations with the results of an H100 for all inputs. The results are compared by sums that depend
// on each bit of each result. PTXRAY_APPROXIMATION=rcp.f32 tests all 2^32 inputs of one function. Otherwise a few
// blocks of 2^20 inputs of each function are tested.
#include "Numbers/Approximation.h"
#include <cstdlib>
#include <future>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ptxray::numbers;

namespace {

struct Sums {
  const char *name;
  uint64_t sixteenths[16], blocks[6];
};
const Sums allSums[] = {
#include "ApproximationSums.inc"
};
constexpr uint32_t blocks[] = {0x000, 0x3f8, 0x40c, 0x7f0, 0x7f8, 0xc2f};

template <auto F, bool Flush> uint64_t single(uint32_t code) { return F(code, Flush); }
template <auto F> uint64_t upperHalf(uint32_t code) {
  const uint64_t result = F(uint64_t(code) << 32);
  return result >> 32 | (uint32_t(result) != 0 ? uint64_t(1) << 32 : 0);
}

template <auto F> uint64_t sumOf(uint64_t first, uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t code = first; code < first + count; ++code) {
    const uint64_t result = F(uint32_t(code));
    uint64_t x = (result << 32 ^ code ^ result >> 32) + 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    sum += x ^ x >> 31;
  }
  return sum;
}

/// These are in the order of the sums.
uint64_t (*const functions[])(uint64_t, uint64_t) = {
    sumOf<single<reciprocalApprox, false>>,
    sumOf<single<reciprocalApprox, true>>,
    sumOf<single<inverseRootApprox, false>>,
    sumOf<single<inverseRootApprox, true>>,
    sumOf<single<rootApprox, false>>,
    sumOf<single<rootApprox, true>>,
    sumOf<single<sineApprox, false>>,
    sumOf<single<sineApprox, true>>,
    sumOf<single<cosineApprox, false>>,
    sumOf<single<cosineApprox, true>>,
    sumOf<single<logarithmApprox, false>>,
    sumOf<single<logarithmApprox, true>>,
    sumOf<[](uint32_t code) { return uint64_t(exponentialApprox(code, false)); }>,
    sumOf<[](uint32_t code) { return uint64_t(exponentialApprox(code, true)); }>,
    sumOf<[](uint32_t code) { return uint64_t(tangentApprox(code)); }>,
    sumOf<upperHalf<reciprocalApprox64>>,
    sumOf<upperHalf<inverseRootApprox64>>,
    sumOf<upperHalf<inverseRoot64>>,
};
static_assert(std::size(functions) == std::size(allSums));

TEST(Approximation, GivesWhatAnH100Gives) {
  const char *one = std::getenv("PTXRAY_APPROXIMATION");
  for (size_t i = 0; i < std::size(allSums); ++i) {
    const Sums &sums = allSums[i];
    if (one == nullptr) {
      for (size_t k = 0; k < std::size(blocks); ++k)
        EXPECT_EQ(functions[i](uint64_t(blocks[k]) << 20, 1 << 20), sums.blocks[k]) << sums.name << ", block " << k;
    } else if (std::string(one) == sums.name) {
      std::vector<std::future<uint64_t>> parts;
      for (uint64_t part = 0; part < 16; ++part)
        parts.push_back(std::async(std::launch::async, functions[i], part << 28, uint64_t(1) << 28));
      for (size_t part = 0; part < parts.size(); ++part)
        EXPECT_EQ(parts[part].get(), sums.sixteenths[part]) << sums.name << ", part " << part;
    }
  }
}

TEST(Approximation, OfHalvesToo) {
  EXPECT_EQ((sumOf<[](uint32_t code) { return exponentialApprox(code, f16); }>(0, 1 << 16)), 0x3994f7c4f984816fU);
  EXPECT_EQ((sumOf<[](uint32_t code) { return exponentialApprox(code, bf16); }>(0, 1 << 16)), 0x567b487ae6f81906U);
  EXPECT_EQ((sumOf<[](uint32_t code) { return tangentApprox(code, f16); }>(0, 1 << 16)), 0x5eaf03745ab4019eU);
  EXPECT_EQ((sumOf<[](uint32_t code) { return tangentApprox(code, bf16); }>(0, 1 << 16)), 0xec83ef2cce0b63c0U);
}

} // namespace
