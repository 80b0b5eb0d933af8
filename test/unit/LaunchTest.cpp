// Tests the size of a launch, its limits, and launches of one module by several threads.
#include "Emulate/Launch.h"
#include "Launch/LaunchLimits.h"
#include <gtest/gtest.h>
#include <thread>

using namespace ptxray;

namespace {

TEST(LaunchShape, ReadsExtents) {
  using Extents = std::array<uint32_t, 3>;
  EXPECT_EQ(readExtents("7"), (Extents{7, 1, 1}));
  EXPECT_EQ(readExtents("0x10,2,010"), (Extents{16, 2, 8}));
  EXPECT_EQ(readExtents("4294967295,1"), (Extents{UINT32_MAX, 1, 1}));
  for (const char *wrong : {"", "0", "1,", ",1", "1,2,3,4", "1,0", "-1", "+1", " 1", "1 ", "4294967296", "x"})
    EXPECT_FALSE(readExtents(wrong)) << wrong;
}

TEST(LaunchLimits, AreThoseOfAnyGpu) {
  LaunchShape launch;
  EXPECT_EQ(inWords(brokenLimits(launch)), "");
  launch.block = {1024, 1, 2};
  launch.grid = {5, 65536, 1};
  launch.cluster = {2, 1, 1};
  launch.shared = 227 * 1024 + 1;
  EXPECT_EQ(inWords(brokenLimits(launch)),
            "2048 threads a block, 1024 at most; a grid of 65536 along y, 65535 at most; a grid of 5 along x, a "
            "multiple of 2 expected; 232449 bytes of shared memory a block, 232448 at most");
  launch = {};
  launch.cluster = {UINT32_MAX, UINT32_MAX, 1};
  EXPECT_EQ(brokenLimits(launch)[0].kind, BrokenLimit::Cluster);
}

TEST(LaunchLimits, AreThoseOfAKernel) {
  LaunchShape launch;
  launch.block = {256, 1, 1};
  launch.shared = 1000;
  LaunchLimits limits;
  limits.registersOfThread = 255;
  limits.registers = 65535;
  limits.sharedOfKernel = 100;
  limits.shared = 1099;
  EXPECT_EQ(inWords(brokenLimits(launch, limits)), "1100 bytes of shared memory a block, 1099 at most");
  limits.registers = 65279;
  EXPECT_EQ(brokenLimits(launch, limits)[0].kind, BrokenLimit::Registers);
}

/// Each thread is the first to launch some of the kernels.
TEST(LoadedModule, LowersForSeveralThreads) {
  constexpr unsigned kernels = 40, threads = 4;
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
  for (unsigned i = 0; i < kernels; ++i)
    text += ".visible .entry k" + std::to_string(i) + "() { .reg .b32 %r<3>; mov.b32 %r1, " + std::to_string(i) +
            "; add.u32 %r2, %r1, %tid.x; mul.lo.u32 %r1, %r2, %r2; ret; }\n";
  const auto source = SourceBuffer::fromText("", text);
  const ReadModule module = readModule(*source);
  for (unsigned round = 0; round < 10; ++round) {
    machine::Memory memory;
    machine::LoadedModule loaded(module, memory);
    std::atomic<unsigned> complete = 0;
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        for (unsigned i = 0; i < kernels; ++i) {
          const std::string name = "k" + std::to_string((i + t * kernels / threads) % kernels);
          complete += machine::bytesOf(loaded, name).parameters == 0;
        }
      });
    for (std::thread &one : running)
      one.join();
    EXPECT_EQ(complete, kernels * threads);
  }
}

} // namespace
