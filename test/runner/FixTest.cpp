// Applies every fix that ptxray offers on a refused line of test/isa, or with --samples of test/samples, and lets
// ptxas judge what it makes: a fix that leaves an error is none.
#include "Check/CheckModule.h"
#include "Ptxas.h"
#include "Samples.h"
#include "Source/SourceBuffer.h"
#include <gtest/gtest.h>
#include <iostream>

using namespace ptxray;
using namespace ptxray::test;

static std::string ptxas;

namespace {

class FixTest : public testing::Test {
public:
  explicit FixTest(const TestFile &file) : file(file) {}

  void TestBody() override {
    ASSERT_EQ(file.problem, "");
    unsigned errors = 0, fixes = 0;
    for (const Module &section : file.modules) {
      if (section.header.empty())
        continue;
      // A file of the lines as they are once fixed; `before` says from which line each comes.
      std::string text;
      std::vector<unsigned> before;
      collect(section, text, before, errors);
      fixes += text.empty() ? 0 : llvm::count_if(before, [](unsigned line) { return line != 0; });
      TestFile fixed = readSections(text);
      fixed.path = file.path;
      for (const Module &after : fixed.modules) {
        const std::set<unsigned> refused = askLines(ptxas, fixed, after);
        for (unsigned line : refused) {
          const PtxasVerdict verdict = askPtxas(ptxas, linesOf(fixed, after, line));
          if (!verdict.accepts)
            ADD_FAILURE_AT(file.path.c_str(), before[line - 1])
                << section.header << ": " << file.lines[before[line - 1] - 1] << "\nfixed: " << after.header
                << ": " << fixed.lines[line - 1] << "\n"
                << verdict.output;
        }
      }
    }
    std::cout << fixes << " fixes for " << errors << " errors\n";
  }

private:
  /// Adds sections with the fixed lines: one for each version that a fix asks for.
  void collect(const Module &section, std::string &text, std::vector<unsigned> &before, unsigned &errors) {
    const auto source = SourceBuffer::fromText(file.path, section.text);
    DiagnosticSink sink;
    CheckOptions options;
    options.pedantic = section.pedantic;
    checkSource(*source, options, sink);
    std::map<std::string, std::vector<std::pair<unsigned, std::string>>> byHeader;
    for (const Diagnostic &d : sink.diagnostics()) {
      const unsigned number = source->lineColumn(d.range.begin).line;
      const unsigned origin = number <= section.origins.size() ? section.origins[number - 1] : 0;
      if (d.severity != Severity::Error || origin == 0 || info(d.id).id.starts_with("codegen-"))
        continue;
      ++errors;
      if (!d.fix)
        continue;
      std::string header = section.header, line = source->lineText(number).str();
      for (const Edit &edit : llvm::reverse(d.fix->edits)) {
        const unsigned at = source->lineColumn(edit.range.begin).line;
        const unsigned column = source->lineColumn(edit.range.begin).column;
        if (at == number)
          line.replace(column - 1, edit.range.size(), edit.text);
        else
          header = "ptx " + edit.text + header.substr(header.find(',')); // the number behind `.version`
      }
      byHeader[header].push_back({origin, line});
    }
    auto add = [&](unsigned origin, const std::string &line) {
      text += line + "\n";
      before.push_back(origin);
    };
    for (const auto &[header, lines] : byHeader) {
      add(0, "//@ " + header);
      for (const auto &[origin, line] : lines)
        add(origin, line);
    }
  }

  const TestFile &file;
};

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  ptxas = findPtxas();
  if (ptxas.empty())
    return statusWithoutPtxas();
  const llvm::ArrayRef<char *> arguments(argv + 1, argc - 1);
  static std::vector<TestFile> files;
  if (!arguments.empty() && arguments.front() == llvm::StringRef("--samples"))
    for (SampleFile &samples : findSamples(arguments.drop_front()))
      files.push_back(std::move(samples.file));
  else
    files = findTests(arguments);
  for (const TestFile &file : files)
    testing::RegisterTest("fixes", file.name.c_str(), nullptr, nullptr, file.path.c_str(), 1,
                          [&file]() -> FixTest * { return new FixTest(file); });
  return RUN_ALL_TESTS();
}
