// Tests which bodies are skipped when an edit did not touch them. Whole sessions (`test/lsp/sessions.py`) test that the
// reports remain those of a check from scratch.
#include "Check/Reuse.h"
#include "Check/Checker.h"
#include "Check/Session.h"
#include "Check/Suppressions.h"
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

class ReuseTest : public testing::Test {
protected:
  std::string text =
      ".version 8.6\n.target sm_80\n"
      ".func quiet()\n{\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, 0;\n\tret;\n}\n"
      ".visible .entry first()\n{\n\t.reg .b32 %r<9>;\n\tadd.u32 %r1, %r2, 1;\n\tcall quiet;\n\tret;\n}\n"
      ".visible .entry second()\n{\n\t.reg .b32 %r<9>;\n\tadd.u32 %r1, %r3, 1;\n\tret;\n}\n";
  Session session;
  std::vector<KnownItem> known;

  void SetUp() override { check({}); }

  static std::string shown(const DiagnosticList &findings) {
    std::string out;
    for (const Diagnostic &d : findings)
      out += std::to_string(d.range.begin) + " " + d.message() + "\n";
    return out;
  }
  void check(const Reuse &plan) {
    const auto source = SourceBuffer::fromText("", text);
    RecheckedText checked = recheckModule(*source, CheckOptions(), session, plan);
    known = std::move(checked.items);
    const DiagnosticList found = wantedOf(std::move(checked.text), *source, CheckOptions());
    EXPECT_EQ(shown(found), shown(findingsIn(*source)));
  }
  size_t bodies() const { return Reuse{known}.bodies().size(); }
  /// Replaces a text and returns how many bodies are skipped.
  size_t replace(const std::string &old, const std::string &with) {
    const auto at = static_cast<uint32_t>(text.find(old));
    text.replace(at, old.size(), with);
    const TextChange change{{at, at + static_cast<uint32_t>(old.size())}, static_cast<uint32_t>(with.size())};
    const Reuse plan = planReuse(known, change);
    check(plan);
    return plan.bodies().size();
  }
};

TEST_F(ReuseTest, OnlyTheEditedBodyIsReadAgain) {
  EXPECT_EQ(bodies(), 3u);
  EXPECT_EQ(replace("add.u32 %r1, %r2, 1;", "add.u32 %r1, %r5, 1000;"), 2u);
  EXPECT_EQ(replace("%r3, 1", "%r3, 1 "), 2u);
  EXPECT_EQ(bodies(), 3u);
}

TEST_F(ReuseTest, WhatIsHalfTypedIsReadEachTime) {
  EXPECT_EQ(replace("%r2, 1;", "%r2, ;"), 2u);
  EXPECT_EQ(replace("%r2, ;", "%r2, 7"), 2u);
  EXPECT_EQ(bodies(), 2u);
  EXPECT_EQ(replace("%r2, 7", "%r2, 7;"), 2u);
  EXPECT_EQ(bodies(), 3u);
}

TEST_F(ReuseTest, AnEditOutsideOfBodiesForgetsAll) {
  EXPECT_EQ(replace("sm_80", "sm_90"), 0u);
  EXPECT_EQ(replace("first()", "first(.param .u32 n)"), 0u);
  EXPECT_EQ(bodies(), 3u);
}

TEST_F(ReuseTest, ABodyThatOthersDependOnMakesAllBeReadAgain) {
  EXPECT_EQ(replace("mov.u32 %r1, 0;", "bar.sync 0;"), 2u); // it is not free of findings any more
  EXPECT_EQ(replace("bar.sync 0;", "bar.sync 0; }"), 2u);   // its end has moved
  replace("bar.sync 0; }", "/* bar.sync 0;");
  replace("/* bar.sync 0;", "mov.u32 %r1, 0;");
  EXPECT_EQ(bodies(), 3u);
}

} // namespace
