// Checks the sources of test/inline: each line gives what the comment at its end expects, and nothing else.
#include "Inline/Inline.h"
#include "Expectation.h"
#include "llvm/ADT/StringExtras.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

using namespace ptxray;
using namespace ptxray::test;
namespace fs = std::filesystem;

namespace {

/// What the first line asks for: `//@ target sm_90, skipped 2, pedantic`.
struct Setting {
  CheckOptions options;
  unsigned skipped = 0;
};

Setting readSetting(llvm::StringRef line) {
  Setting setting;
  const size_t at = line.find("//@");
  if (at == llvm::StringRef::npos)
    return setting;
  llvm::SmallVector<llvm::StringRef> words;
  line.drop_front(at + 3).split(words, ',');
  for (llvm::StringRef word : words) {
    const auto [name, value] = word.trim().split(' ');
    if (name == "target")
      setting.options.target = value.str();
    else if (name == "ptx")
      setting.options.ptx = value.str();
    else if (name == "pedantic")
      setting.options.pedantic = true;
    else if (name != "skipped" || value.getAsInteger(10, setting.skipped))
      ADD_FAILURE() << "unknown setting " << word.str();
  }
  return setting;
}

class InlineTest : public testing::Test {
public:
  explicit InlineTest(std::string path) : path(std::move(path)) {}

  void TestBody() override {
    FileReport report;
    std::string reason;
    report.path = path;
    report.source = SourceBuffer::open(path, reason);
    ASSERT_TRUE(report.source) << reason;
    const Setting setting = readSetting(report.source->lineText(1));
    InlineChecker().check(report, languageOf(path), path, setting.options);
    EXPECT_EQ(report.inlined->skipped.size(), setting.skipped);
    EXPECT_GT(report.inlined->statements, 0u);
    std::map<uint32_t, std::vector<const Diagnostic *>> found;
    for (const Diagnostic &d : report.diagnostics)
      found[report.source->lineColumn(d.range.begin).line].push_back(&d);
    const uint32_t last = report.source->lineColumn(report.source->text().size()).line;
    for (uint32_t line = 1; line <= last; ++line) {
      const llvm::StringRef text = report.source->lineText(line);
      for (const std::string &difference : differences(readExpectation(text), found[line]))
        ADD_FAILURE_AT(path.c_str(), line) << text.str() << "\n  " << difference;
    }
  }

private:
  std::string path;
};

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(PTXRAY_TEST_DIR "/inline")) {
    const std::string path = entry.path(), name = entry.path().filename();
    if (!entry.is_regular_file() || languageOf(path) == Language::Ptx || entry.path().extension() == ".h")
      continue;
    testing::RegisterTest("inline", name.c_str(), nullptr, nullptr, path.c_str(), 0,
                          [=]() -> testing::Test * { return new InlineTest(path); });
  }
  return RUN_ALL_TESTS();
}
