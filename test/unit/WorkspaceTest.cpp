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

static std::string readSettings(llvm::StringRef text, Settings &settings, llvm::StringRef path = "a.ptx") {
  ConfigText config;
  std::string problem = config.read(text, ".ptxray");
  if (problem.empty())
    config.apply(config.sectionsFor(path), settings);
  return problem;
}

TEST(Workspace, ReadsConfiguration) {
  Settings settings;
  EXPECT_EQ(readSettings("# about\ntarget = sm_90a  # why\n\nwerror = yes\nindent = 4", settings), "");
  EXPECT_EQ(settings.check.target, "sm_90a");
  EXPECT_TRUE(settings.check.werror);
  EXPECT_EQ(settings.format.indent, 4u);
  EXPECT_EQ(settings.written.front().origin, ".ptxray:2");
  EXPECT_EQ(readSettings("indent = tab", settings), "");
  EXPECT_EQ(settings.format.indent, 0u);
  EXPECT_EQ(readSettings("\npedantic\n", settings), "2: expected `NAME = VALUE`");
  EXPECT_EQ(readSettings("werror = perhaps", settings), "1: `werror` is yes or no, not `perhaps`");
  EXPECT_EQ(readSettings("indent = 0", settings),
            "1: `indent` must be `tab` or a number of spaces from 1 to 16, not `0`");
  EXPECT_EQ(readSettings("[a.ptx", settings), "1: expected `]` at the end of the line");
  EXPECT_EQ(readSettings("[a.ptx]\nexclude = b", settings), "2: `exclude` is only allowed above the first `[`...`]`");
}

TEST(Workspace, ReadsSectionsForSomeFiles) {
  const llvm::StringRef text = "arch = sm_80\n[vendor, old/*.ptx]\narch = sm_90\n[*.ptx]\nwerror = yes\n";
  for (const auto &[path, arch] : {std::pair{"a.ptx", "sm_80"},
                                   {"vendor/a.ptx", "sm_90"},
                                   {"deep/vendor/x/a.ptx", "sm_90"},
                                   {"vendor.ptx", "sm_80"},
                                   {"old/a.ptx", "sm_90"},
                                   {"deep/old/a.ptx", "sm_80"}}) {
    Settings settings;
    EXPECT_EQ(readSettings(text, settings, path), "");
    EXPECT_EQ(settings.check.arch, arch) << path;
    EXPECT_TRUE(settings.check.werror) << path;
  }
}

TEST(Workspace, CountsEntriesOfABaselineThatMatchNothing) {
  FileReport report;
  report.path = "/folder/file.ptx";
  report.source = SourceBuffer::fromText("file.ptx", "aaa bbb ccc");
  report.diagnostics = two();
  Baseline first("/folder/baseline"), second("/folder/baseline");
  first.accept(report);
  second.read(first.text() + "gone.ptx\textra-token\t1\nfile.ptx\textra-token\t2\n");
  EXPECT_EQ(second.countDead(), 4u) << "the files are not there";
  EXPECT_EQ(second.apply(report), 2u);
  EXPECT_EQ(second.countDead(), 2u);
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
