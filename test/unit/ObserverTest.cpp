// Tests the interface of observers: which events a launch reports to an observer that no option selects.
#include "Emulate/Launch.h"
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "Read/ReadModule.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace ptxray;
using namespace ptxray::machine;

namespace {

/// Adds the number at `b` to the number at `a`, unless thread 0 executes it. A warp copies 16 bytes of `b`.
constexpr const char *adding = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry adding(.param .u64 a, .param .u64 b) {
  .shared .align 16 .b8 copy[16];
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  setp.eq.u32 %p, %r1, 0;
  @%p bra copies;
  ld.global.u32 %r2, [%rd4];
  ld.global.u32 %r3, [%rd5];
  add.u32 %r4, %r2, %r3;
  st.global.u32 [%rd4], %r4;
  bra ends;
copies:
  mov.u32 %r5, copy;
  cp.async.ca.shared.global [%r5], [%rd2], 16;
  cp.async.commit_group;
  cp.async.wait_group 0;
ends:
  bar.sync 0;
  ret;
}
)";

/// Records the events of a launch as short texts.
class Recorder final : public Observer {
public:
  explicit Recorder(std::vector<std::string> &lines)
      : Observer(ObserverSlot::Other,
                 events::Instructions | events::Accesses | events::Moves | events::Blocks | events::Order),
        lines(lines) {}

  bool follows(const Warp &) const override { return true; }
  void before(Warp &, const FunctionCode &code, uint32_t instruction, uint32_t lanes) override {
    current = code.body->opcode(instruction);
    lanesOf[current] |= lanes;
  }
  void executed(Warp &, const FunctionCode &code, uint32_t instruction, uint32_t) override {
    if (const auto opcode = code.body->opcode(instruction); opcode.starts_with("bra"))
      lines.push_back(opcode.str());
  }
  void accesses(Warp &, const LaneAccess &one) override {
    const auto lanes = static_cast<unsigned>(__builtin_popcount(one.found.mask));
    if (one.access.address.space == Space::Global)
      lines.push_back(current.str() + " by " + std::to_string(lanes));
  }
  void ranges(Warp &, llvm::ArrayRef<RangeAccess> all) override {
    for (const RangeAccess &one : all)
      lines.push_back(std::string(one.isWrite ? "writes " : "reads ") + std::to_string(one.bytes));
  }
  void moves(Warp &, const Op &, llvm::ArrayRef<MovedBytes> parts) override {
    lines.push_back("moves " + std::to_string(parts[0].bytes) + " at " + std::to_string(parts[0].from[0]));
  }
  void parts(Warp &, const FunctionCode &, uint32_t) override { lines.push_back("parts"); }
  void arrives(Warp &, uint32_t barrier, uint32_t) override { lines.push_back("arrives " + std::to_string(barrier)); }
  void finish(const GridState &, Outcome &outcome) override {
    lines.push_back("add by " + std::to_string(__builtin_popcount(lanesOf["add.u32"])));
    outcome.printed += "finished";
  }

private:
  std::vector<std::string> &lines;
  llvm::StringRef current;
  std::map<llvm::StringRef, uint32_t> lanesOf;
};

TEST(Observer, IsNotifiedOfALaunch) {
  const auto source = SourceBuffer::fromText("", adding);
  const ReadModule module = readModule(*source);
  Memory memory;
  LoadedModule loaded(module, memory);
  std::vector<uint32_t> a(32, 1), b(32, 41);
  const uint64_t addresses[] = {memory.add({reinterpret_cast<uint8_t *>(a.data()), 128}, "a"),
                                memory.add({reinterpret_cast<uint8_t *>(b.data()), 128}, "b")};
  for (const bool checks : {true, false}) {
    std::vector<std::string> lines;
    Launch asked;
    asked.kernel = "adding";
    asked.block = {32, 1, 1};
    asked.checks = checks;
    asked.parameters.resize(sizeof addresses);
    std::memcpy(asked.parameters.data(), addresses, sizeof addresses);
    asked.observers.push_back([&] { return std::make_unique<Recorder>(lines); });
    const Outcome outcome = launch(loaded, asked);
    EXPECT_EQ(outcome.refusal, "");
    EXPECT_TRUE(outcome.isComplete);
    EXPECT_TRUE(outcome.diagnostics.empty());
    EXPECT_EQ(outcome.printed, "finished");
    EXPECT_EQ(lines, (std::vector<std::string>{"bra", "parts", "ld.global.u32 by 31", "ld.global.u32 by 31",
                                               "st.global.u32 by 31", "bra", "writes 16", "reads 16", "moves 16 at 41",
                                               "arrives 0", "add by 31"}));
  }
  EXPECT_EQ(a[0], 1u);
  EXPECT_EQ(a[31], 83u);
}

} // namespace
