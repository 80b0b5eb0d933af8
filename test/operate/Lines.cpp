#include "Lines.h"
#include "Explore/Enumerate.h"
#include "Match/Match.h"

namespace ptxray::machine {

static constexpr const char *head = ".version 9.3\n.target sm_100a\n.address_size 64\n"
                                    ".visible .entry kernel() {\n.reg .pred %p<40>;\n.reg .b16 %h<40>;\n"
                                    ".reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.reg .b128 %q<40>;\n";

static ModuleContext context() {
  ModuleContext context;
  context.ptx = 903;
  context.target = static_cast<uint16_t>(isa::findTarget("sm_100a"));
  return context;
}

static uint8_t widthOf(llvm::StringRef name) {
  static constexpr std::pair<const char *, uint8_t> widths[] = {
      {"%p", 1}, {"%h", 16}, {"%rd", 64}, {"%r", 32}, {"%q", 128}};
  for (const auto &[stem, width] : widths)
    if (name.starts_with(stem))
      return width;
  return 0;
}

static Line lineOf(const Body &body, uint32_t number, const Availability &availability) {
  const Verdict &verdict = *body.verdicts[number];
  const Instruction &instruction = body.instruction(number);
  Line line;
  std::vector<Shape> shapes(verdict.shapes.begin(), verdict.shapes.end());
  for (uint32_t i = 0; i < instruction.operands.count; ++i) {
    const Operand &node = body.ast->operands[instruction.operands.first + i];
    if (node.kind == OperandKind::Integer || node.kind == OperandKind::Float) // verdicts are of all numbers alike
      shapes[i].value = node.value;
    const llvm::StringRef name = node.kind == OperandKind::Name ? body.ast->text(node.name) : "";
    line.names.push_back(name.str());
    line.widths.push_back(widthOf(name));
  }
  line.recipe = recipeOf({*verdict.opcode, shapes, availability}, *verdict.match);
  return line;
}

std::vector<Line> readLines(const std::vector<std::string> &texts) {
  std::string text = head;
  for (const std::string &one : texts)
    text += one + "\n";
  const std::unique_ptr<SourceBuffer> source = SourceBuffer::fromText("test", text + "ret;\n}\n");
  const ReadModule module = readModule(*source);
  const Availability availability(context());
  std::vector<Line> lines;
  if (module.bodies().empty())
    return lines;
  const Body &body = module.bodies().back();
  for (uint32_t i = 0; i < body.size() && i < texts.size(); ++i)
    if (body.verdicts[i] && body.verdicts[i]->match && !body.verdicts[i]->findings) {
      lines.push_back(lineOf(body, i, availability));
      lines.back().text = texts[i];
    }
  return lines;
}

std::vector<std::string> textsOf(llvm::StringRef mnemonic) { return enumerateInstruction(mnemonic, context()).texts; }

std::vector<std::string> allMnemonics() {
  std::vector<std::string> names;
  for (const isa::Mnemonic &one : isa::tables().mnemonics)
    names.push_back(std::string(one.text));
  return names;
}

} // namespace ptxray::machine
