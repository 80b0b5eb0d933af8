// Applies every fix that ptxray offers for a rejected line of test/isa, or with --samples of test/samples, and lets
// ptxas compile the result. A fix must not leave an error, except those that ptxray reports beside it.
#include "Check/Checker.h"
#include "Ptxas.h"
#include "Samples.h"
#include "Source/SourceBuffer.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

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
      // The fixed lines as the text of a file. `before` names the line that each of them comes from.
      std::string text;
      std::vector<FixedLine> before;
      collect(section, text, before, errors);
      fixes += llvm::count_if(before, [](const FixedLine &line) { return line.from != 0; });
      TestFile fixed = readSections(text);
      fixed.path = file.path;
      for (const Module &after : fixed.modules) {
        const std::set<unsigned> refused = askLines(ptxas, fixed, after);
        for (unsigned line : refused) {
          const PtxasVerdict verdict = askPtxas(ptxas, linesOf(fixed, after, line));
          const FixedLine &made = before[line - 1];
          if (!verdict.accepts && !leavesOnly(made, linesOf(fixed, after, line)) &&
              !isOfWhatPtxasMakes(verdict.output, fixed.lines[line - 1]))
            ADD_FAILURE_AT(file.path.c_str(), made.from)
                << section.header << ": " << file.lines[made.from - 1] << "\nfixed: " << after.header << ": "
                << fixed.lines[line - 1] << "\n"
                << verdict.output;
        }
      }
    }
    std::cout << fixes << " fixes for " << errors << " errors\n";
  }

private:
  struct FixedLine {
    unsigned from = 0;            // line of the file; 0 for a header
    std::multiset<DiagId> others; // errors of that line beside the fixed one
    bool isName = false;          // a fix of a name is a guess: the similar name may have a wrong type
  };

  static std::multiset<DiagId> errorsOf(const Module &module) {
    const auto source = SourceBuffer::fromText("", module.text);
    std::multiset<DiagId> ids;
    for (const Diagnostic &d : findingsIn(*source))
      if (d.severity == Severity::Error && !info(d.id).id.starts_with("codegen-"))
        ids.insert(d.id);
    return ids;
  }

  /// Returns whether ptxray still rejects the line, and only for the other errors.
  static bool leavesOnly(const FixedLine &made, const Module &fixed) {
    const std::multiset<DiagId> left = errorsOf(fixed);
    std::vector<DiagId> added;
    std::ranges::set_difference(left, made.others, std::back_inserter(added));
    return !left.empty() && added.size() <= (made.isName ? 1 : 0);
  }

  /// Returns whether the error concerns an instruction that ptxas writes in place of the text's: `error : ... for
  /// instruction 'cvt'`.
  static bool isOfWhatPtxasMakes(llvm::StringRef output, llvm::StringRef line) {
    llvm::SmallVector<llvm::StringRef> lines;
    output.split(lines, '\n');
    bool isTold = false;
    for (llvm::StringRef one : lines)
      if (one.contains("error   :")) {
        const llvm::StringRef name = one.split("for instruction '").second.split('\'').first;
        if (name.empty() || line.contains(name))
          return false;
        isTold = true;
      }
    return isTold;
  }

  /// Returns the words after the architecture: `, texmode_independent`.
  static std::string optionsOf(const std::string &header) {
    const size_t options = header.find(',', header.find(',') + 1);
    return options == std::string::npos ? "" : header.substr(options);
  }

  /// Adds sections with the fixed lines, one section for each version that a fix requires.
  void collect(const Module &section, std::string &text, std::vector<FixedLine> &before, unsigned &errors) {
    const auto source = SourceBuffer::fromText(file.path, section.text);
    CheckOptions options;
    options.pedantic = section.pedantic;
    const DiagnosticList found = findingsIn(*source, options);
    std::map<std::string, std::vector<std::pair<FixedLine, std::string>>> byHeader;
    for (const Diagnostic &d : found) {
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
        else if (llvm::StringRef(edit.text).starts_with("sm_"))
          header = header.substr(0, header.find(',')) + ", " + edit.text.str() + optionsOf(header);
        else
          header = "ptx " + edit.text.str() + header.substr(header.find(',')); // the number after `.version`
      }
      FixedLine made{origin, errorsOf(linesOf(file, section, origin))};
      if (const auto one = made.others.find(d.id); one != made.others.end())
        made.others.erase(one);
      made.isName = d.id == DiagId::UndefinedSymbol;
      byHeader[header].push_back({std::move(made), line});
    }
    for (const auto &[header, lines] : byHeader) {
      text += "//@ " + header + "\n";
      before.push_back({});
      for (const auto &[made, line] : lines) {
        text += line + "\n";
        before.push_back(made);
      }
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
