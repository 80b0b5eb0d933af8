#include "Render/Render.h"
#include "Source/Origin.h"
#include "nlohmann/json.hpp"
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

FileReport reportOn(llvm::StringRef text) {
  FileReport report;
  report.path = "k.ptx";
  report.source = SourceBuffer::fromText("k.ptx", text);
  return report;
}

Diagnostic &add(FileReport &report, Range range, std::string path = "p", std::string reason = "r") {
  Diagnostic &d = report.diagnostics.emplace_back();
  d.id = DiagId::UnreadableInput;
  d.severity = Severity::Error;
  d.range = range;
  d.args = {path, reason};
  return d;
}

std::string text(const FileReport &report, RenderOptions options = {}) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  renderText(report, options, stream);
  return out;
}

nlohmann::json json(const FileReport &report) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  renderJson(report, {}, stream);
  return nlohmann::json::parse(out);
}

TEST(Text, CaretNotesFixAndManual) {
  FileReport report = reportOn("first\nadd.s32 a, b;\n");
  Diagnostic &d = add(report, {9, 13});
  d.notes.push_back({"declared here", Range{0, 5}});
  d.notes.push_back({"the form is `x`", std::nullopt});
  d.fix = Fix{"write `.u32`", {{{9, 13}, ".u32"}}};
  d.spec = {"9.7.1.1", "integer/add.isa", 7};
  EXPECT_EQ(text(report), "k.ptx:2:4: error: cannot read `p`: r [unreadable-input]\n"
                          "    2 | add.s32 a, b;\n"
                          "      |    ^~~~\n"
                          "      |    .u32\n"
                          "      note: the form is `x`\n"
                          "      guess: write `.u32`\n"
                          "      see: manual 9.7.1.1 of PTX 9.0, integer/add.isa:7\n"
                          "k.ptx:1:1: note: declared here\n"
                          "    1 | first\n"
                          "      | ^~~~~\n");
}

TEST(Json, LinksIntoTheManual) {
  FileReport report = reportOn("x");
  add(report, {0, 1}).spec = {"9.7.14.5.15, 9.7.1", "matrix/ldmatrix.isa", 7};
  add(report, {0, 1}).spec = {"1.2.3", "later.isa", 7};
  const nlohmann::json found = json(report)["diagnostics"];
  EXPECT_EQ(
      found[0]["manualLink"]["url"],
      "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#warp-level-matrix-instructions-ldmatrix");
  EXPECT_EQ(found[0]["manualLink"]["version"], "9.0");
  EXPECT_FALSE(found[1].contains("manualLink"));
}

TEST(Text, TabsAndStrangeBytesKeepTheCaretInPlace) {
  FileReport report = reportOn("\tx\x1b\xc3\xa9\xff y;");
  add(report, {7, 8});
  EXPECT_EQ(text(report), "k.ptx:1:8: error: cannot read `p`: r [unreadable-input]\n"
                          "    1 |         x<U+001B>\xc3\xa9<FF> y;\n"
                          "      |                        ^\n");
}

TEST(Text, PlacesAtTheEnd) {
  for (llvm::StringRef source : {"", "ab", "ab\n"}) {
    FileReport report = reportOn(source);
    const uint32_t end = source.size();
    add(report, {end, end});
    EXPECT_NE(text(report).find("^"), std::string::npos);
  }
}

TEST(Text, LongLinesAreCut) {
  std::string line(1000000, 'a');
  line.replace(500000, 3, "BAD");
  FileReport report = reportOn(line);
  add(report, {500000, 500003});
  const std::string out = text(report);
  EXPECT_LT(out.size(), 400u);
  EXPECT_NE(out.find("..." + std::string(40, 'a') + "BAD"), std::string::npos);
  EXPECT_NE(out.find("|" + std::string(44, ' ') + "^~~\n"), std::string::npos);
}

TEST(Text, AlikeDiagnosticsFold) {
  FileReport report = reportOn("1\n2\n3\n4\n5\n");
  for (uint32_t i = 0; i < 5; ++i)
    add(report, {2 * i, 2 * i + 1}, "%r" + std::to_string(i));
  EXPECT_EQ(text(report), "k.ptx:1:1: error: cannot read `%r0`: r [unreadable-input]\n"
                          "    1 | 1\n"
                          "      | ^\n"
                          "      and 4 more like it, in lines 2, 3, 4, 5 (--no-fold shows all)\n");
  EXPECT_EQ(llvm::StringRef(text(report, {.fold = false})).count("error:"), 5u);
  report.diagnostics.resize(3);
  EXPECT_EQ(llvm::StringRef(text(report)).count("error:"), 3u);
}

TEST(Text, ColorOnlyWhenAsked) {
  FileReport report = reportOn("x");
  add(report, {0, 1});
  EXPECT_EQ(text(report).find('\033'), std::string::npos);
  EXPECT_NE(text(report, {.color = true}).find("\033[1;31merror:"), std::string::npos);
}

TEST(Json, ValidForAnyBytes) {
  FileReport report = reportOn(llvm::StringRef("a\0\xff", 3));
  report.path = "dir/\xfe\"\n.ptx";
  add(report, {2, 3}, std::string("\xff\0\x1b", 3));
  const nlohmann::json file = json(report);
  EXPECT_EQ(file["path"], "dir/\xEF\xBF\xBD\"\n.ptx");
  EXPECT_EQ(file["diagnostics"][0]["range"]["start"]["offset"], 2);
  EXPECT_EQ(file["diagnostics"][0]["range"]["end"]["column"], 4);
  EXPECT_EQ(file["diagnostics"][0]["args"]["reason"], "r");
  EXPECT_TRUE(file["target"].is_null());
}

TEST(Origin, LocAndLineMarkers) {
  const llvm::StringRef source = "a\n"
                                 "{\n"
                                 "/* .loc 1 1 1 */ // .loc 1 2 1\n"
                                 ".loc 1 30 5\n"
                                 "b {x, y};\n"
                                 "\t.loc\t2 40 5, function_name $L, inlined_at 1 9 1\n"
                                 "c\n"
                                 "}\n"
                                 "d\n"
                                 ".file 1 \"x.cu\"\n"
                                 ".file\t2 \"y.cuh\", 1, 2\n"
                                 "# 100 \"z.py\"\n"
                                 "e\n"
                                 "f\n";
  auto buffer = SourceBuffer::fromText("k.ptx", source);
  OriginTable origins(*buffer);
  auto at = [&](llvm::StringRef needle) {
    std::optional<Origin> origin = origins.at(source.find(needle));
    return origin ? origin->path + ":" + std::to_string(origin->line) : "";
  };
  EXPECT_EQ(at("a\n"), "");
  EXPECT_EQ(at("b {"), "x.cu:30");
  EXPECT_EQ(at("c\n"), "y.cuh:40");
  EXPECT_EQ(at("d\n"), "");
  EXPECT_EQ(at("e\n"), "z.py:100");
  EXPECT_EQ(at("f\n"), "z.py:101");
}

TEST(Diagnostics, MessagesNameTheirArguments) {
  const auto arguments = argumentsOf(DiagId::UnreadableInput);
  ASSERT_EQ(arguments.size(), 2u);
  EXPECT_EQ(arguments[0].name, "path");
  EXPECT_EQ(arguments[1].name, "reason");
  EXPECT_EQ(findDiag("unreadable-input"), DiagId::UnreadableInput);
  EXPECT_EQ(findDiag("unknown"), std::nullopt);
}

} // namespace
