#include "Lines.h"
#include "Explore/Sample.h"
#include "Match/Match.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace ptxray::machine {

struct Family {
  const char *stem, *type;
  uint8_t width;
};
/// The registers of test/isa/prelude.ptx.
static constexpr Family families[] = {
    {"%p", ".pred", 1},  {"%hu", ".u16", 16}, {"%hs", ".s16", 16}, {"%hf", ".f16", 16}, {"%hx", ".f16x2", 32},
    {"%h", ".b16", 16},  {"%rd", ".b64", 64}, {"%r", ".b32", 32},  {"%ud", ".u64", 64}, {"%u", ".u32", 32},
    {"%sd", ".s64", 64}, {"%s", ".s32", 32},  {"%fd", ".f64", 64}, {"%f", ".f32", 32},  {"%cu", ".u8", 16},
    {"%cs", ".s8", 16},  {"%c", ".b8", 16},   {"%q", ".b128", 128}};

static std::string head() {
  std::string text = ".version 9.3\n.target sm_100a\n.address_size 64\n.visible .entry kernel() {\n";
  for (const Family &family : families)
    text += std::string(".reg ") + family.type + " " + family.stem + "<16>;\n";
  return text;
}

static ModuleContext context() {
  ModuleContext context;
  context.ptx = 903;
  context.target = static_cast<uint16_t>(isa::findTarget("sm_100a"));
  return context;
}

static uint8_t widthOf(llvm::StringRef name) {
  for (const Family &family : families)
    if (name.starts_with(family.stem) && llvm::isDigit(name.drop_front(llvm::StringRef(family.stem).size()).front()))
      return family.width;
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
  std::string text = head();
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

std::vector<std::string> textsOf(llvm::StringRef mnemonic, unsigned count, uint64_t seed) {
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const Sample &sample : sampleInstruction(mnemonic, context(), count, seed))
    if (sample.accepted && seen.insert(sample.text).second)
      texts.push_back(sample.text);
  return texts;
}

std::vector<std::string> allMnemonics() {
  std::vector<std::string> names;
  for (const isa::Mnemonic &one : isa::tables().mnemonics)
    names.push_back(std::string(one.text));
  return names;
}

} // namespace ptxray::machine
