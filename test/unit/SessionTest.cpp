// Tests that data which a session keeps from text to text is found again, and that its size is bounded.
#include "Check/Session.h"
#include "Check/Suppressions.h"
#include <functional>
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

std::string kernel(const std::string &body) {
  return ".version 8.6\n.target sm_80\n.visible .entry k()\n{\n\t.reg .b32 %r<9>;\n" + body + "\tret;\n}\n";
}

size_t findings(const std::string &text, Session &session) {
  const auto source = SourceBuffer::fromText("", text);
  return wantedOf(checkModule(*source, CheckOptions(), session), *source, CheckOptions()).size();
}

TEST(Session, KeepsWhatItHasJudged) {
  Session session;
  auto check = [&](const std::string &text) { return findings(text, session); };
  EXPECT_EQ(check(kernel("\tadd.s32 %r1, %r2, %r3;\n")), 0u);
  const size_t verdicts = session.knowledge.size(), spellings = session.parser.spellings();
  EXPECT_EQ(check(kernel("\tadd.s32 %r4, %r5, %r6;\n")), 0u);
  EXPECT_EQ(session.knowledge.size(), verdicts);
  EXPECT_EQ(session.parser.spellings(), spellings);
  EXPECT_EQ(check(kernel("\tadd.s33 %r4, %r5, %r6;\n")), 1u);
  EXPECT_EQ(session.knowledge.size(), verdicts + 1);
}

/// Reads many texts, each with something that no other text has.
void expectBounded(size_t texts, std::function<std::string(size_t)> body) {
  Session session;
  size_t mostSpellings = 0, mostVerdicts = 0, dropped = 0;
  for (size_t i = 0; i < texts; ++i) {
    const size_t before = session.knowledge.size();
    EXPECT_GT(findings(kernel(body(i)), session), 0u);
    dropped += session.knowledge.size() < before;
    mostSpellings = std::max(mostSpellings, session.parser.spelledBytes());
    mostVerdicts = std::max(mostVerdicts, session.knowledge.size());
  }
  EXPECT_GT(dropped, 0u);
  EXPECT_LE(mostVerdicts, 1u << 15);
  EXPECT_LE(mostSpellings, 1u << 20);
}

TEST(Session, ForgetsWhatIsTooMuch) {
  expectBounded(200, [](size_t i) { // spellings
    std::string body;
    for (int k = 0; k < 100; ++k)
      body += "\tadd.x" + std::to_string(i * 100 + k) + " %r1, %r2, %r3;\n";
    return body;
  });
  expectBounded(20, [](size_t i) { return "\tadd.x" + std::string(60'000 + i, 'x') + " %r1, %r2, %r3;\n"; });
  expectBounded(2, [](size_t i) { return std::string(5'000'000 * i, ' ') + "\tadd.x %r1, %r2, %r3;\n"; });
}

} // namespace
