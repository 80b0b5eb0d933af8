// Checks the lines of test/samples. The verdict must be that of ptxas, except on lines whose note explains the
// difference. PTXRAY_BLESS=1 removes notes that are no longer true.
#include "Check/Checker.h"
#include "Samples.h"
#include "Source/SourceBuffer.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace ptxray;
using namespace ptxray::test;

namespace {

/// The complete families: they have hardly any notes, and none on a line that ptxas accepts.
constexpr llvm::StringLiteral completeFamilies[] = {"ldmatrix", "tcgen05", "video", "stack_misc"};

class SampleTest : public testing::Test {
public:
  explicit SampleTest(SampleFile &samples) : samples(samples), file(samples.file) {}

  void TestBody() override {
    ASSERT_EQ(file.problem, "");
    unsigned count = 0, agreed = 0;
    bool changed = false;
    for (const Module &section : file.modules) {
      const std::set<unsigned> refused = refusedLines(section);
      for (unsigned line : section.origins) {
        if (line == 0)
          continue;
        std::string &text = file.lines[line - 1];
        const char mark = samples.marks[line - 1];
        if (mark != '+' && mark != '-') {
          ADD_FAILURE_AT(file.path.c_str(), line) << text << "\n  has no verdict: `tools/samples.py judge`";
          continue;
        }
        bool agrees = refused.contains(line) == (mark == '-');
        if (!agrees) // an error may cause others after it
          agrees = refusedLines(linesOf(file, section, {line})).contains(line) == (mark == '-');
        ++count;
        agreed += agrees;
        const bool known = !knownReason(text).empty();
        if (agrees && known && std::getenv("PTXRAY_BLESS")) {
          text = llvm::StringRef(text).split("// known: ").first.rtrim().str();
          changed = true;
        } else if (agrees == known) {
          ADD_FAILURE_AT(file.path.c_str(), line) << section.header << ": " << text
                                                  << (known           ? "\n  agrees with ptxas: take the note away"
                                                      : (mark == '-') ? "\n  ptxas refuses it"
                                                                      : "\n  ptxas takes it");
        }
        if (!agrees && mark == '+' && llvm::is_contained(completeFamilies, file.name))
          ADD_FAILURE_AT(file.path.c_str(), line) << text << "\n  is valid and of a complete family";
      }
    }
    if (changed)
      writeSamples(samples);
    if (llvm::is_contained(completeFamilies, file.name)) {
      EXPECT_GE(agreed, count * 0.995);
    }
  }

private:
  std::set<unsigned> refusedLines(const Module &module) {
    const auto source = SourceBuffer::fromText(file.path, module.text);
    std::set<unsigned> refused;
    for (const Diagnostic &d : findingsIn(*source)) {
      const unsigned line = source->lineColumn(d.range.begin).line;
      // The verdicts are those of ptxas before it generates code.
      const bool ofCode = info(d.id).id.starts_with("codegen-");
      if (d.severity == Severity::Error && !ofCode && line <= module.origins.size())
        refused.insert(module.origins[line - 1]);
    }
    return refused;
  }

  SampleFile &samples;
  TestFile &file;
};

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  static std::vector<SampleFile> files = findSamples(llvm::ArrayRef(argv + 1, argc - 1));
  for (SampleFile &file : files)
    testing::RegisterTest("samples", file.file.name.c_str(), nullptr, nullptr, file.file.path.c_str(), 1,
                          [&file]() -> SampleTest * { return new SampleTest(file); });
  return RUN_ALL_TESTS();
}
