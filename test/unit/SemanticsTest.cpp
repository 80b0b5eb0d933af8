// Compares single instructions with the results of an H100, or of the manual. test/semantics holds each instruction
// with the registers of some lanes before and after it.
#include "LineCases.h"

using namespace ptxray;

namespace {

void expectAsWritten(const std::string &file, size_t fewest) {
  const std::vector<LineCase> cases = readCases(TEST_FOLDER "/semantics/" + file);
  EXPECT_GE(cases.size(), fewest);
  for (const LineCase &one : cases) {
    const OneLine line(one);
    Lanes lanes = line.before();
    const EvaluationOutcome outcome = line.compute(line.recipe(), lanes);
    EXPECT_EQ(outcome.refusal, "") << one.number << ": " << one.text;
    for (const LaneCase &lane : one.lanes)
      EXPECT_EQ(line.after(lane, outcome, lanes), lane.after)
          << one.number << ": " << one.text << " lane " << lane.lane;
  }
}

TEST(Semantics, SingleInstructionsOfAnH100) { expectAsWritten("lines.txt", 500); }
TEST(Semantics, SingleInstructionsOnMemory) { expectAsWritten("memory.txt", 20); }
TEST(Semantics, SingleInstructionsOfLaterGpus) { expectAsWritten("manual.txt", 80); }

TEST(Semantics, RefusesWhatNobodySays) {
  const LineCase one{0, "stacksave.u64 %rd0;", {{"%rd0", 64}}, {{0, {1}, {}}}};
  Lanes lanes = OneLine(one).before();
  EXPECT_EQ(evaluate(OneLine(one).recipe(), lanes).refusal, "stack-pointer");
}

/// Makes a warp in which every register holds the number of its lane, except the first one, which holds an address.
LineCase warpCase(std::string text, std::vector<Register> registers, const std::vector<uint64_t> &addresses) {
  LineCase one{0, std::move(text), std::move(registers), {}};
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    one.lanes.push_back({lane, std::vector<uint64_t>(one.registers.size(), lane), {}});
    one.lanes.back().before[0] = addresses[lane % addresses.size()];
  }
  return one;
}
EvaluationOutcome runOnBytes(const LineCase &one, const char *space, llvm::MutableArrayRef<uint8_t> bytes) {
  const OneLine line(one);
  Lanes lanes = line.before();
  lanes.memory.push_back({isa::findWord(space), 0x100, bytes});
  EvaluationOutcome outcome = evaluate(line.recipe(), lanes);
  EXPECT_EQ(outcome.refusal, "") << one.text;
  return outcome;
}

TEST(Semantics, MovesMatrices) {
  std::array<uint8_t, 256> bytes;
  for (unsigned i = 0; i < 256; ++i)
    bytes[i] = static_cast<uint8_t>(i);
  std::vector<uint64_t> addresses; // the rows of the second matrix are in opposite order
  for (unsigned row = 0; row < 16; ++row)
    addresses.push_back(0x100 + 16 * (row < 8 ? row : 23 - row));
  const std::vector<Register> registers = {{"%rd0", 64}, {"%r0", 32}, {"%r1", 32}};
  const LineCase load = warpCase("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%rd0];", registers, addresses);
  const EvaluationOutcome loaded = runOnBytes(load, ".shared", bytes);
  const LineCase trans =
      warpCase("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r0, %r1}, [%rd0];", registers, addresses);
  const EvaluationOutcome turned = runOnBytes(trans, ".shared", bytes);
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    const uint32_t row = lane / 4, first = 16 * row + lane % 4 * 4, second = 16 * (15 - row) + lane % 4 * 4;
    EXPECT_EQ(loaded.registers[0].bits[lane], first | (first + 1) << 8 | (first + 2) << 16 | (first + 3) << 24);
    EXPECT_EQ(loaded.registers[1].bits[lane], second | (second + 1) << 8 | (second + 2) << 16 | (second + 3) << 24);
    const uint32_t low = 16 * (lane % 4 * 2) + 2 * row, high = low + 16;
    EXPECT_EQ(turned.registers[0].bits[lane], low | (low + 1) << 8 | high << 16 | (high + 1) << 24);
  }
  const LineCase store =
      warpCase("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd0], {%r0};", {{"%rd0", 64}, {"%r0", 32}}, addresses);
  runOnBytes(store, ".shared", bytes);
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    EXPECT_EQ(bytes[lane * 4], lane);
}

