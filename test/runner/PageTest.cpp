// Each rule has a page docs/diagnostics/<id>.md. Each example on it (a "ptx" block under the heading "Example") must
// give that rule, and the text under "Remedy" must give no finding.
#include "Check/Checker.h"
#include "PageRun.h"
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

// These rules have no example: they are about files or messages of ptxas, or, as the last one, need a text that is too
// long for a page.
static constexpr llvm::StringLiteral withoutExample[] = {
    "ptxas-accepts",    "ptxas-error",         "ptxas-remark",     "ptxas-warning",    "setmaxnreg-ignored",
    "wgmma-serialized", "wgmma-wait-inserted", "unreadable-input", "header-disagrees", "codegen-branch-table"};

std::vector<std::string> ptxray::test::textsOf(const DiagnosticList &diagnostics) {
  std::vector<std::string> texts;
  for (const Diagnostic &d : diagnostics)
    texts.push_back(info(d.id).id.str() + ": " + d.message());
  return texts;
}

namespace {

std::vector<Example> examplesOf(llvm::StringRef page, llvm::StringRef heading) {
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
      inExample = line == heading;
    else if (inExample && line.consume_front("```ptx")) {
      inBlock = true;
      examples.push_back({"", line.split("--arch=").second.str(), linkingOf(line.split("--link=").second), false,
                          line.contains("--run"), line.contains("--trap-nan"), line.contains("--counters")});
    } else if (inExample && line == "```cuda") {
      inBlock = true;
      examples.push_back({"", "", Linking::Unknown, true});
    }
  }
  return examples;
}

/// Returns `id: message` for each finding in each module of the example.
std::vector<std::vector<std::string>> findings(DiagId rule, const Example &example) {
  std::vector<std::vector<std::string>> found;
  if (example.isCuda) {
    FileReport report;
    report.source = SourceBuffer::fromText(info(rule).id, example.text);
    CheckOptions options;
    options.pedantic = info(rule).level == Severity::Pedantic;
    return {textsOf(Checker().check(std::move(report), Language::Cuda, options).diagnostics)};
  }
  if constexpr (PTXRAY_HAS_MACHINE)
    if (example.isRun)
      return {findingsOfRun(example)};
  const TestFile test = readExample(example.text);
  EXPECT_EQ(test.problem, "");
  for (const Module &module : test.modules) {
    const auto source = SourceBuffer::fromText(info(rule).id, module.text);
    CheckOptions options;
    options.arch = example.arch;
    options.linking = example.linking;
    options.isFragment = module.isFragment;
    options.pedantic = info(rule).level == Severity::Pedantic;
    found.push_back(textsOf(findingsIn(*source, options)));
  }
  return found;
}

class PageTest : public testing::TestWithParam<DiagId> {
protected:
  void SetUp() override {
    const std::string path = PTXRAY_TEST_DIR "/../docs/diagnostics/" + id.str() + ".md";
    auto file = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(file) << "there is no " << path;
    page = (*file)->getBuffer().str();
    ASSERT_TRUE(llvm::StringRef(page).starts_with(("# " + id + "\n").str()));
  }
  const llvm::StringRef id = info(GetParam()).id;
  std::string page;
};

TEST_P(PageTest, ExamplesGiveTheRule) {
  const std::vector<Example> examples = examplesOf(page, "## Example");
  EXPECT_EQ(examples.empty(), llvm::is_contained(withoutExample, id));
  for (const Example &example : examples)
    for (const std::vector<std::string> &found : findings(GetParam(), example))
      EXPECT_TRUE(llvm::any_of(found, [&](llvm::StringRef text) { return text.starts_with((id + ": ").str()); }))
          << "not among\n"
          << llvm::join(found, "\n") << "\nof\n"
          << example.text;
}

TEST_P(PageTest, RemediesGiveNothing) {
  for (const Example &example : examplesOf(page, "## Remedy"))
    for (const std::vector<std::string> &found : findings(GetParam(), example))
      EXPECT_EQ(llvm::join(found, "\n"), "") << example.text;
}

TEST_P(PageTest, ListsItsKinds) {
  const llvm::StringRef section = llvm::StringRef(page).split("\n## Kinds\n").second.split("\n## ").first;
  const llvm::SmallVector<Kind, 0> kinds = kindsOf(GetParam());
  EXPECT_EQ(section.empty(), kinds.empty());
  for (Kind kind : kinds)
    EXPECT_TRUE(section.contains(("`" + kindText(kind) + "`").str())) << kindText(kind).str();
}

/// Returns the rules whose pages this build can test: without the machine, all except those of launches.
std::vector<DiagId> testableIds() {
  std::vector<DiagId> ids;
  for (const DiagInfo &rule : allDiagInfos())
    if (PTXRAY_HAS_MACHINE || (!llvm::StringRef(rule.id).starts_with("run-") && rule.id != "bank-conflict"))
      ids.push_back(*findDiag(rule.id));
  return ids;
}

INSTANTIATE_TEST_SUITE_P(pages, PageTest, testing::ValuesIn(testableIds()),
                         [](const testing::TestParamInfo<DiagId> &rule) {
                           std::string name = ptxray::info(rule.param).id.str();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Pages, EachIsOfARule) {
  for (const fs::directory_entry &entry : fs::directory_iterator(PTXRAY_TEST_DIR "/../docs/diagnostics"))
    EXPECT_TRUE(findDiag(entry.path().stem().string())) << entry.path();
}

} // namespace
