// Tests that the findings are the same whether the numbers of debugging sections are kept or skipped.
#include "Check/CheckModule.h"
#include "Check/Checker.h"
#include "Read/ReadModule.h"
#include <gtest/gtest.h>
#include <random>

using namespace ptxray;

namespace {

std::string shown(const DiagnosticList &findings) {
  std::string text;
  for (const Diagnostic &d : findings)
    text += std::to_string(d.range.begin) + ' ' + std::to_string(d.range.end) + ' ' + d.message() + '\n';
  return text;
}

TEST(Section, PlainNumbersAreReadPast) {
  const char *const lines[] = {".b8 1",
                               "\t.b8\t255\t// note",
                               ".b8 256 // ptxray: ignore section-data",
                               ".b8 256",
                               ".b8 1, 2",
                               ".b8 1 , 300",
                               ".b8 -1",
                               ".b8 017",
                               ".b8 0x1",
                               ".b8 7U",
                               ".b16 65535",
                               ".b16 70000",
                               ".b64 .debug_loc",
                               ".b8 2 // ptxray: ignore section-data",
                               ".b8 3 /* note */",
                               ".b8 4 // note\n  , 5",
                               ".b8 6 // note\n, 400",
                               ".b24 1",
                               ".b8 1 .b8 2 .b8 500",
                               ".b8 x",
                               ".b8 1, x",
                               ".b8 99999999999",
                               "$l:",
                               ".b8 1.5",
                               ".b8"};
  std::mt19937 random(28);
  size_t found = 0, silent = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = ".version 8.6\n.target sm_80\n.address_size 64\n.section .debug_info\n{\n";
    const size_t most = i % 2 ? 21 : std::size(lines); // half of the texts have no syntax errors
    for (int k = 0; k < 12; ++k)
      text += std::string(random() % 3 ? ".b8 9 // plain" : lines[random() % most]) + '\n';
    text += "}\n";
    const auto source = SourceBuffer::fromText("", text);
    const DiagnosticList streamed = findingsIn(*source);
    const DiagnosticList kept = checkAgain(readModule(*source), CheckOptions(), everywhere);
    ASSERT_EQ(shown(streamed), shown(kept)) << text;
    found += streamed.size();
    silent += streamed.empty();
  }
  EXPECT_GT(found, 1000u);
  EXPECT_GT(silent, 10u);
}

} // namespace
