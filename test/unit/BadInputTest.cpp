// Tests text that no one would write. It must give a clear report quickly, whatever its size.
#include "Check/Checker.h"
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

std::string repeat(llvm::StringRef piece, size_t count) {
  std::string out;
  out.reserve(piece.size() * count);
  while (count--)
    out += piece;
  return out;
}

/// Returns the ids of the findings, each once, in order.
std::string rulesOf(const std::string &text) {
  const auto source = SourceBuffer::fromText("k.ptx", text);
  std::string ids;
  for (const Diagnostic &d : findingsIn(*source))
    if (const std::string id = d.ruleText(); !llvm::StringRef(ids).ends_with(id))
      ids += (ids.empty() ? "" : " ") + id;
  return ids;
}

constexpr char head[] = ".version 9.0\n.target sm_90\n.address_size 64\n";

std::string inKernel(const std::string &line) {
  return head + std::string(".visible .entry k()\n{\n.reg .b32 %r<9>;\n") + line + "\nret;\n}\n";
}

std::string moved(const std::string &value) { return inKernel("mov.b32 %r1, " + value + ";"); }

TEST(BadInput, NestingIsCounted) {
  constexpr size_t many = 100000;
  EXPECT_EQ(rulesOf(inKernel(repeat("{", many) + repeat("}", many))), "nesting-too-deep");
  EXPECT_EQ(rulesOf(moved(repeat("(", many) + "1" + repeat(")", many))), "nesting-too-deep");
  EXPECT_EQ(rulesOf(moved(repeat("-", many) + "1")), "nesting-too-deep");
  EXPECT_EQ(rulesOf(moved(repeat("1 ? ", many) + "1" + repeat(" : 1", many))), "nesting-too-deep");
  EXPECT_EQ(rulesOf(head + (".global .b32 x[1] = " + repeat("{", many))), "nesting-too-deep");
  EXPECT_EQ(rulesOf(moved(repeat("{", many) + "%r2" + repeat("}", many))), "syntax-error");
  EXPECT_EQ(rulesOf(inKernel("ld.global.b32 %r1, " + repeat("[", many) + "1" + repeat("]", many) + ";")),
            "syntax-error");
}

TEST(BadInput, NulWhereverItIs) {
  const std::string nul(1, '\0');
  for (const std::string &end : {"// x " + nul + " y\n", "/* x " + nul + " y */\n", "// a" + nul + "\n", "// a" + nul,
                                 ".file 1 \"a" + nul + "b\"\n"})
    EXPECT_EQ(rulesOf(inKernel("") + end + ".entry j() { ret; }\n"), "stray-character");
  EXPECT_EQ(rulesOf(inKernel("")), "");
}

TEST(BadInput, EndlessInstructions) {
  constexpr size_t many = 300000;
  EXPECT_EQ(rulesOf(inKernel("add" + repeat(".s32", many) + " %r1, %r2, %r3;")), "repeated-qualifier:type");
  EXPECT_EQ(rulesOf(inKernel("add.s32 " + repeat("%r1, ", many) + "%r2;")), "extra-operand");
  EXPECT_EQ(rulesOf(inKernel("mov.b32 %r1, {" + repeat("%r1, ", many) + "%r2};")), "extra-operand");
  EXPECT_EQ(rulesOf(inKernel("call (%r1), f, (" + repeat("%r1, ", many) + "%r2);")), "extra-operand");
}

TEST(BadInput, DeepIsFineWhereItIsForPtxas) {
  EXPECT_EQ(rulesOf(inKernel(repeat("{\n", 1662) + repeat("}\n", 1662))), "");
  EXPECT_EQ(rulesOf(moved(repeat("(", 9000) + "1" + repeat(")", 9000))), "");
  EXPECT_EQ(rulesOf(moved(repeat("-", 4900) + "1")), "");
}

TEST(BadInput, BracketAtTheBeginning) {
  EXPECT_EQ(rulesOf(".a[1]"), "syntax-error missing-version");
  EXPECT_EQ(rulesOf("[1]"), "syntax-error missing-version");
  EXPECT_EQ(rulesOf(".[1]"), "stray-character missing-version");
  EXPECT_EQ(rulesOf(".const[1]"), "syntax-error missing-version");
}

TEST(BadInput, TerminatorOfACString) {
  const std::string text = inKernel("");
  EXPECT_EQ(rulesOf(text + std::string(1, '\0')), "stray-character");
  EXPECT_EQ(rulesOf(text + std::string(3, '\0')), "stray-character");
  EXPECT_EQ(rulesOf(text + std::string(1, '\0') + "// on"), "stray-character");
}

TEST(BadInput, DottedCallIsNoName) {
  EXPECT_EQ(rulesOf(inKernel("call.uni: ret;")), "syntax-error");
  EXPECT_NE(rulesOf(inKernel("kernel call.uni never_called, (n);")), "");
}

TEST(BadInput, NoTarget) {
  EXPECT_EQ(rulesOf(".version 8.6\n.entry k()\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p;\n"
                    "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, %p;\nret;\n}\n"),
            "missing-target undefined-value");
}

TEST(BadInput, LongLines) {
  EXPECT_EQ(rulesOf(moved(repeat("1+", 500000) + "1")), "");
  EXPECT_EQ(rulesOf(inKernel("//" + repeat("x", 1000000))), "");
  EXPECT_EQ(rulesOf(inKernel(repeat("x", 1000000) + ";")), "unknown-instruction");
}

TEST(BadInput, BytesThatAreNoText) {
  EXPECT_EQ(rulesOf(""), "missing-version");
  EXPECT_EQ(rulesOf("\xef\xbb\xbf" + inKernel("")), "non-ascii-character");
  EXPECT_EQ(rulesOf(inKernel("// \xe9 \xff\xfe")), "");
  EXPECT_EQ(rulesOf(moved(std::string("\0 1", 3))), "stray-character");
  std::string crlf;
  for (char c : inKernel("bar.sync 0;"))
    crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(rulesOf(crlf), "");
  std::string garbage;
  for (unsigned i = 0; i < 200000; ++i)
    garbage += static_cast<char>(i * 7919 + i / 3);
  EXPECT_NE(rulesOf(garbage), "");
}

} // namespace
