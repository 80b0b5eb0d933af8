#include "Parse/Parse.h"
#include "Diagnostics/Diagnostic.h"
#include "Dump/DumpJson.h"
#include "Parse/Print.h"
#include "Source/SourceBuffer.h"
#include "nlohmann/json.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <bit>
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

/// A parsed text.
struct Parsed {
  explicit Parsed(llvm::StringRef text) : source(SourceBuffer::fromText("k.ptx", text)) {
    parser.read(*source, sink);
    sink.sort();
  }
  const Ast &ast() const { return parser.ast(); }
  std::string printed() const {
    std::string out;
    llvm::raw_string_ostream stream(out);
    printAst(ast(), stream);
    return out;
  }
  /// Returns every diagnostic as `line:column-column id`.
  std::string faults() const {
    std::string out;
    for (const Diagnostic &d : sink.diagnostics()) {
      LineColumn begin = source->lineColumn(d.range.begin), end = source->lineColumn(d.range.end);
      out += (out.empty() ? "" : ", ") + std::to_string(begin.line) + ":" + std::to_string(begin.column) + "-" +
             std::to_string(end.column) + " " + info(d.id).id.str();
    }
    return out;
  }

  std::unique_ptr<SourceBuffer> source;
  DiagnosticSink sink;
  Parser parser;
};

std::string kernel(llvm::StringRef body) {
  return (".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n" + body + "\n}\n").str();
}

/// Returns the first operand of `mov.b64 x, EXPRESSION;`.
Operand constant(llvm::StringRef expression) {
  Parsed parsed(kernel("mov.b64 x, " + expression.str() + ";"));
  EXPECT_EQ(parsed.faults(), "") << expression.str();
  const Ast &ast = parsed.ast();
  return ast.operandsOf(ast.instructions.at(0).operands).back();
}

int64_t integer(llvm::StringRef expression) {
  Operand operand = constant(expression);
  EXPECT_EQ(operand.kind, OperandKind::Integer) << expression.str();
  return operand.value;
}

double real(llvm::StringRef expression) {
  Operand operand = constant(expression);
  EXPECT_EQ(operand.kind, OperandKind::Float) << expression.str();
  return std::bit_cast<double>(operand.value);
}

TEST(Parse, Numbers) {
  EXPECT_EQ(integer("0x1F"), 31);
  EXPECT_EQ(integer("0X1f"), 31);
  EXPECT_EQ(integer("017"), 15);
  EXPECT_EQ(integer("0b101"), 5);
  EXPECT_EQ(integer("42U"), 42);
  EXPECT_EQ(constant("42U").flags, UnsignedSuffix);
  EXPECT_EQ(integer("WARP_SZ"), 32);
  EXPECT_EQ(constant("WARP_SZ").flags, WarpSize);
  EXPECT_EQ(real("1.5"), 1.5);
  EXPECT_EQ(real(".5"), 0.5);
  EXPECT_EQ(real("5."), 5.0);
  EXPECT_EQ(real("1e3"), 1000.0);
  EXPECT_EQ(real("1.e-3"), 0.001);
  EXPECT_EQ(constant("0f3F800000").flags, HexFloat);
  EXPECT_EQ(constant("0f3F800000").value, 0x3F800000);
  EXPECT_EQ(constant("0d3FF0000000000000").flags, HexFloat | WideFloat);
}

