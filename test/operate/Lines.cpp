#include "Lines.h"
#include "Match/Match.h"
#include "Samples/Sample.h"
#include "llvm/ADT/StringExtras.h"
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ptxray::machine {

struct Family {
  const char *stem, *type;
  uint8_t width;
};
/// The registers of test/isa/prelude.ptx.
static constexpr Family families[] = {
    {"%p", ".pred", 1}, {"%hu", ".u16", 16}, {"%hs", ".s16", 16}, {"%hf", ".f16", 16}, {"%hx", ".f16x2", 32},
    {"%h", ".b16", 16}, {"%rs", ".b16", 16}, {"%rd", ".b64", 64}, {"%r", ".b32", 32},  {"%ud", ".u64", 64},
    {"%u", ".u32", 32}, {"%sd", ".s64", 64}, {"%s", ".s32", 32},  {"%fd", ".f64", 64}, {"%f", ".f32", 32},
    {"%cu", ".u8", 16}, {"%cs", ".s8", 16},  {"%c", ".b8", 16},   {"%q", ".b128", 128}};

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

using RecipesOfVerdicts = std::map<const Verdict *, Recipe>;

static Line lineOf(const Body &body, uint32_t number, const Availability &availability, RecipesOfVerdicts &known) {
  const Verdict &verdict = *body.verdicts[number];
  const Instruction &instruction = body.instruction(number);
  Line line;
  std::vector<Shape> shapes(verdict.shapes.begin(), verdict.shapes.end());
  for (uint32_t i = 0; i < instruction.operands.count; ++i) {
    const Operand &node = body.ast->operands[instruction.operands.first + i];
    if (node.kind == OperandKind::Integer || node.kind == OperandKind::Float) // a verdict holds for all numbers alike
      shapes[i].value = node.value;
    const llvm::StringRef name = node.kind == OperandKind::Name ? body.ast->text(node.name) : "";
    line.names.push_back(name.str());
    line.widths.push_back(widthOf(name));
  }
  line.recipe = recipeOf({*verdict.opcode, shapes, availability}, *verdict.match);
  line.again = known.try_emplace(&verdict, line.recipe).first->second;
  setConstants(line.again, verdict.shapes, body.operands(number));
  return line;
}

std::vector<Line> readFile(const std::string &path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  const std::unique_ptr<SourceBuffer> source = SourceBuffer::fromText(path, text.str());
  const ReadModule module = readModule(*source);
  const Availability availability(context());
  std::vector<Line> lines;
  RecipesOfVerdicts known;
  for (const Body &body : module.bodies())
    for (uint32_t i = 0; i < body.size(); ++i)
      if (body.verdicts[i] && body.verdicts[i]->match && !body.verdicts[i]->findings) {
        lines.push_back(lineOf(body, i, availability, known));
        const Instruction &instruction = body.instruction(i);
        lines.back().text = body.ast->text(instruction.opcode).str();
      }
  return lines;
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
  RecipesOfVerdicts known;
  const Body &body = module.bodies().back();
  for (uint32_t i = 0; i < body.size() && i < texts.size(); ++i)
    if (body.verdicts[i] && body.verdicts[i]->match && !body.verdicts[i]->findings) {
      lines.push_back(lineOf(body, i, availability, known));
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

static constexpr const char *usual[] = {"mov.b32 %r0, %r1;",
                                        "mov.u32 %r0, 7;",
                                        "mov.b64 %rd0, {%r1, %r2};",
                                        "mov.b64 {%r1, %r2}, %rd0;",
                                        "add.s32 %r0, %r1, %r2;",
                                        "add.s32 %r0, %r1, 5;",
                                        "sub.s32 %r0, %r1, %r2;",
                                        "mul.lo.s32 %r0, %r1, %r2;",
                                        "mad.lo.s32 %r0, %r1, %r2, %r3;",
                                        "mul.wide.s32 %rd0, %r1, %r2;",
                                        "mul.wide.u32 %rd0, %r1, 4;",
                                        "mad.wide.u32 %rd0, %r1, %r2, %rd3;",
                                        "mul.hi.u32 %r0, %r1, %r2;",
                                        "mul.hi.s32 %r0, %r1, %r2;",
                                        "add.s64 %rd0, %rd1, %rd2;",
                                        "mul.lo.s64 %rd0, %rd1, %rd2;",
                                        "mul.hi.u64 %rd0, %rd1, %rd2;",
                                        "add.u16 %h0, %h1, %h2;",
                                        "div.u32 %r0, %r1, %r2;",
                                        "rem.u32 %r0, %r1, %r2;",
                                        "and.b32 %r0, %r1, %r2;",
                                        "and.b32 %r0, %r1, 31;",
                                        "not.b32 %r0, %r1;",
                                        "shl.b32 %r0, %r1, 3;",
                                        "shl.b32 %r0, %r1, %r2;",
                                        "shr.u32 %r0, %r1, %r2;",
                                        "shr.s32 %r0, %r1, 3;",
                                        "shl.b64 %rd0, %rd1, 3;",
                                        "shf.l.wrap.b32 %r0, %r1, %r2, 7;",
                                        "shf.l.wrap.b32 %r0, %r1, %r1, %r3;",
                                        "lop3.b32 %r0, %r1, %r2, %r3, 0x96;",
                                        "prmt.b32 %r0, %r1, %r2, 0x3210;",
                                        "bfe.u32 %r0, %r1, 8, 8;",
                                        "bfi.b32 %r0, %r1, %r2, 8, 8;",
                                        "popc.b32 %r0, %r1;",
                                        "clz.b32 %r0, %r1;",
                                        "brev.b32 %r0, %r1;",
                                        "min.s32 %r0, %r1, %r2;",
                                        "max.u32 %r0, %r1, %r2;",
                                        "abs.s32 %r0, %r1;",
                                        "neg.s32 %r0, %r1;",
                                        "setp.lt.s32 %p0, %r1, %r2;",
                                        "setp.ge.u64 %p0, %rd1, %rd2;",
                                        "setp.lt.f32 %p0, %f1, %f2;",
                                        "setp.lt.and.s32 %p0, %r1, %r2, %p3;",
                                        "selp.b32 %r0, %r1, %r2, %p3;",
                                        "selp.b64 %rd0, %rd1, %rd2, %p3;",
                                        "and.pred %p0, %p1, %p2;",
                                        "not.pred %p0, %p1;",
                                        "add.f32 %f0, %f1, %f2;",
                                        "add.ftz.f32 %f0, %f1, %f2;",
                                        "mul.f32 %f0, %f1, %f2;",
                                        "fma.rn.f32 %f0, %f1, %f2, %f3;",
                                        "fma.rn.ftz.f32 %f0, %f1, %f2, %f3;",
                                        "mul.sat.f32 %f0, %f1, %f2;",
                                        "add.rz.f32 %f0, %f1, %f2;",
                                        "min.f32 %f0, %f1, %f2;",
                                        "max.NaN.f32 %f0, %f1, %f2;",
                                        "neg.f32 %f0, %f1;",
                                        "abs.f32 %f0, %f1;",
                                        "div.rn.f32 %f0, %f1, %f2;",
                                        "sqrt.rn.f32 %f0, %f1;",
                                        "rcp.rn.f32 %f0, %f1;",
                                        "div.full.f32 %f0, %f1, %f2;",
                                        "div.approx.f32 %f0, %f1, %f2;",
                                        "ex2.approx.ftz.f32 %f0, %f1;",
                                        "lg2.approx.f32 %f0, %f1;",
                                        "rcp.approx.ftz.f32 %f0, %f1;",
                                        "sqrt.approx.f32 %f0, %f1;",
                                        "rsqrt.approx.f32 %f0, %f1;",
                                        "sin.approx.f32 %f0, %f1;",
                                        "tanh.approx.f32 %f0, %f1;",
                                        "add.f64 %fd0, %fd1, %fd2;",
                                        "fma.rn.f64 %fd0, %fd1, %fd2, %fd3;",
                                        "div.rn.f64 %fd0, %fd1, %fd2;",
                                        "cvt.f64.f32 %fd0, %f1;",
                                        "cvt.rn.f32.f64 %f0, %fd1;",
                                        "cvt.rn.f32.s32 %f0, %r1;",
                                        "cvt.rn.f32.u32 %f0, %r1;",
                                        "cvt.rzi.s32.f32 %r0, %f1;",
                                        "cvt.rzi.u32.f32 %r0, %f1;",
                                        "cvt.rni.f32.f32 %f0, %f1;",
                                        "cvt.rn.f64.s32 %fd0, %r1;",
                                        "cvt.u64.u32 %rd0, %r1;",
                                        "cvt.s64.s32 %rd0, %r1;",
                                        "cvt.u32.u64 %r0, %rd1;",
                                        "cvt.u16.u32 %h0, %r1;",
                                        "cvt.u32.u16 %r0, %h1;",
                                        "cvt.s32.s8 %r0, %r1;",
                                        "cvt.f32.f16 %f0, %h1;",
                                        "cvt.rn.f16.f32 %h0, %f1;",
                                        "cvt.rn.bf16.f32 %h0, %f1;",
                                        "cvt.rn.f16x2.f32 %r0, %f1, %f2;",
                                        "cvt.rn.bf16x2.f32 %r0, %f1, %f2;",
                                        "cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;",
                                        "add.f16x2 %r0, %r1, %r2;",
                                        "mul.bf16x2 %r0, %r1, %r2;",
                                        "fma.rn.f16x2 %r0, %r1, %r2, %r3;",
                                        "fma.rn.bf16x2 %r0, %r1, %r2, %r3;",
                                        "max.f16x2 %r0, %r1, %r2;",
                                        "fma.rn.relu.f16x2 %r0, %r1, %r2, %r3;",
                                        "add.cc.u32 %r0, %r1, %r2;",
                                        "addc.cc.u32 %r0, %r1, %r2;",
                                        "mad.lo.cc.u32 %r0, %r1, %r2, %r3;",
                                        "madc.hi.u32 %r0, %r1, %r2, %r3;",
                                        "dp4a.s32.s32 %r0, %r1, %r2, %r3;",
                                        "shfl.sync.bfly.b32 %r0, %r1, 16, 31, -1;",
                                        "shfl.sync.down.b32 %r0|%p1, %r1, 1, 31, -1;",
                                        "shfl.sync.idx.b32 %r0, %r1, %r2, 31, -1;",
                                        "vote.sync.ballot.b32 %r0, %p1, -1;",
                                        "vote.sync.any.pred %p0, %p1, -1;",
                                        "match.any.sync.b32 %r0, %r1, -1;",
                                        "redux.sync.add.s32 %r0, %r1, -1;",
                                        "activemask.b32 %r0;",
                                        "ld.global.f32 %f0, [%rd1];",
                                        "ld.global.u8 %r0, [%rd1];",
                                        "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];",
                                        "st.global.f32 [%rd1], %f0;",
                                        "st.global.u8 [%rd1], %r0;"};
std::vector<std::string> usualTexts() { return {std::begin(usual), std::end(usual)}; }

std::vector<std::string> allMnemonics() {
  std::vector<std::string> names;
  for (const isa::Mnemonic &one : isa::tables().mnemonics)
    names.push_back(std::string(one.text()));
  return names;
}

} // namespace ptxray::machine
