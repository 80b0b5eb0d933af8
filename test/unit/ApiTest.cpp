// Tests the public interface. This file includes no header of lib/.
#include "AddingKernel.h"
#include "ptxray/ptxray.h"
#include <gtest/gtest.h>
#include <thread>

namespace {

std::string module(const std::string &body) {
  return ".version 8.6\n.target sm_80\n.file 1 \"k.cu\"\n.visible .entry k()\n{\n\t.reg .b32 %r<4>;\n" + body +
         "\tret;\n}\n";
}

TEST(Api, GivesAllThatADiagnosticHas) {
  const ptxray::Result result = ptxray::check(module("\t.loc 1 7 3\n\tmov.b32 %r0, %r1\n"));
  EXPECT_EQ(result.ptx, "8.6");
  EXPECT_EQ(result.target, "sm_80");
  ASSERT_EQ(result.diagnostics.size(), 1u);
  const ptxray::Diagnostic &d = result.diagnostics[0];
  EXPECT_EQ(d.rule, "expected-semicolon");
  EXPECT_EQ(d.severity, ptxray::Severity::Error);
  EXPECT_EQ(d.begin.line, 8u);
  EXPECT_EQ(d.begin.column, 18u);
  ASSERT_TRUE(d.fix && d.fix->safe);
  ASSERT_EQ(d.fix->edits.size(), 1u);
  EXPECT_EQ(d.fix->edits[0].text, ";");
  EXPECT_EQ(d.fix->edits[0].begin.offset, d.fix->edits[0].end.offset);
  ASSERT_TRUE(d.origin);
  EXPECT_EQ(d.origin->path, "k.cu");
  EXPECT_EQ(d.origin->line, 7u);
  EXPECT_TRUE(result.hasErrors());
}

TEST(Api, OptionsAreThoseOfTheConfiguration) {
  const std::string text = module("\tmov.b32 %r0, %r9;\n");
  using ptxray::Options;
  EXPECT_TRUE(ptxray::check(text, Options().set("off", "undefined-symbol")).diagnostics.empty());
  EXPECT_FALSE(ptxray::check(text, Options().set("warning", "undefined-symbol")).hasErrors());
  EXPECT_EQ(ptxray::check(text, Options().set("target", "sm_90a")).target, "sm_90a");
  EXPECT_THROW(Options().set("target", "sm_1"), std::invalid_argument);
  EXPECT_THROW(Options().set("off", "no-such-rule"), std::invalid_argument);
  EXPECT_THROW(Options().set("pedantic", "maybe"), std::invalid_argument);
  EXPECT_THROW(Options().set("run", "rm"), std::invalid_argument);
}

TEST(Api, ChecksAssemblyInOtherLanguages) {
  const ptxray::Result cuda = ptxray::check(R"(__device__ void f(int &a) { asm("add.s33 %0, %0, 1;" : "+r"(a)); })",
                                            ptxray::Options().set("language", "cuda"));
  ASSERT_EQ(cuda.diagnostics.size(), 1u);
  EXPECT_EQ(cuda.diagnostics[0].rule, "unknown-qualifier");
  EXPECT_EQ(cuda.diagnostics[0].begin.column, 37u);
  ptxray::Options fragment;
  fragment.set("constraints", "=r,l,~{memory}").set("target", "sm_90a");
  EXPECT_TRUE(ptxray::check("ld.global.u32 $0, [$1];", fragment).diagnostics.empty());
  EXPECT_EQ(ptxray::check("ld.global.u32 $0, [$2];", fragment).diagnostics[0].rule, "inline-operand-index");
  EXPECT_THROW(ptxray::Options().set("language", "cobol"), std::invalid_argument);
}

TEST(Api, TakesAnyText) {
  EXPECT_EQ(ptxray::check("").diagnostics.size(), 1u);
  EXPECT_EQ(ptxray::check({}).diagnostics.size(), 1u);
  EXPECT_TRUE(ptxray::check(std::string_view("\0\xff\x1b", 3)).hasErrors());
  // Nothing is read after the end, where a terminator would be.
  const std::string text = module("");
  const std::vector<char> exact(text.begin(), text.end());
  EXPECT_FALSE(ptxray::check({exact.data(), exact.size()}).hasErrors());
}

TEST(Api, Explains) {
  ASSERT_TRUE(ptxray::explain("vector-length"));
  EXPECT_EQ(ptxray::explain("vector-length")->substr(0, 16), "# vector-length\n");
  EXPECT_FALSE(ptxray::explain("no-such-rule"));
  EXPECT_FALSE(ptxray::version().empty());
}

TEST(Api, Reduces) {
  unsigned tests = 0;
  const auto keepsTheCount = [&](std::string_view text) {
    ++tests;
    return text.find("red.global.add") != std::string_view::npos;
  };
  const std::string less = ptxray::reduce(addingKernel, keepsTheCount);
  EXPECT_NE(less.find("red.global.add.u32 ["), std::string::npos) << less;
  EXPECT_EQ(less.find("mad.wide"), std::string::npos) << less;
  EXPECT_FALSE(ptxray::check(less).hasErrors());
  EXPECT_GT(tests, 3u);
  const auto any = [](std::string_view) { return true; };
  EXPECT_THROW(ptxray::reduce(addingKernel, any, {}, "vector-length"), std::invalid_argument);
  EXPECT_THROW(ptxray::reduce(addingKernel, any, {}, "no-rule"), std::invalid_argument);
  const std::string faulty =
      ptxray::reduce(".version 8.0\n.target sm_80\n.global .u32 g;\n.entry k() {\n  add.u32 1, 2, 3;\n  ret;\n}\n", any,
                     {}, "destination-register");
  EXPECT_EQ(faulty.find(".global"), std::string::npos) << faulty;
}

TEST(Api, SeveralThreadsAtOnce) {
  const ptxray::Options options = std::move(ptxray::Options().set("pedantic", "yes"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([i, &options] {
      const std::string wrong = module("\tmov.b32 %r0, %x" + std::to_string(i) + ";\n");
      for (int round = 0; round < 50; ++round) {
        const ptxray::Result result = ptxray::check(wrong, options);
        ASSERT_EQ(result.diagnostics.size(), 1u);
        EXPECT_NE(result.diagnostics[0].message.find("%x" + std::to_string(i)), std::string::npos);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
