#include "Format/Format.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

const std::string header = ".version 8.0\n.target sm_90\n.address_size 64\n";

std::string inBody(const std::string &lines) { return header + ".func f()\n{\n" + lines + "}\n"; }

/// Returns the formatted text. Requires that formatting it again changes nothing.
std::string settled(const std::string &text, FormatOptions options = {}) {
  const std::string once = formatted(text, options);
  EXPECT_EQ(formatted(once, options), once);
  return once;
}

struct Case {
  const char *before, *after;
};

TEST(Format, SpacesStatements) {
  const Case cases[] = {
      {"add.s32\t%r1 ,%r2,\n %r3 ;", "\tadd.s32 %r1, %r2, %r3;\n"},
      {"ret;exit;", "\tret;\n\texit;\n"},
      {"@ ! %p1\n bra  L;", "\t@!%p1 bra L;\n"},
      {"L: ret;", "L:\n\tret;\n"},
      {"L : M:ret;", "L:\nM:\n\tret;\n"},
      {"ts :.branchtargets  L ,M;", "ts: .branchtargets L, M;\n"},
      {"p : .callprototype(.param .b32 _)_( .param .b64 _ );",
       "p: .callprototype (.param .b32 _) _ (.param .b64 _);\n"},
      {"call (r) , g,(\n a,\nb\n);", "\tcall (r), g, (a, b);\n"},
      {"mov.b64 %rd1,{ %r1 ,%r2 };", "\tmov.b64 %rd1, {%r1, %r2};\n"},
      {"ld.global.u32 %r1,[ %rd1 + 8 ];", "\tld.global.u32 %r1, [%rd1 + 8];\n"},
      {"ld.global.u32 %r1,[%rd1+-8];", "\tld.global.u32 %r1, [%rd1+-8];\n"},
      {"tex.2d.v4.f32.f32 {a,b,c,d},[t,{ x , y }];", "\ttex.2d.v4.f32.f32 {a, b, c, d}, [t, {x, y}];\n"},
      {"setp.eq.s32 %p1 | %p2,%r1,- 1;", "\tsetp.eq.s32 %p1|%p2, %r1, - 1;\n"},
      {"mov.u32 %r1 , (1+ 2)*3;", "\tmov.u32 %r1, (1+ 2)*3;\n"},
      {"ld .global.b32 %r1, [%rd1] .unified;", "\tld .global.b32 %r1, [%rd1].unified;\n"},
      {"mov.u32 %r1, arr [ 4 ];", "\tmov.u32 %r1, arr[4];\n"},
      {".reg.b32 %r < 4 > , x ;", "\t.reg .b32 %r<4>, x;\n"},
      {".loc\t1 2  3 ret;", "\t.loc 1 2 3\n\tret;\n"},
      {".pragma\"nounroll\";", "\t.pragma \"nounroll\";\n"},
      {"{ret;{exit;}}", "\t{\n\t\tret;\n\t\t{\n\t\t\texit;\n\t\t}\n\t}\n"},
      {"{L:}", "\t{\nL:\n\t}\n"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(settled(inBody(c.before)), inBody(c.after)) << c.before;
}

TEST(Format, LaysOutModules) {
  const Case cases[] = {
      {".global.u32 x[ 2 ] [2]={{1,2},{3,4}};", ".global .u32 x[2][2] = {{1, 2}, {3, 4}};\n"},
      {".global .u32 x[2]={\n1,\n2\n};", ".global .u32 x[2] = {\n\t1,\n\t2\n};\n"},
      {".global .u64 x=generic( y )+8 ;", ".global .u64 x = generic(y)+8;\n"},
      {".global .b8 x[2] = {0xff (y),1};", ".global .b8 x[2] = {0xff(y), 1};\n"},
      {".global .attribute( .managed ).b32 x;", ".global .attribute(.managed) .b32 x;\n"},
      {".extern .func(.param .b32 r)g(.param .b64 a,.param .b64 b) ;",
       ".extern .func (.param .b32 r) g(\n\t.param .b64 a,\n\t.param .b64 b\n);\n"},
      {".extern .func g (\n)\n;", ".extern .func g();\n"},
      {".extern .func g() .noreturn ;", ".extern .func g()\n.noreturn;\n"},
      {".visible .entry k(\n.param .u64 a)\n.maxntid 1,2 .minnctapersm 1{ret;}",
       ".visible .entry k(.param .u64 a)\n.maxntid 1, 2\n.minnctapersm 1\n{\n\tret;\n}\n"},
      {".func f(){ret;}.func g(){ret;}", ".func f()\n{\n\tret;\n}\n\n.func g()\n{\n\tret;\n}\n"},
      {".section .debug_str{.b8 1,2,\n3 .b8 4 L:.b32\tL+4}",
       ".section .debug_str\n{\n.b8 1,2,\n3\n.b8 4\nL:\n.b32 L+4\n}\n"},
      {".file\t1   \"a  b\"", ".file 1 \"a  b\"\n"},
      {".alias f ,g;", ".alias f, g;\n"},
      {"\n\n\n.alias f,g;\n\n\n", "\n.alias f, g;\n"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(settled(header + c.before), header + c.after) << c.before;
}

TEST(Format, KeepsComments) {
  const Case cases[] = {
      {"// a\nret;   // b\n     // c\n", "\t// a\n\tret; // b\n\t// c\n"},
      {"/* a */ ret; /* b */ exit;\n", "\t/* a */ ret; /* b */\n\texit;\n"},
      {"/* a\n  b */ret;", "\t/* a\n  b */ ret;\n"},
      {"add.s32 %r1, // a\n  %r2, /* b */ %r3 /* c */ ;", "\tadd.s32 %r1, // a\n\t\t%r2, /* b */ %r3 /* c */;\n"},
      {"call (/* a */), g;", "\tcall (/* a */), g;\n"},
      {"{ // a\n\n\n ret;\n\n // b\n}", "\t{ // a\n\t\tret;\n\n\t\t// b\n\t}\n"},
      {"// a\nL:// b\nret;", "// a\nL: // b\n\tret;\n"},
      {"// begin inline asm\n{ret;}\n// end inline asm\n",
       "\t// begin inline asm\n\t{\n\t\tret;\n\t}\n\t// end inline asm\n"},
      {"//a  \t\nret;", "\t//a\n\tret;\n"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(settled(inBody(c.before)), inBody(c.after)) << c.before;
  EXPECT_EQ(settled(header + ".func f( // a\n.param .b32 x , // b\n .param .b32 y /* c */ ) // d\n{ret;}// e\n\n// f"),
            header +
                ".func f( // a\n\t.param .b32 x, // b\n\t.param .b32 y /* c */\n) // d\n{\n\tret;\n} // e\n\n// f\n");
}

TEST(Format, LeavesLongStatementsOnTheirLines) {
  const std::string name(40, 'a');
  const std::string wide = "call (" + name + "), " + name + ", (" + name;
  EXPECT_EQ(settled(inBody(wide + ",\n x\n, y);")), inBody("\t" + wide + ",\n\t\tx, y);\n"));
  EXPECT_EQ(settled(inBody(wide + ", x, y);")), inBody("\t" + wide + ", x, y);\n"));
  const std::string longName(90, 'a');
  EXPECT_EQ(settled(header + ".func " + longName + "(.param .b32 x){ret;}"),
            header + ".func " + longName + "(\n\t.param .b32 x\n)\n{\n\tret;\n}\n");
}

TEST(Format, KeepsWhatSurroundsLines) {
  const std::string text = header + ".func f(){ret;}";
  EXPECT_EQ(settled("\xEF\xBB\xBF" + text), "\xEF\xBB\xBF" + header + ".func f()\n{\n\tret;\n}\n");
  EXPECT_EQ(settled("\n\r\n" + text + "\n\n"), header + ".func f()\n{\n\tret;\n}\n");
  std::string crlf;
  for (char c : inBody("ret;//\xFF\n"))
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_TRUE(llvm::StringRef(settled(crlf)).contains("{\r\n\tret; //\xFF\r\n}\r\n"));
  EXPECT_EQ(settled(text + std::string(1, '\0')), header + ".func f()\n{\n\tret;\n}\n" + std::string(1, '\0'));
}

TEST(Format, IndentsAsItIsTold) {
  EXPECT_EQ(settled(inBody("{\n\tret;\n}\n"), {.indent = 2}), inBody("  {\n    ret;\n  }\n"));
}

TEST(Format, RefusesWhatItCannotRead) {
  for (const char *broken : {".func f(){ret; ", ".func f(){ret;}}", "/* ", "} .func f(){ret;}",
                             ".func f(){ret  ;mov.u32   %r1,, %tid.x;}", ".func f(){@  %p1  |\n   ret  ;}"})
    EXPECT_EQ(formatted(header + broken, {}), header + broken);
  EXPECT_EQ(settled(inBody("trap\n exit;\n")), inBody("\ttrap\n\t\texit;\n"));
  const std::unique_ptr<SourceBuffer> source = SourceBuffer::fromText("", header + ".func f()\n{\n  ret;\n}\n}\n");
  const Formatting refused = formattingOf(*source, {});
  EXPECT_EQ(refused.refusal, "unexpected `}`");
  EXPECT_EQ(source->lineColumn(refused.place.begin).line, 8u);
  EXPECT_TRUE(refused.changes.empty());
  for (const char *foreign : {"int  main(){}", "", "\x7f\x45LF.version 8.0", "add.s32  a, b, c;"})
    EXPECT_EQ(formatted(foreign, {}), foreign);
}

TEST(Format, ObeysComments) {
  EXPECT_EQ(settled(inBody("  ret;\n // ptxray: fmt off\n  add.s32   a,b,\n  c;\n // ptxray: fmt on \n  ret;\n")),
            inBody("\tret;\n // ptxray: fmt off\n  add.s32   a,b,\n  c;\n // ptxray: fmt on \n\tret;\n"));
  EXPECT_EQ(settled(inBody("  ret;\n // ptxray: fmt off\n  ret ;\n")),
            inBody("\tret;\n // ptxray: fmt off\n  ret ;\n"));
  // A line with a suppression comment is neither divided nor joined.
  EXPECT_EQ(settled(inBody("L:  ret; ret ; // ptxray: ignore unused-label\nret; ret;\n")),
            inBody("L: ret; ret; // ptxray: ignore unused-label\n\tret;\n\tret;\n"));
  EXPECT_EQ(settled(inBody("// ptxray: ignore unused-label\n\nL:  ret;\nM: ret;\n")),
            inBody("// ptxray: ignore unused-label\n\nL: ret;\nM:\n\tret;\n"));
}

TEST(Format, KeepsLinesThatAMarkerNumbers) {
  EXPECT_EQ(settled(inBody("ret;ret;\n  # 7 \"a.cu\"\nret;ret;\n\n\n\nadd.s32 a,\nb, c;\n")),
            inBody("\tret;\n\tret;\n# 7 \"a.cu\"\n\tret; ret;\n\n\n\n\tadd.s32 a,\n\t\tb, c;\n"));
}

TEST(Format, FormatsLines) {
  const std::string text = inBody("ret  ;\nret  ;\nadd.s32  a,\nb ,c;\nret  ;\n");
  EXPECT_EQ(formatted(text, {}, {7, 8}), inBody("ret  ;\n\tret;\n\tadd.s32 a, b, c;\nret  ;\n"));
  EXPECT_EQ(formatted(text, {}, {100, 200}), text);
  EXPECT_EQ(formatted(text, {}, {1, 6}), inBody("\tret;\nret  ;\nadd.s32  a,\nb ,c;\nret  ;\n"));
}

TEST(Format, GivesEditsOfWhiteSpaceAlone) {
  const std::string text = inBody("\tret;\n  ret;\n");
  const std::unique_ptr<SourceBuffer> source = SourceBuffer::fromText("", text);
  const std::vector<Edit> edits = editsOf(formattingOf(*source, {}), text, {});
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(text.substr(edits[0].range.begin, edits[0].range.size()), "\n  ");
  EXPECT_EQ(edits[0].text.str(), "\n\t");
}

TEST(Format, TakesTimeAndMemoryByTheSizeOfTheText) {
  const size_t count = 100'000;
  std::string deep, wide = ".global .b8 x[] = {";
  for (size_t i = 0; i < count; ++i)
    deep += "{", wide += "1,";
  deep += std::string(count, '}');
  EXPECT_LT(formatted(inBody(deep), {}).size(), 150 * count);
  settled(header + wide + "1};");
  settled(header + ".target " + llvm::join(std::vector<std::string>(count, "a"), ","));
  formatted(inBody(std::string(count, '(')), {});
  formatted(inBody(std::string(count, '"')), {});
  formatted(header + std::string(count, '/'), {});
}

} // namespace
