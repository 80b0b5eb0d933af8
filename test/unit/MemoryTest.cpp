// Tests the memory of an emulated device. Allocations keep their identity while a kernel adds and frees others.
#include "Emulate/Launch.h"
#include "Read/ReadModule.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace ptxray;
using namespace ptxray::machine;

namespace {

/// The kernel writes a number to a buffer, allocates 1 MB, and writes to the middle of it.
constexpr const char *growing = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 result) malloc(.param .b64 size);
.visible .entry growing(.param .u64 to) {
  .reg .b64 %rd<5>;
  .param .b64 size;
  .param .b64 result;
  ld.param.u64 %rd1, [to];
  st.global.u64 [%rd1], %rd1;
  mov.b64 %rd2, 1048576;
  st.param.b64 [size], %rd2;
  call (result), malloc, (size);
  ld.param.b64 %rd3, [result];
  st.u64 [%rd3+524288], %rd1;
  ld.u64 %rd4, [%rd3+524288];
  st.global.u64 [%rd1], %rd4;
  ret;
}
)";

TEST(Memory, NewAllocationsLeaveTheOthersTheirShadows) {
  const auto source = SourceBuffer::fromText("", growing);
  const ReadModule module = readModule(*source);
  Memory memory;
  LoadedModule loaded(module, memory);
  std::vector<uint64_t> managed(2);
  std::vector<uint8_t> device(64);
  memory.add(device, "device");
  const uint64_t address = 0x7fff00000000; // above the allocations of a kernel, like an address of the host
  memory.addAt(address, {reinterpret_cast<uint8_t *>(managed.data()), 16}, "managed");
  Launch asked;
  asked.kernel = "growing";
  asked.parameters.resize(sizeof address);
  std::memcpy(asked.parameters.data(), &address, sizeof address);
  const Outcome outcome = launch(loaded, asked);
  EXPECT_EQ(outcome.refusal, "");
  EXPECT_TRUE(outcome.isComplete);
  EXPECT_TRUE(outcome.diagnostics.empty());
  EXPECT_EQ(managed[0], address);
}

TEST(Memory, AllocationsAreFoundByAddress) {
  Memory memory;
  std::vector<uint8_t> bytes(64);
  memory.addAt(0x5000, bytes, "second");
  const Allocation *second = memory.find(0x5010);
  memory.addAt(0x1000, bytes, "first");
  memory.addAt(0x9000, bytes, "third");
  ASSERT_TRUE(second);
  EXPECT_EQ(second, memory.find(0x5010));
  EXPECT_EQ(second->name, "second");
  EXPECT_EQ(memory.before(0x6000), second);
  EXPECT_EQ(memory.find(0x5040), nullptr);
  memory.free(0x5000);
  EXPECT_EQ(memory.find(0x5000), nullptr);
  memory.addAt(0x5000, bytes, "again");
  EXPECT_EQ(memory.find(0x5000)->name, "again");
  EXPECT_NE(memory.find(0x5000)->number, second->number);
  memory.trim(); // the last allocation is not free
  std::vector<std::string> names;
  for (const Allocation &one : memory.all())
    names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"first", "again", "third"}));
  for (const uint64_t address : {0x5000, 0x9000, 0x1000})
    memory.free(address);
  memory.trim();
  EXPECT_TRUE(memory.all().empty());
  EXPECT_EQ(memory.before(0x9000), nullptr);
}

} // namespace
