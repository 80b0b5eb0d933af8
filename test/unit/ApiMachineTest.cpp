// Tests the launches of the public interface. This file includes no header of lib/.
#include "AddingKernel.h"
#include "ptxray/ptxray.h"
#include <gtest/gtest.h>

namespace {

TEST(Api, LaunchesKernels) {
  ptxray::Machine machine(addingKernel);
  EXPECT_TRUE(machine.checked().diagnostics.empty());
  std::vector<uint32_t> data = {1, 2, 3, 4};
  const uint64_t address = machine.add(data.data(), data.size() * sizeof data[0], "data");
  ptxray::Launch launch;
  launch.set("block", "4").argument(uint32_t(7)).argument(address);
  for (int i = 0; i < 2; ++i) { // the second time, memory is as the first run left it
    const ptxray::Launched done = machine.run(launch);
    EXPECT_FALSE(done.refusal) << *done.refusal;
    EXPECT_TRUE(done.result.diagnostics.empty());
  }
  EXPECT_EQ(data, (std::vector<uint32_t>{15, 16, 17, 18}));
  size_t size = 0;
  const void *calls = machine.variable("calls", size);
  ASSERT_EQ(size, sizeof(uint32_t));
  EXPECT_EQ(*static_cast<const uint32_t *>(calls), 8u);
  EXPECT_EQ(machine.variable("none", size), nullptr);
}

TEST(Api, CountsALaunch) {
  ptxray::Machine machine(addingKernel);
  std::vector<uint32_t> data = {1, 2, 3, 4};
  const uint64_t address = machine.add(data.data(), data.size() * sizeof data[0]);
  ptxray::Launch launch;
  launch.set("block", "4").argument(uint32_t(7)).argument(address);
  EXPECT_FALSE(machine.run(launch).counters);
  const ptxray::Launched counted = machine.run(launch.set("counters", "yes"));
  ASSERT_TRUE(counted.counters && counted.fidelity);
  EXPECT_NE(counted.counters->find("\"inst_executed\""), std::string::npos);
  EXPECT_FALSE(counted.certificate);
  const ptxray::Launched certified = machine.run(launch.set("certify", "yes"));
  ASSERT_TRUE(certified.certificate);
  EXPECT_NE(certified.certificate->find("holds for all contents"), std::string::npos);
  EXPECT_NE(counted.fidelity->find("\"exact\""), std::string::npos);
}

TEST(Api, ComparesKernels) {
  ptxray::Machine a(addingKernel), b(addingKernel);
  std::vector<uint32_t> data = {1, 2, 3, 4}, copy = data;
  const uint64_t first = a.add(data.data(), data.size() * sizeof data[0]),
                 second = b.add(copy.data(), copy.size() * sizeof copy[0]);
  ptxray::Launch one, other, third;
  one.set("block", "4").argument(uint32_t(7)).argument(first);
  other.set("block", "4").argument(uint32_t(7)).argument(second);
  EXPECT_NE(a.equal(one, b, other, "u32").find("\"bits\""), std::string::npos);
  third.set("block", "4").argument(uint32_t(8)).argument(second);
  EXPECT_NE(a.equal(one, b, third).find("\"different\""), std::string::npos);
  EXPECT_EQ(data, (std::vector<uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(copy, data);
  EXPECT_THROW(a.equal(one, b, ptxray::Launch()), std::invalid_argument);
}

TEST(Api, SaysWhyAKernelDidNotEnd) {
  using ptxray::Launch;
  ptxray::Machine machine(addingKernel);
  uint32_t data[4] = {};
  const uint64_t address = machine.add(data, sizeof data);
  const uint32_t number = 7;
  const ptxray::Launched faulty = machine.run(std::move(Launch().set("block", "5").argument(number).argument(address)));
  ASSERT_EQ(faulty.result.diagnostics.size(), 1u);
  EXPECT_EQ(faulty.result.diagnostics[0].rule, "run-out-of-bounds");
  EXPECT_EQ(faulty.result.diagnostics[0].begin.line, 13u);
  EXPECT_TRUE(faulty.refusal);
  EXPECT_EQ(machine.run(Launch()).refusal, "kernel `add` has 2 parameters; given: 0");
  EXPECT_EQ(machine.run(std::move(Launch().argument(address).argument(address))).refusal,
            "argument 0 has 8 bytes, its parameter 4");
  EXPECT_EQ(machine.run(std::move(Launch().set("kernel", "sub"))).refusal, "there is no kernel `sub`");
  EXPECT_THROW(Launch().set("block", "0"), std::invalid_argument);
  ptxray::Machine none("add.s32");
  EXPECT_TRUE(none.checked().hasErrors());
  EXPECT_EQ(none.run(Launch()).refusal, "the text has errors");
}

} // namespace