TEST(Parse, ConstantExpressions) {
  EXPECT_EQ(integer("1+2*3"), 7);
  EXPECT_EQ(integer("(1+2)*3"), 9);
  EXPECT_EQ(integer("10-2-3"), 5);
  EXPECT_EQ(integer("1<<2+1"), 8);
  EXPECT_EQ(integer("7&3==3"), 1);
  EXPECT_EQ(integer("1|2^3&1"), 3);
  EXPECT_EQ(integer("0||1&&0"), 0);
  EXPECT_EQ(integer("- -3"), 3);
  EXPECT_EQ(integer("!0+1"), 2);
  EXPECT_EQ(integer("~0"), -1);
  EXPECT_EQ(integer("-(2+3)*2"), -10);
  EXPECT_EQ(integer("1?2:3"), 2);
  EXPECT_EQ(integer("0?2:0?3:4"), 4);
  EXPECT_EQ(integer("1?0?5:6:7"), 6);
  EXPECT_EQ(integer("5 % 3"), 2);
  EXPECT_EQ(integer("7/2"), 3);
  EXPECT_EQ(integer("-7/2"), -3);
  EXPECT_EQ(integer("-7/2U"), int64_t(~uint64_t(6) / 2));
  EXPECT_EQ(integer("-8>>1"), -4);
  EXPECT_EQ(integer("(.u64)-8>>1"), int64_t(uint64_t(-8) >> 1));
  EXPECT_EQ(integer("(.s64)(.u64)-1 < 0"), 1);
  EXPECT_EQ(integer("-1 < 1U"), 0);
  EXPECT_EQ(integer("1.5 < 2.0"), 1);
  EXPECT_EQ(integer("WARP_SZ*2"), 64);
  EXPECT_EQ(real("1.5+2.0*3.0"), 7.5);
  EXPECT_EQ(real("1?2.5:3.5"), 2.5);
  EXPECT_EQ(real("-1.5"), -1.5);
}

TEST(Parse, ConstantExpressionsNeedNoStack) {
  auto repeat = [](llvm::StringRef text, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i)
      out += text;
    return out;
  };
  EXPECT_EQ(integer(repeat("(", 9000) + "1" + repeat(")", 9000)), 1);
  EXPECT_EQ(integer(repeat("-", 4900) + "1"), 1);
  EXPECT_EQ(integer("1" + repeat("+1", 50000)), 50001);
  Parsed deep(kernel("mov.b64 x, " + repeat("(", 100000) + "1" + repeat(")", 100000) + ";"));
  EXPECT_EQ(deep.faults(), "6:10012-10013 nesting-too-deep");
  EXPECT_EQ(Parsed(kernel(repeat("{", 1663) + repeat("}", 1663))).faults(), "");
  EXPECT_EQ(Parsed(kernel(repeat("{", 100000) + repeat("}", 100000))).faults(), "6:10001-10002 nesting-too-deep");
}

TEST(Parse, OperandsStandInPreorder) {
  Parsed parsed(kernel("tex.2d.v4.s32.s32 {a,_,%tid.x,-1}|p, [t, s, {x}], -b.h1, c+-4, d[8], e[r+4];"));
  ASSERT_EQ(parsed.faults(), "");
  const Ast &ast = parsed.ast();
  auto operands = ast.operandsOf(ast.instructions[0].operands);
  std::string shape;
  for (const Operand &o : operands)
    shape += std::to_string(int(o.kind)) + ":" + std::to_string(o.extent) + " ";
  EXPECT_EQ(shape, "8:7 5:5 0:1 4:1 0:1 1:1 0:1 6:5 0:1 0:1 5:2 0:1 0:1 0:1 0:1 0:2 0:1 ");
  EXPECT_EQ(ast.text(operands[4].name), "%tid");
  EXPECT_EQ(ast.text(operands[4].suffix), ".x");
  EXPECT_EQ(operands[12].flags, Negated);
  EXPECT_EQ(ast.text(operands[12].suffix), ".h1");
  EXPECT_EQ(parsed.source->text(operands[12].range), "-b.h1");
  EXPECT_EQ(operands[13].flags, HasOffset);
  EXPECT_EQ(operands[13].value, -4);
  EXPECT_EQ(operands[14].flags, HasOffset | Subscript);
  EXPECT_EQ(operands[15].flags, Subscript);
  EXPECT_EQ(operands[16].flags, HasOffset);
}

