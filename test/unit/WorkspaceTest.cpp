#include "Workspace/Baseline.h"
#include "Workspace/Config.h"
#include "Workspace/Fixes.h"
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

Diagnostic at(uint32_t begin, uint32_t end, std::string replacement, bool safe) {
  Diagnostic d;
  d.id = DiagId::ExtraToken;
  d.range = {begin, end};
  d.fix = Fix{"", {{{begin, end}, std::move(replacement)}}, safe};
  return d;
}

DiagnosticList two() {
  DiagnosticList list;
  list.push_back(at(0, 3, "one", true));
  list.push_back(at(8, 11, "three", false));
  return list;
}

TEST(Workspace, MakesFixesThatAreSafe) {
  unsigned made = 0;
  EXPECT_EQ(applyFixes("aaa bbb ccc", two(), false, made), "one bbb ccc");
  EXPECT_EQ(made, 1u);
  made = 0;
  EXPECT_EQ(applyFixes("aaa bbb ccc", two(), true, made), "one bbb three");
  EXPECT_EQ(made, 2u);
}

TEST(Workspace, MakesOneOfFixesThatOverlap) {
  DiagnosticList list;
  list.push_back(at(0, 5, "x", true));
  list.push_back(at(3, 7, "y", true));
  unsigned made = 0;
  EXPECT_EQ(applyFixes("aaa bbb ccc", list, false, made), "xbb ccc");
  EXPECT_EQ(made, 1u);
}

TEST(Workspace, ReadsConfiguration) {
  Settings settings;
  EXPECT_EQ(readConfiguration(settings, "# about\ntarget = sm_90a  # why\n\nwerror = yes\nindent = 4"), "");
  EXPECT_EQ(settings.check.target, "sm_90a");
  EXPECT_TRUE(settings.check.werror);
  EXPECT_EQ(settings.format.indent, 4u);
  EXPECT_EQ(readConfiguration(settings, "indent = tab"), "");
  EXPECT_EQ(settings.format.indent, 0u);
  EXPECT_EQ(readConfiguration(settings, "\npedantic\n"), "2: `NAME = VALUE` expected");
  EXPECT_EQ(readConfiguration(settings, "werror = perhaps"), "1: `werror` is yes or no, not `perhaps`");
  EXPECT_EQ(readConfiguration(settings, "indent = 0"),
            "1: `indent` is `tab` or a number of blanks from 1 to 16, not `0`");
}

TEST(Workspace, TakesAwayWhatABaselineLists) {
  auto report = [] {
    FileReport report;
    report.path = "/folder/file.ptx";
    report.source = SourceBuffer::fromText("file.ptx", "aaa bbb ccc");
    report.diagnostics = two();
    return report;
  };
  Baseline first("/folder/baseline");
  FileReport whole = report();
  first.accept(whole);
  EXPECT_NE(first.text().find("\nfile.ptx\textra-token\t"), std::string::npos) << first.text();

  Baseline second("/folder/baseline");
  EXPECT_EQ(second.apply(whole), 0u);
  second.read(first.text());
  EXPECT_EQ(second.apply(whole), 2u);
  EXPECT_TRUE(whole.diagnostics.empty());

  Baseline elsewhere("/other/baseline");
  elsewhere.read(first.text());
  FileReport again = report();
  EXPECT_EQ(elsewhere.apply(again), 0u);
}

} // namespace
