// Single instructions against what an H100 left: test/semantics/lines.txt has each with the registers of some lanes
// before and after it.
#include "ReadBody.h"
#include "Semantics/Evaluate.h"
#include "llvm/ADT/StringExtras.h"
#include <fstream>

using namespace ptxray;

namespace {

struct Register {
  std::string name;
  unsigned bits; // of a predicate 1
};
struct LaneCase {
  unsigned lane; // of its warp; its lowest bit is the carry
  std::vector<uint64_t> before, after;
};
struct LineCase {
  unsigned number; // of the line in the file
  std::string text;
  std::vector<Register> registers;
  std::vector<LaneCase> lanes;
};

std::vector<std::string> wordsOf(const std::string &line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

/// An instruction, its registers with their bits (`%r1:32`), and a line a lane: its number, values, `->`, values.
std::vector<LineCase> readCases() {
  std::ifstream stream(std::string(TEST_FOLDER) + "/semantics/lines.txt");
  std::vector<LineCase> cases;
  unsigned number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty() || line.starts_with("//"))
      continue;
    const std::vector<std::string> words = wordsOf(line);
    if (line.back() == ';') {
      cases.push_back({number, line, {}, {}});
    } else if (line[0] == '%') {
      for (const std::string &word : words) {
        const size_t colon = word.find(':');
        cases.back().registers.push_back({word.substr(0, colon), unsigned(std::stoul(word.substr(colon + 1)))});
      }
    } else {
      LaneCase &lane = cases.back().lanes.emplace_back(LaneCase{unsigned(std::stoul(words[0])), {}, {}});
      for (size_t i = 1; i < words.size(); ++i)
        if (words[i] != "->")
          (lane.before.size() < cases.back().registers.size() ? lane.before : lane.after)
              .push_back(std::stoull(words[i], nullptr, 16));
    }
  }
  return cases;
}

std::string moduleText(const LineCase &one) {
  std::string text = ".visible .entry kernel() {\n";
  for (const Register &reg : one.registers) {
    static const std::map<std::string, std::string> typed = {
        {"%f", ".f32"}, {"%fd", ".f64"}, {"%hf", ".f16"}, {"%hx", ".f16x2"}};
    const std::string stem = reg.name.substr(0, reg.name.find_first_of("0123456789"));
    const auto known = typed.find(stem);
    text += ".reg " +
            (reg.bits == 1          ? ".pred"
             : known != typed.end() ? known->second
                                    : ".b" + std::to_string(reg.bits)) +
            " " + reg.name + ";\n";
  }
  return text + one.text + "\nret;\n}\n";
}

class OneLine {
public:
  explicit OneLine(const LineCase &one) : one(one), read(moduleText(one)), body(*read.body) {}

  Recipe recipe() const {
    const Verdict &verdict = *body.verdicts[0];
    shapes.assign(verdict.shapes.begin(), verdict.shapes.end());
    for (size_t i = 0; i < shapes.size(); ++i) // verdicts are of all numbers alike
      if (nodes()[i].kind == OperandKind::Integer || nodes()[i].kind == OperandKind::Float)
        shapes[i].value = nodes()[i].value;
    ModuleContext context;
    context.ptx = 900;
    context.target = static_cast<uint16_t>(isa::findTarget("sm_90"));
    const Availability availability(context);
    const WrittenInstruction written{*verdict.opcode, shapes, availability};
    return recipeOf(written, *judge(written).match);
  }
  Lanes before() const {
    Lanes lanes;
    lanes.active = 0;
    for (const LaneCase &lane : one.lanes) {
      lanes.carry[lane.lane] = lane.lane & 1;
      if (isActive(lane))
        lanes.active |= 1u << lane.lane;
      for (size_t node = 0; node < nodes().size(); ++node)
        if (const int reg = registerAt(node); reg >= 0)
          lanes.nodes[static_cast<int>(node)][lane.lane] = lane.before[reg];
    }
    return lanes;
  }
  /// What the registers hold after it.
  std::vector<uint64_t> after(const LaneCase &lane, const Outcome &outcome) const {
    std::vector<uint64_t> values = lane.before;
    for (const WrittenRegister &written : outcome.registers)
      if (const int reg = registerAt(written.node); reg >= 0 && isActive(lane)) {
        const unsigned width = written.type.bits * written.type.count;
        Bits bits = written.bits[lane.lane];
        if (written.type.isSigned() && written.type.count == 1 && bits >> (width - 1) & 1)
          bits |= ~lowBits(~Bits(0), width);
        values[reg] = static_cast<uint64_t>(lowBits(bits, one.registers[reg].bits));
      }
    return values;
  }

private:
  llvm::ArrayRef<Operand> nodes() const {
    return llvm::ArrayRef(body.ast->operands).slice(instruction().operands.first, instruction().operands.count);
  }
  const Instruction &instruction() const { return body.instruction(0); }
  int registerNamed(llvm::StringRef name) const {
    for (size_t i = 0; i < one.registers.size(); ++i)
      if (name == one.registers[i].name)
        return static_cast<int>(i);
    return -1;
  }
  int registerAt(int node) const {
    return nodes()[node].kind == OperandKind::Name ? registerNamed(body.ast->text(nodes()[node].name)) : -1;
  }
  bool isActive(const LaneCase &lane) const {
    if (instruction().guard == NameId::None)
      return true;
    return (lane.before[registerNamed(body.ast->text(instruction().guard))] != 0) != instruction().guardNot;
  }

  const LineCase &one;
  ReadBody read;
  const Body &body;
  mutable std::vector<Shape> shapes;
};

TEST(Semantics, SingleInstructionsOfAnH100) {
  const std::vector<LineCase> cases = readCases();
  EXPECT_GT(cases.size(), 200u);
  for (const LineCase &one : cases) {
    const OneLine line(one);
    Lanes lanes = line.before();
    const Outcome outcome = evaluate(line.recipe(), lanes);
    EXPECT_EQ(outcome.refusal, "") << one.number << ": " << one.text;
    for (const LaneCase &lane : one.lanes)
      EXPECT_EQ(line.after(lane, outcome), lane.after) << one.number << ": " << one.text << " lane " << lane.lane;
  }
}

TEST(Semantics, RefusesWhatNobodySays) {
  const LineCase one{
      0, "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;", {{"%r0", 32}, {"%r1", 32}}, {{0, {1, 2}, {}}}};
  Lanes lanes = OneLine(one).before();
  EXPECT_EQ(evaluate(OneLine(one).recipe(), lanes).refusal, "transposed");
}

/// The text of a kernel's first instruction on memory, run with an address that leads to these bytes.
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
  const Outcome outcome = evaluate(line.recipe(), lanes);
  EXPECT_EQ(outcome.refusal, "");
  for (const LaneCase &lane : one.lanes)
    EXPECT_EQ(line.after(lane, outcome), lane.after) << lane.lane;
  EXPECT_EQ(bytes[0], 3);
  EXPECT_EQ(bytes[4], 12);
}

} // namespace
