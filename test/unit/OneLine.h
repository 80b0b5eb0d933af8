#pragma once
// One instruction, and the registers of some lanes before and after it.
#include "ReadBody.h"
#include "Semantics/Evaluate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

namespace ptxray {

struct Register {
  std::string name; // name of a register; `m0` to `m3` are 64-bit words of the memory at `[%zm]`
  unsigned bits;    // 1 for a predicate
};
/// The memory of each lane, at an address of its own.
constexpr uint64_t firstCell = 0x1000, bytesOfCell = 32;
inline uint64_t addressOfCell(unsigned lane) { return firstCell + lane * bytesOfCell; }

struct LaneCase {
  unsigned lane; // number in the warp; its lowest bit is the carry
  std::vector<uint64_t> before, after;
};
struct LineCase {
  unsigned number; // line number in the file
  std::string text;
  std::vector<Register> registers;
  std::vector<LaneCase> lanes;
  std::string version = "9.0", target = "sm_90";
};

inline std::string moduleText(const LineCase &one) {
  std::string text = ".visible .entry kernel() {\n";
  for (const Register &reg : one.registers) {
    if (reg.name[0] != '%' || isa::findSpecialRegister(reg.name.substr(0, reg.name.find('.'))))
      continue;
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
  explicit OneLine(const LineCase &one) : one(one), read(moduleText(one), one.version, one.target), body(*read.body) {}

  /// Returns whether the line is accepted.
  bool isRead() const { return read.body && !read.module.hasErrors(); }
  Recipe recipe() const {
    const Verdict &verdict = *body.verdicts[0];
    shapes.assign(verdict.shapes.begin(), verdict.shapes.end());
    for (size_t i = 0; i < shapes.size(); ++i) // verdicts do not depend on numbers
      if (nodes()[i].kind == OperandKind::Integer || nodes()[i].kind == OperandKind::Float)
        shapes[i].value = nodes()[i].value;
    ModuleContext context;
    context.ptx = static_cast<uint16_t>(100 * (one.version[0] - '0') + (one.version[2] - '0'));
    context.target = static_cast<uint16_t>(isa::findTarget(one.target));
    const Availability availability(context);
    const Opcode opcode(verdict.opcode->spelling); // opcode in the current tables
    const WrittenInstruction written{opcode, shapes, availability};
    return recipeOf(written, *judge(written).match);
  }
  /// Executes the instruction, and stores the resulting memory in the lanes' cells.
  EvaluationOutcome compute(const Recipe &recipe, Lanes &lanes) const {
    for (const LaneCase &lane : one.lanes)
      for (size_t i = 0; i < one.registers.size(); ++i)
        if (const int word = wordOfCell(one.registers[i].name); word >= 0)
          llvm::support::endian::write64le(&cells[lane.lane * bytesOfCell + 8 * word], lane.before[i]);
    return evaluate(recipe, lanes);
  }
  Lanes before() const {
    Lanes lanes;
    lanes.active = 0;
    for (const char *space : {"", ".global", ".shared", ".shared::cta", ".local"})
      lanes.memory.push_back({*space ? isa::findWord(space) : isa::WordId(), firstCell, cells});
    for (const LaneCase &lane : one.lanes) {
      lanes.carry[lane.lane] = lane.lane & 1;
      if (isActive(lane))
        lanes.active |= 1u << lane.lane;
      for (int node = 0; node < static_cast<int>(nodes().size()); ++node)
        for (unsigned part = 0; part < 4; ++part)
          if (const int reg = registerAt({node, part}); reg >= 0) {
            lanes.nodes[{node, part}][lane.lane] =
                one.registers[reg].name == "%zm" ? addressOfCell(lane.lane) : lane.before[reg];
            lanes.names[{node, part}] = static_cast<uint32_t>(reg);
          }
    }
    return lanes;
  }
  /// Returns the values of the registers after the line. `cc` is the carry; `open` is 1 if the manual leaves the result
  /// undefined.
  std::vector<uint64_t> after(const LaneCase &lane, const EvaluationOutcome &outcome, const Lanes &lanes) const {
    std::vector<uint64_t> values = lane.before;
    for (size_t i = 0; i < one.registers.size(); ++i) {
      if (one.registers[i].name == "cc")
        values[i] = lanes.carry[lane.lane];
      if (const int word = wordOfCell(one.registers[i].name); word >= 0)
        values[i] = llvm::support::endian::read64le(&cells[lane.lane * bytesOfCell + 8 * word]);
      if (one.registers[i].name == "open")
        values[i] = llvm::any_of(
            outcome.registers, [&](const WrittenRegister &written) { return written.undefinedLanes >> lane.lane & 1; });
    }
    for (const WrittenRegister &written : outcome.registers)
      if (const int reg = registerAt(written.at); reg >= 0 && isActive(lane)) {
        const unsigned width = written.type.bits * written.type.count;
        Bits bits = written.bits[lane.lane];
        if (written.type.isSigned() && written.type.count == 1 && bits >> (width - 1) & 1)
          bits |= ~lowBits(~Bits(0), width);
        values[reg] = static_cast<uint64_t>(lowBits(bits, one.registers[reg].bits));
      }
    return values;
  }

  /// Returns the index of a register in the case, or -1.
  int registerAt(RegisterAt at) const {
    const Operand &operand = nodes()[at.node];
    if (operand.kind != OperandKind::Name)
      return -1;
    const std::string name = body.ast->text(operand.name).str();
    const int found = at.part ? -1 : registerNamed(name);
    const std::string suffix =
        operand.suffix == SpellingId::None ? std::string(".") + "xyzw"[at.part] : body.ast->text(operand.suffix).str();
    return found >= 0 ? found : registerNamed(name + suffix);
  }

private:
  /// Returns the index of a word in a lane's memory for `m0` to `m3`, or -1 for a register.
  static int wordOfCell(llvm::StringRef name) {
    return name.size() == 2 && name[0] == 'm' && name[1] >= '0' && name[1] <= '3' ? name[1] - '0' : -1;
  }
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
  bool isActive(const LaneCase &lane) const {
    if (instruction().guard == NameId::None)
      return true;
    return (lane.before[registerNamed(body.ast->text(instruction().guard))] != 0) != instruction().guardNot;
  }

  const LineCase &one;
  ReadBody read;
  const Body &body;
  mutable std::vector<Shape> shapes;
  mutable std::vector<uint8_t> cells = std::vector<uint8_t>(lanesOfWarp * bytesOfCell);
};

} // namespace ptxray
