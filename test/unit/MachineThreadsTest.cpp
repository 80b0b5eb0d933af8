// Tests launches on several cores, and several launches at once. ThreadSanitizer runs these tests too.
#include "Emulate/Launch.h"
#include "Machine/Kernels.h"
#include "Read/ReadModule.h"
#include "Source/SourceBuffer.h"
#include "gtest/gtest.h"
#include <cstring>
#include <thread>

using namespace ptxray;

static const char kernel[] = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .shared .align 4 .b8 room[256];
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mov.u32 %r5, room;
  mad.lo.u32 %r5, %r1, 4, %r5;
  st.shared.u32 [%r5], %r4;
  bar.sync 0;
  mov.u32 %r0, 0;
LOOP:
  ld.shared.u32 %r4, [%r5];
  add.u32 %r4, %r4, 3;
  st.shared.u32 [%r5], %r4;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p, %r0, 100;
  @%p bra LOOP;
  mad.lo.u32 %r3, %r2, %r3, %r1;
  mad.wide.u32 %d2, %r3, 4, %d1;
  st.global.u32 [%d2], %r4;
  ret;
}
)";

/// Launches the kernel and returns whether each thread has left its number and 300.
static bool launchesWell(const ReadModule &module, unsigned cores) {
  constexpr uint32_t blocks = 256, threads = 64;
  std::vector<uint32_t> out(blocks * threads);
  machine::Memory memory;
  machine::LoadedModule loaded(module, memory);
  const uint64_t address = memory.add({reinterpret_cast<uint8_t *>(out.data()), out.size() * sizeof out[0]}, "out");
  machine::Launch launch;
  launch.kernel = "k";
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.cores = cores;
  launch.parameters.resize(sizeof address);
  std::memcpy(launch.parameters.data(), &address, sizeof address);
  for (int round = 0; round < 3; ++round) {
    const machine::Outcome outcome = machine::launch(loaded, launch);
    if (!outcome.isComplete || !outcome.diagnostics.empty())
      return false;
  }
  for (uint32_t thread = 0; thread < out.size(); ++thread)
    if (out[thread] != thread + 300)
      return false;
  return true;
}

TEST(MachineThreads, BlocksOnSeveralCores) {
  const auto source = SourceBuffer::fromText("k.ptx", kernel);
  const ReadModule module = readModule(*source);
  EXPECT_TRUE(launchesWell(module, 1));
  EXPECT_TRUE(launchesWell(module, 4));
}

TEST(MachineThreads, LaunchesAtTheSameTime) {
  std::vector<std::thread> threads;
  std::vector<char> isGood(4);
  for (char &good : isGood)
    threads.emplace_back([&good] {
      const auto source = SourceBuffer::fromText("k.ptx", kernel);
      const ReadModule module = readModule(*source);
      good = launchesWell(module, 2);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(isGood, std::vector<char>(4, 1));
}

TEST(MachineThreads, MemoryThatIsLimitedEndsTheLaunch) {
  const auto source = SourceBuffer::fromText("k.ptx", kernel);
  const ReadModule module = readModule(*source);
  machine::Memory memory;
  machine::LoadedModule loaded(module, memory);
  std::vector<uint8_t> out(65535 * 64 * 4);
  const uint64_t address = memory.add(out, "out");
  machine::Launch launch;
  launch.kernel = "k";
  launch.grid = {65535, 1, 1};
  launch.block = {64, 1, 1};
  launch.memoryBytes = 1; // less than any launch takes
  launch.parameters.resize(sizeof address);
  std::memcpy(launch.parameters.data(), &address, sizeof address);
  const machine::Outcome outcome = machine::launch(loaded, launch);
  EXPECT_TRUE(outcome.isOutOfMemory);
  EXPECT_FALSE(outcome.isComplete);
}