TEST(Parse, WordsOfAnOpcodeJoin) {
  Parsed parsed(kernel("add.sat.s32 a, b, c;\nadd .sat .s32 a, b, c;\nret;\n@!p ret .uni;"));
  ASSERT_EQ(parsed.faults(), "");
  const Ast &ast = parsed.ast();
  EXPECT_EQ(ast.instructions[0].opcode, ast.instructions[1].opcode);
  EXPECT_EQ(ast.text(ast.instructions[3].opcode), "ret.uni");
  EXPECT_TRUE(ast.instructions[3].guardNot);
  EXPECT_EQ(parsed.source->text(ast.instructions[3].range), "@!p ret .uni;");
  EXPECT_EQ(parsed.source->text(ast.instructions[3].guardRange), "@!p");
  EXPECT_EQ(parsed.source->text(ast.instructions[3].opcodeRange), "ret .uni");
}

TEST(Parse, StreamsByFunction) {
  std::string text = ".version 9.0\n.target sm_90\n.global .b32 g = 1;\n";
  for (int i = 0; i < 3; ++i)
    text += ".entry k" + std::to_string(i) + "(.param .b32 p) { L: add.s32 a, b, c; { ret; } }\n";
  auto source = SourceBuffer::fromText("k.ptx", text);
  DiagnosticSink sink;
  Parser parser;
  size_t bodies = 0;
  parser.stream(*source, sink, [&](const Ast &ast, Statement item) {
    if (item.kind != StatementKind::Function)
      return;
    const Function &f = ast.functions[item.index];
    EXPECT_EQ(f.body.count, 5u);
    EXPECT_EQ(ast.statements.size(), 5u);
    EXPECT_EQ(ast.instructions.size(), 2u);
    EXPECT_EQ(ast.declarations.size(), 1 + ++bodies);
  });
  EXPECT_EQ(bodies, 3u);
  EXPECT_EQ(parser.ast().module.size(), 6u);
  EXPECT_TRUE(parser.ast().instructions.empty());
}

TEST(Parse, AFaultKeepsWhatStandsAroundIt) {
  Parsed parsed(kernel("add.s32 a, b, c;\nadd.s32 a b c, d;\nret;") + ".entry l() { ret; }\n");
  EXPECT_EQ(parsed.faults(), "7:10-10 expected-comma");
  EXPECT_EQ(parsed.ast().functions.size(), 2u);
  EXPECT_EQ(parsed.ast().instructions.size(), 4u);
}

