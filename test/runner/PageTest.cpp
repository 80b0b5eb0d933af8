// Each rule has a page docs/diagnostics/<id>.md, and each example on it (a block "ptx" under the
// heading "Example") gives that rule and no other.
#include "Check/CheckModule.h"
#include "Snippets.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace ptxray;
using namespace ptxray::test;
namespace fs = std::filesystem;

// No text of PTX alone can give these: they are about files, or what ptxas says.
static constexpr llvm::StringLiteral withoutExample[] = {
    "ptxas-accepts",      "ptxas-error",      "ptxas-remark",        "ptxas-warning",
    "setmaxnreg-ignored", "wgmma-serialized", "wgmma-wait-inserted", "unreadable-input"};

namespace {

struct Example {
  std::string text;
  std::string arch;          // of "```ptx --arch=sm_90"
  bool wholeProgram = false; // of "```ptx --link=whole"
};

std::vector<Example> examplesOf(llvm::StringRef page) {
  std::vector<Example> examples;
  bool inExample = false, inBlock = false;
  llvm::SmallVector<llvm::StringRef> lines;
  page.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (inBlock && line == "```")
      inBlock = false;
    else if (inBlock)
      examples.back().text += line.str() + "\n";
    else if (line.starts_with("## "))
      inExample = line.starts_with("## Example");
    else if (inExample && line.consume_front("```ptx")) {
      inBlock = true;
      examples.push_back({"", line.split("--arch=").second.str(), line.contains("--link=whole")});
    }
  }
  return examples;
}

class PageTest : public testing::TestWithParam<DiagId> {};

TEST_P(PageTest, ExamplesGiveTheRule) {
  const llvm::StringRef id = info(GetParam()).id;
  const std::string path = PTXRAY_TEST_DIR "/../docs/diagnostics/" + id.str() + ".md";
  const auto page = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(page) << "there is no " << path;
  ASSERT_TRUE((*page)->getBuffer().starts_with(("# " + id + "\n").str()));
  const std::vector<Example> examples = examplesOf((*page)->getBuffer());
  EXPECT_EQ(examples.empty(), llvm::is_contained(withoutExample, id));
  for (const Example &example : examples) {
    const TestFile test = readExample(example.text);
    ASSERT_EQ(test.problem, "");
    for (const Module &module : test.modules) {
      const auto source = SourceBuffer::fromText(path, module.text);
      CheckOptions options;
      options.arch = example.arch;
      options.wholeProgram = example.wholeProgram;
      options.isFragment = module.isFragment;
      options.pedantic = info(GetParam()).level == Severity::Pedantic;
      DiagnosticSink sink;
      checkSource(*source, options, sink);
      EXPECT_FALSE(sink.diagnostics().empty()) << "nothing is reported for\n" << example.text;
      std::string found;
      for (const Diagnostic &d : sink.diagnostics())
        found += info(d.id).id.str() + ": " + d.message() + "\n";
      EXPECT_TRUE(llvm::any_of(sink.diagnostics(), [&](const Diagnostic &d) { return info(d.id).id == id; }))
          << "not among\n"
          << found << "of\n"
          << example.text;
    }
  }
}

std::vector<DiagId> allIds() {
  std::vector<DiagId> ids;
  for (const DiagInfo &rule : allDiagInfos())
    ids.push_back(*findDiag(rule.id));
  return ids;
}

INSTANTIATE_TEST_SUITE_P(pages, PageTest, testing::ValuesIn(allIds()), [](const testing::TestParamInfo<DiagId> &rule) {
  std::string name = ptxray::info(rule.param).id.str();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Pages, EachIsOfARule) {
  for (const fs::directory_entry &entry : fs::directory_iterator(PTXRAY_TEST_DIR "/../docs/diagnostics"))
    EXPECT_TRUE(findDiag(entry.path().stem().string())) << entry.path();
}

} // namespace
