// Compares the expectations of test/isa and test/module with the verdicts of ptxas. It does not run ptxray: the snippet
// test compares the expectations with ptxray.
#include "Ptxas.h"
#include "Samples.h"
#include <cstdlib>
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

  /// Reports a line for which ptxas generates code although it was only asked to read it.
  void compileAlone(const Module &section, unsigned line) {
    if (askPtxas(ptxas, linesOf(file, section, line), /*compile=*/true).accepts)
      ADD_FAILURE_AT(file.path.c_str(), line) << file.lines[line - 1] << "\n  ptxas compiles it";
  }

  void judgeSection(const Module &section) {
    const std::set<unsigned> refused = askLines(ptxas, file, section);
    for (unsigned line : linesIn(section)) {
      if (expected(line).hasCodegenError())
        compileAlone(section, line);
      const bool rejects = expected(line).ptxasRejects();
      if (refused.contains(line) == rejects)
        continue;
      const PtxasVerdict verdict = askPtxas(ptxas, linesOf(file, section, line));
      if (verdict.accepts == rejects)
        ADD_FAILURE_AT(file.path.c_str(), line)
            << file.lines[line - 1] << "\n  ptxas " << (rejects ? "accepts it" : "rejects it:\n")
            << (rejects ? "" : verdict.output);
    }
  }

  /// ptxas may stop early, so not every line with an error must be named. But no other line may be named.
  void judgeWholeFile(const Module &module) {
    bool rejects = false, doesNotCompile = false;
    for (unsigned line = 1; line <= file.lines.size(); ++line) {
      rejects |= expected(line).ptxasRejects();
      doesNotCompile |= expected(line).hasError();
    }
    const PtxasVerdict verdict = askPtxas(ptxas, module);
    if (module.compiles) {
      const PtxasVerdict compiled = askPtxas(ptxas, module, /*compile=*/true);
      if (compiled.accepts == doesNotCompile)
        ADD_FAILURE_AT(file.path.c_str(), 1)
            << "ptxas " << (doesNotCompile ? "compiles it" : "does not compile it:\n") << compiled.output;
    }
    if (verdict.accepts == rejects)
      ADD_FAILURE_AT(file.path.c_str(), 1) << "ptxas " << (rejects ? "accepts it" : "rejects it:\n") << verdict.output;
    for (unsigned line : verdict.errorLines)
      if (line > file.lines.size() || !expected(line).ptxasRejects())
        ADD_FAILURE_AT(file.path.c_str(), line) << "ptxas rejects it:\n" << verdict.output;
  }

  const TestFile &file;
};

/// Compares the marks of test/samples with ptxas. PTXRAY_BLESS=1 writes the verdicts of ptxas into the files.
class SampleOracleTest : public testing::Test {
public:
  explicit SampleOracleTest(SampleFile &samples) : samples(samples) {}

  void TestBody() override {
    const TestFile &file = samples.file;
    ASSERT_EQ(file.problem, "");
    const bool bless = std::getenv("PTXRAY_BLESS");
    for (const Module &section : file.modules) {
      const std::set<unsigned> refused = askLines(ptxas, file, section);
      for (unsigned line : linesIn(section)) {
        char &mark = samples.marks[line - 1];
        if (mark == (refused.contains(line) ? '-' : '+'))
          continue;
        const char verdict = askPtxas(ptxas, linesOf(file, section, line)).accepts ? '+' : '-';
        if (bless)
          mark = verdict;
        else if (mark != verdict)
          ADD_FAILURE_AT(file.path.c_str(), line) << file.lines[line - 1] << "\n  ptxas says " << verdict;
      }
    }
    if (bless)
      writeSamples(samples);
  }

private:
  SampleFile &samples;
};

} // namespace

/// Usage: `oracle-tests [FILE...]` compares test/isa and test/module; `oracle-tests --samples [FILE...]` compares
/// test/samples.
int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  ptxas = findPtxas();
  if (ptxas.empty())
    return statusWithoutPtxas();
  const llvm::ArrayRef<char *> arguments(argv + 1, argc - 1);
  if (!arguments.empty() && arguments.front() == llvm::StringRef("--samples")) {
    static std::vector<SampleFile> samples = findSamples(arguments.drop_front());
    for (SampleFile &one : samples)
      testing::RegisterTest("samples", one.file.name.c_str(), nullptr, nullptr, one.file.path.c_str(), 1,
                            [&one]() -> SampleOracleTest * { return new SampleOracleTest(one); });
    return RUN_ALL_TESTS();
  }
  static const std::vector<TestFile> files = findTests(arguments);
  for (const TestFile &file : files)
    testing::RegisterTest(file.suite.c_str(), file.name.c_str(), nullptr, nullptr, file.path.c_str(), 1,
                          [&file]() -> OracleTest * { return new OracleTest(file); });
  return RUN_ALL_TESTS();
}
