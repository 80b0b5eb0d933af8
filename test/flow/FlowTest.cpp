// Tests the lines of test/flow. Its sections look like those of test/isa, and the comment after each line lists the
// effects of the instruction. PTXRAY_BLESS=1 writes the effects that are found into the files.
#include "Lines.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace ptxray;
using namespace ptxray::test;

namespace {

class FlowTest : public testing::Test {
public:
  explicit FlowTest(std::filesystem::path path) : path(std::move(path)) {}

  void TestBody() override {
    const TestFile file = readFlowFile(path.string());
    ASSERT_EQ(file.problem, "");
    LineSet set;
    for (const Module &module : file.modules)
      set.collect(file, module, Compared::Facts);
    ASSERT_FALSE(set.lines.empty());
    std::vector<std::string> found(file.lines.size());
    for (const Line &line : set.lines)
      found[line.number - 1] = outcomeOf(Availability(set.contexts[line.context]), line, Compared::Facts);
    const bool bless = std::getenv("PTXRAY_BLESS");
    std::ofstream out;
    if (bless)
      out.open(path);
    for (size_t i = 0; i < found.size(); ++i) {
      const auto [code, expected] = llvm::StringRef(file.lines[i]).split("  // ");
      if (bless)
        out << (found[i].empty() ? file.lines[i] : code.rtrim().str() + "  // " + found[i]) << '\n';
      else if (!found[i].empty())
        EXPECT_EQ(expected.str(), found[i]) << path.string() << ':' << i + 1 << ": " << code.str();
      else
        EXPECT_TRUE(code.trim().empty() || code.starts_with("//")) << path.string() << ':' << i + 1 << ": nothing read";
    }
  }

private:
  const std::filesystem::path path;
};

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const auto &entry : std::filesystem::recursive_directory_iterator(PTXRAY_TEST_DIR "/flow"))
    if (const std::filesystem::path path = entry.path(); path.extension() == ".ptx")
      testing::RegisterTest("flow", path.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [path]() -> FlowTest * { return new FlowTest(path); });
  return RUN_ALL_TESTS();
}
