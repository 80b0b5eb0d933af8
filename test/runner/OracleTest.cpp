// Compares what the lines of test/isa and test/module expect with the verdicts of ptxas. It does
// not run ptxray: that the expectations are what ptxray says is the snippet test's work.
#include "Ptxas.h"
#include "Snippets.h"
#include <gtest/gtest.h>
#include <iostream>

using namespace ptxray::test;

static std::string ptxas;

namespace {

class OracleTest : public testing::Test {
public:
  explicit OracleTest(const TestFile &file) : file(file) {}

  void TestBody() override {
    ASSERT_EQ(file.problem, "");
    for (const Module &module : file.modules) {
      if (module.header.empty())
        judgeWholeFile(module);
      else
        judgeSection(module);
    }
  }

private:
  Expectation expected(unsigned line) { return readExpectation(file.lines[line - 1]); }

  /// An error can hide others, so take away the lines that are refused until none is.
  std::set<unsigned> refusedLines(const Module &section, std::vector<unsigned> lines) {
    std::set<unsigned> refused;
    while (!lines.empty()) {
      const Module module = linesOf(file, section, lines);
      const PtxasVerdict verdict = askPtxas(ptxas, module.text, module.target);
      if (verdict.accepts)
        break;
      std::set<unsigned> now;
      for (unsigned line : verdict.errorLines)
        if (line <= module.origins.size() && module.origins[line - 1] != 0)
          now.insert(module.origins[line - 1]);
      if (now.empty()) {
        ADD_FAILURE_AT(file.path.c_str(), lines.front())
            << "ptxas refuses the section `" << section.header << "` at none of its lines:\n"
            << verdict.output;
        break;
      }
      refused.insert(now.begin(), now.end());
      std::erase_if(lines, [&](unsigned line) { return now.contains(line); });
    }
    return refused;
  }

  /// What ptxas reads, it must not make code of.
  void compileAlone(const Module &section, unsigned line) {
    const Module alone = linesOf(file, section, line);
    if (askPtxas(ptxas, alone.text, alone.target, /*compile=*/true).accepts)
      ADD_FAILURE_AT(file.path.c_str(), line) << file.lines[line - 1] << "\n  ptxas compiles it";
  }

  void judgeSection(const Module &section) {
    std::vector<unsigned> lines;
    for (unsigned origin : section.origins)
      if (origin != 0)
        lines.push_back(origin);
    const std::set<unsigned> refused = refusedLines(section, lines);
    for (unsigned line : lines) {
      if (expected(line).hasCodegenError())
        compileAlone(section, line);
      const bool rejects = expected(line).ptxasRejects();
      if (refused.contains(line) == rejects)
        continue;
      // Other lines may have had a part in it: the line alone decides.
      const Module alone = linesOf(file, section, line);
      const PtxasVerdict verdict = askPtxas(ptxas, alone.text, alone.target);
      if (verdict.accepts == rejects)
        ADD_FAILURE_AT(file.path.c_str(), line)
            << file.lines[line - 1] << "\n  ptxas " << (rejects ? "accepts it" : "rejects it:\n")
            << (rejects ? "" : verdict.output);
    }
  }

  /// ptxas may stop early, so not each line with an error needs to be named; but no other may be.
  void judgeWholeFile(const Module &module) {
    bool rejects = false, doesNotCompile = false;
    for (unsigned line = 1; line <= file.lines.size(); ++line) {
      rejects |= expected(line).ptxasRejects();
      doesNotCompile |= expected(line).hasError();
    }
    const PtxasVerdict verdict = askPtxas(ptxas, module.text, module.target);
    if (module.compiles) {
      const PtxasVerdict compiled = askPtxas(ptxas, module.text, module.target, /*compile=*/true);
      if (compiled.accepts == doesNotCompile)
        ADD_FAILURE_AT(file.path.c_str(), 1)
            << "ptxas " << (doesNotCompile ? "compiles it" : "does not compile it:\n")
            << compiled.output;
    }
    if (verdict.accepts == rejects)
      ADD_FAILURE_AT(file.path.c_str(), 1)
          << "ptxas " << (rejects ? "accepts it" : "rejects it:\n") << verdict.output;
    for (unsigned line : verdict.errorLines)
      if (line > file.lines.size() || !expected(line).ptxasRejects())
        ADD_FAILURE_AT(file.path.c_str(), line) << "ptxas rejects it:\n" << verdict.output;
  }

  const TestFile &file;
};

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  ptxas = findPtxas();
  if (ptxas.empty()) {
    std::cout << "skipped: no ptxas ($PTXRAY_PTXAS, `tools/dev cuda`, PATH)\n";
    return isRequired("ptxas") ? 1 : 77;
  }
  static const std::vector<TestFile> files = findTests(llvm::ArrayRef(argv + 1, argc - 1));
  for (const TestFile &file : files)
    testing::RegisterTest(file.suite.c_str(), file.name.c_str(), nullptr, nullptr,
                          file.path.c_str(), 1,
                          [&file]() -> OracleTest * { return new OracleTest(file); });
  return RUN_ALL_TESTS();
}
