// Checks test/isa and test/module: every diagnostic must be expected on its line, and every expectation must be met.
// PTXRAY_BLESS=1 writes the findings into the files.
#include "Check/Checker.h"
#include "Snippets.h"
#include "Source/SourceBuffer.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace ptxray;
using namespace ptxray::test;

namespace {

class SnippetTest : public testing::Test {
public:
  explicit SnippetTest(const TestFile &file) : file(file) {}

  void TestBody() override {
    ASSERT_EQ(file.problem, "");
    std::vector<DiagnosticList> findings(file.modules.size());                 // `found` points into these
    std::vector<std::vector<const Diagnostic *>> found(file.lines.size() + 1); // diagnostics of each line
    for (size_t i = 0; i < file.modules.size(); ++i)
      check(file.modules[i], findings[i], found);
    const bool bless = std::getenv("PTXRAY_BLESS");
    std::ofstream out;
    if (bless)
      out.open(file.path);
    for (unsigned line = 1; line <= file.lines.size(); ++line) {
      const std::string &text = file.lines[line - 1];
      const bool judged = !llvm::StringRef(text).ltrim().starts_with("//@");
      if (bless)
        out << (judged ? withExpectation(text, found[line]) : text) << '\n';
      else if (judged)
        for (const std::string &difference : differences(readExpectation(text), found[line]))
          ADD_FAILURE_AT(file.path.c_str(), line) << text << "\n  " << difference;
    }
  }

private:
  void check(const Module &module, DiagnosticList &findings, std::vector<std::vector<const Diagnostic *>> &found) {
    const auto source = SourceBuffer::fromText(file.path, module.text);
    findings = findingsIn(*source, optionsOf(module));
    for (const Diagnostic &d : findings) {
      const unsigned line = source->lineColumn(d.range.begin).line;
      const unsigned origin = line <= module.origins.size() ? module.origins[line - 1] : module.origins.back();
      if (origin != 0)
        found[origin].push_back(&d);
      else
        ADD_FAILURE() << "in the prelude of `" << module.header << "`: " << d.message() << " [" << info(d.id).id.str()
                      << "]\n  " << source->lineText(line).str();
    }
  }

  const TestFile &file;
};

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  static const std::vector<TestFile> files = findTests(llvm::ArrayRef(argv + 1, argc - 1));
  for (const TestFile &file : files)
    testing::RegisterTest(file.suite.c_str(), file.name.c_str(), nullptr, nullptr, file.path.c_str(), 1,
                          [&file]() -> SnippetTest * { return new SnippetTest(file); });
  return RUN_ALL_TESTS();
}