TEST(Semantics, CopiesBytes) {
  std::array<uint8_t, 32> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::fill(bytes.begin() + 16, bytes.end(), 0xaa);
  LineCase one =
      warpCase("cp.async.ca.shared.global [%rd0], [%rd1], 8, %r0;", {{"%rd0", 64}, {"%rd1", 64}, {"%r0", 32}}, {0x110});
  one.lanes.resize(1);
  one.lanes[0].before = {0x110, 0x100, 5};
  const OneLine line(one);
  Lanes lanes = line.before();
  for (const char *space : {".shared", ".global"})
    lanes.memory.push_back({isa::findWord(space), 0x100, bytes});
  EXPECT_EQ(evaluate(line.recipe(), lanes).refusal, "");
  const std::array<uint8_t, 10> expected = {1, 2, 3, 4, 5, 0, 0, 0, 0xaa, 0xaa};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), bytes.begin() + 16));
}

/// If one instruction loads a matrix, another one stores the same matrix, by rows and by columns.
TEST(Semantics, LoadsAndStoresWholeMatrices) {
  for (const char *order : {"row", "col"}) {
    std::array<uint8_t, 1024> bytes, stored = {};
    for (unsigned i = 0; i < 1024; ++i)
      bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
    std::vector<Register> registers = {{"%rd0", 64}};
    std::string names;
    for (unsigned i = 0; i < 8; ++i) {
      registers.push_back({"%f" + std::to_string(i), 32});
      names += (i ? ", %f" : "%f") + std::to_string(i);
    }
    const std::string shape = std::string(".sync.aligned.") + order + ".m16n16k16.global.f32 ";
    const LineCase load = warpCase("wmma.load.c" + shape + "{" + names + "}, [%rd0], 16;", registers, {0x100});
    const EvaluationOutcome loaded = runOnBytes(load, ".global", bytes);
    LineCase store = warpCase("wmma.store.d" + shape + "[%rd0], {" + names + "}, 16;", registers, {0x100});
    for (LaneCase &lane : store.lanes)
      for (unsigned i = 0; i < 8; ++i)
        lane.before[1 + i] = static_cast<uint64_t>(loaded.registers[i].bits[lane.lane]);
    runOnBytes(store, ".global", stored);
    EXPECT_EQ(stored, bytes) << order;
  }
}

/// Runs the first instruction on memory of a kernel's text, with the address of these bytes.
TEST(Semantics, ChangesMemoryLaneAfterLane) {
  const LineCase one{
      0,
      "atom.global.add.u32 %r0, [%rd1], %r2;",
      {{"%r0", 32}, {"%rd1", 64}, {"%r2", 32}},
      {{0, {0, 0x100, 1}, {0, 0x100, 1}}, {1, {0, 0x100, 2}, {1, 0x100, 2}}, {2, {0, 0x104, 3}, {9, 0x104, 3}}}};
  const OneLine line(one);
  Lanes lanes = line.before();
  std::array<uint8_t, 8> bytes = {0, 0, 0, 0, 9, 0, 0, 0};
  lanes.memory.push_back({isa::findWord(".global"), 0x100, bytes});
  const EvaluationOutcome outcome = evaluate(line.recipe(), lanes);
  EXPECT_EQ(outcome.refusal, "");
  for (const LaneCase &lane : one.lanes)
    EXPECT_EQ(line.after(lane, outcome, lanes), lane.after) << lane.lane;
  EXPECT_EQ(bytes[0], 3);
  EXPECT_EQ(bytes[4], 12);
}

} // namespace