TEST(Parse, PrintedTextGivesTheSameAst) {
  const llvm::StringRef text = R"(.version 9.4
.target sm_90, debug
.address_size 64
.file 1 "a.cu"
.file 2 "b.cu", 1339013327, 64118
# 100 "x.cu"
.pragma "nounroll", "x";
.extern .global .align 16 .b8 ext[];
.visible .global .u32 a0, a1 = 5, a2[2] = {1, 2};
.weak .const .f32 c[2][2] = {{1.0, -2.5e3}, {0f3F800000, .5}};
.align 4 .global .u32 pre;
.global .attribute(.managed, .unified(1,2)) .align 8 .u64 man;
.global .u64 addr = a0+4*2, tab[2] = {generic(a1)+8, a2+4};
.global .u8 m[3] = {0xff(a0), 0xff00(a0+4), 0xff(generic(a0)+4)};
.global .u64 lit[4] = {0x1F, 42U, 0xfabc123400000000, 0x8000000000000000};
.global .f64 big[4] = {1e308, -0.0, 1e-307, 0d7FF0000000000000};
.global .samplerref s = {addr_mode_0 = clamp_to_border, force = 1};
.const[2] .u32 bank;
.func noparams;
.func (.reg .b32 r) regs (.reg .b32 x, .reg .pred p);
.extern .func (.param .align 8 .b8 rv[16]) big2 (.param .b8 y[]) .noreturn;
.func .attribute(.unified(1, 2)) abi (.param .b32 x) .abi_preserve 4 .language "ptx", 1 { ret; }
.alias noparams, abi;
.visible .entry k(.param .u64 .ptr .global .align 8 p0, .param .b8 .align 4 p2[4])
  .maxntid 1, 2, 3 .explicitcluster .pragma "x"; .maxnreg 32
{
  .reg .b32 %r<10>, a; .reg .v2.f32 v;
  .shared .u32 loc[4][2];
  .func nested (.param .b32 x);
  .loc 1 2 3, function_name $L__info0+16, inlined_at 1 5 6
  .loc 1 2 3, function_name .debug_str+16, inlined_at 1 5 6
  .loc_intermediate 2 3 4
L0: L1: add .s32 a, b, %r1;
  ld.const[2].u32 a, [c+4].unified;
  @!%p1 mov.u64 rd1, a2[a+4];
  setp.eq.and.s32 _|%p2, a, -5, !%p3;
  fma.rn.f32 a, -b.h1, {a, _, 1}|p, 0f3F800000;
  mma.sp::2:4.x a;
  call (par), big, (pa, 1, -2.5, _), P0;
  { { ret; } }
T0: .branchtargets L0, L2<2>;
P0: .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;
}
.section .debug_str { $L__info0: .b8 1, -3 .b64 .debug_str+4, L, L+8, L2-L }
.metadata_section { .metadata 0 { "a", .b32 5, "s", .metadata_label "L" } .metadata_domain 1 }
.nv_intermediate_source_section { .code_block { .ir_name: "TileIR" .sourceFileName: 1
.source_begin } " /* { .source_end } }
@@DWARF .4byte 5
.extern .func last
)";
  Parsed first(text);
  ASSERT_EQ(first.faults(), "");
  const std::string printed = first.printed();
  Parsed second(printed);
  EXPECT_EQ(second.faults(), "") << printed;
  EXPECT_EQ(second.printed(), printed);
  const Ast &a = first.ast(), &b = second.ast();
  ASSERT_EQ(a.operands.size(), b.operands.size()) << printed;
  for (size_t i = 0; i < a.operands.size(); ++i) {
    const Operand &x = a.operands[i], &y = b.operands[i];
    EXPECT_EQ(std::tuple(x.kind, x.flags, x.extent, x.value, a.text(x.name), a.text(x.suffix)),
              std::tuple(y.kind, y.flags, y.extent, y.value, b.text(y.name), b.text(y.suffix)))
        << first.source->text(x.range).str();
  }
  EXPECT_EQ(a.statements.size(), b.statements.size());
  EXPECT_EQ(a.declarations.size(), b.declarations.size());
  EXPECT_EQ(a.directives.size(), b.directives.size());

  // White space and comments change nothing; any other change shows.
  Parsed spaced("/* c */" + llvm::join(llvm::split(text, ", "), " ,// c\n"));
  EXPECT_EQ(spaced.printed(), printed);
  Parsed changed(text.substr(0, text.find("-5")).str() + "-6" + text.substr(text.find("-5") + 2).str());
  EXPECT_NE(changed.printed(), printed);

  std::string json;
  llvm::raw_string_ostream stream(json);
  dumpJson(a, *first.source, stream);
  std::function<void(const nlohmann::json &)> everyNodeHasKind = [&](const nlohmann::json &node) {
    for (const nlohmann::json &child : node)
      if (child.is_structured())
        everyNodeHasKind(child);
    if (node.is_object() && node.contains("range")) {
      EXPECT_TRUE(node.contains("kind")) << node.dump();
    }
  };
  nlohmann::json dumped = nlohmann::json::parse(json);
  EXPECT_EQ(dumped["items"].size(), a.module.size());
  everyNodeHasKind(dumped);
}

struct Fault {
  const char *body; // begins on line 6
  const char *expected;
};

TEST(Parse, FaultsHaveTheNarrowestRange) {
  const Fault cases[] = {
      {"add.s32 a, b, c\nret;", "6:16-16 expected-semicolon"},
      {"ret\nadd.s32 a, b, c;", "6:4-4 expected-semicolon"},
      {"$L\nadd.s32 a, b, c;", "6:3-3 expected-colon"},
      {"add.s32 a b, c;", "6:10-10 expected-comma"},
      {"add.s32 a,, b, c;", "6:11-12 extra-token"},
      {"add.s32 a, b, c;;", "6:17-18 extra-token"},
      {"ld.b32 a, [b;", "6:13-13 expected-bracket"},
      {"ld.b32 a, b];", "6:12-13 extra-token"},
      {"ld.b32 a, [b]];", "6:14-15 extra-token"},
      {"mov.b64 {a, b, c;", "6:17-17 expected-bracket"},
      {"mov.b64 a, b}, c;", "6:13-14 extra-token"},
      {".reg .b32 r<4;", "6:14-14 expected-bracket"},
      {".reg .b32 a", "6:12-12 expected-semicolon"},
      {"mov.b32 a, (1+2;", "6:16-16 expected-bracket"},
      {"mov.b32 a, 1+2);", "6:15-16 extra-token"},
      {"mov.b32 a, -(1;", "6:15-15 expected-bracket"},
      {"mov.b32 a, 2*!(1;", "6:17-17 expected-bracket"},
      {"mov.b32 a, $, b;", "6:12-13 stray-character"},
      {"mov.b32 a, \"b;", "6:12-13 unclosed-string"},
      {"mov.b32 a, \xC3\xA9;", "6:12-14 non-ascii-character"},
      {"mov.b32 a, 018;", "6:12-15 malformed-number"},
      {"mov.b32 a, 3u;", "6:12-14 malformed-number"},
      {"mov.f32 a, 0f3F80;", "6:12-18 malformed-number"},
      {"mov.b32 a, 1/0;", "6:12-15 division-by-zero"},
      {"mov.b32 a, 1+1.0;", "6:12-17 constant-type"},
      {"mov.b32 a, (.s32)1;", "6:13-17 cast-type"},
      {"mov.b32 a, 1+;", "6:14-15 syntax-error"},
      {"add . s32 a, b, c;", "6:5-6 stray-character"},
      {"ld.b32 a, [b-4];", "6:13-14 syntax-error"},
      {".loc 1 2\nret;", "7:1-4 syntax-error"},
      {".raeg .b32 a;", "6:1-6 unknown-directive"},
      {"/* open", "6:1-3 unclosed-comment"},
      {"bra l;@\nl:", "6:7-8 extra-token"},
      {"@l:", "6:1-2 extra-token"},
      {"mma.b16\n{a, b},\n{c, d}\n{e, f};", "8:7-7 expected-comma"},
      {"mma.b16\n{a, b},\n{c, d}\nret;", "8:7-7 expected-semicolon"},
      {"{ ret; }}\nret;", "6:9-10 extra-token"},
      {"add.s32 a, b;\nadd.s32 a b;\nsub.s32 a, [b;", "7:10-10 expected-comma, "
                                                      "8:14-14 expected-bracket"},
  };
  for (const Fault &fault : cases)
    EXPECT_EQ(Parsed(kernel(fault.body)).faults(), fault.expected) << fault.body;
}

TEST(Parse, FaultsOfTheModule) {
  const Fault cases[] = {
      {".global .b32 a", "1:15-15 expected-semicolon"},
      {".global .b32 a[4 = {1};", "1:17-17 expected-bracket"},
      {".visbile .global .b32 a;", "1:1-9 unknown-directive"},
      {".entyr k() { ret; }", "1:1-7 unknown-directive"},
      {".entry k() { ret;\n\n.entry l() { ret; }", "2:1-1 unclosed-brace"},
      {".entry k()\n\n  .reg .b32 a;\n  ret;\n}\n", "2:1-1 expected-bracket"},
      {".entry k(.param .b32 a\n.param .b32 b) { ret; }", "1:23-23 expected-comma"},
      {".entry k(.param .b32 a\n{ ret; }", "1:23-23 expected-bracket"},
      {".func f .param .b32 a);", "1:8-8 expected-bracket"},
      {".func (.param .b32 a f;", "1:21-21 expected-bracket"},
      {".file# 1 \"a\"", "1:6-7 stray-character"},
      {".version 8.$0\n.target sm_80", "1:10-14 malformed-number"},
      {".global .b32 a[2] = {1;+0};", "1:23-24 extra-token"},
      {"foo", "1:1-4 syntax-error"},
      {"}", "1:1-2 extra-token"},
      {"\xEF\xBB\xBF.global .b32 a;", "1:1-4 non-ascii-character"},
      {".global .b32 a;\n\x01", "2:1-2 stray-character"},
      {".file 1 \"a\n.file 2 \"b\"", "1:9-11 unclosed-string"},
      {"", ""},
      {"// only a comment", ""},
      {".global .b32 a;\r\n.global .b32 b;\r\n", ""},
  };
  for (const Fault &fault : cases)
    EXPECT_EQ(Parsed(fault.body).faults(), fault.expected) << fault.body;
}

// If nothing is indented, the empty line that a brace leaves shows which brace is missing.
TEST(Parse, LostBracesWithoutIndentation) {
  const std::string text =
      ".func f()\n{\n.reg .b32 a;\nadd.s32 a, a, a;\n.loc 1 2 3\n{\n.param .b32 p;\nst.param.b32 [p], a;\n}\n"
      "l:\n.loc 1 3 3\n{\n.param .b32 q;\nst.param.b32 [q], a;\n}\nsub.s32 a, a, a;\nret;\n}\n";
  const std::pair<unsigned, const char *> lost[] = {
      {6, "6:1-1 expected-bracket"},   {9, "9:1-1 expected-bracket"}, {12, "12:1-1 expected-bracket"},
      {15, "15:1-1 expected-bracket"}, {18, "18:1-1 unclosed-brace"},
  };
  EXPECT_EQ(Parsed(text).faults(), "");
  for (const auto &[line, fault] : lost) {
    size_t at = 0;
    for (unsigned i = 1; i < line; ++i)
      at = text.find('\n', at) + 1;
    ASSERT_TRUE(text[at] == '{' || text[at] == '}');
    EXPECT_EQ(Parsed(std::string(text).erase(at, 1)).faults(), fault) << line;
  }
}

TEST(Parse, FixesMendTheText) {
  for (const char *body : {"add.s32 a, b, c\nret;", "add.s32 a b, c;", "add.s32 a,, b;", "ld.b32 a, [b;",
                           "ld.b32 a, b];", "ret;;", ".rge .b32 a;", "mov.f32 a, 1.5f;"}) {
    Parsed parsed(kernel(body));
    ASSERT_EQ(parsed.sink.diagnostics().size(), 1u) << body;
    const Diagnostic &d = parsed.sink.diagnostics().front();
    ASSERT_TRUE(d.fix) << body;
    std::string text = parsed.source->text().str();
    for (const Edit &edit : d.fix->edits)
      text.replace(edit.range.begin, edit.range.size(), edit.text);
    EXPECT_EQ(Parsed(text).faults(), "") << text;
  }
}

TEST(Parse, NoRealNumberIsOfferedInAnAddress) {
  Parsed parsed(kernel("ld.b32 a, [b+1.5f];"));
  ASSERT_EQ(parsed.sink.diagnostics().size(), 1u);
  EXPECT_EQ(info(parsed.sink.diagnostics().front().id).id, "malformed-number");
  EXPECT_FALSE(parsed.sink.diagnostics().front().fix);
}

} // namespace
