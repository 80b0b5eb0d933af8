// Checks the sources of test/inline. Each line must give the findings that the comment at its end expects, and no
// others.
#include "Check/Checker.h"
#include "Expectation.h"
#include "Inline/PutBack.h"
#include "llvm/ADT/StringExtras.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

using namespace ptxray;
using namespace ptxray::test;
namespace fs = std::filesystem;

namespace {

/// The setting in the first line of a source: `//@ target sm_90, skipped 2, pedantic`.
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
    report.path = path;
    auto source = SourceBuffer::open(path);
    ASSERT_TRUE(source) << source.problem();
    report.source = std::move(*source);
    const Setting setting = readSetting(report.source->lineText(1));
    report = Checker().check(std::move(report), languageOf(path), setting.options);
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

std::string repeated(llvm::StringRef text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i)
    all += text;
  return all;
}

/// The test has a time limit.
TEST(Inline, HostileSourcesEnd) {
  constexpr size_t many = 20'000;
  const std::string statement = R"(asm("{ add.s32 %0, %0, 1;" : "+r"(a));)";
  const std::pair<Language, std::string> sources[] = {
      {Language::Cuda, "asm(R\"xx(" + repeated("a", many)},
      {Language::Cuda, repeated("asm(", many)},
      {Language::Cuda, "void f() { asm(\"" + repeated("{", many) + "\" : \"=r\"(a)); }"},
      {Language::Cuda, "__device__ void f() { " + repeated(statement, many) + "}"},
      {Language::Cuda, "#define A(x) asm(\"trap;\") A(\n" + repeated("A(", many)},
      {Language::Cuda, "#define A(x) A(x) asm(\"trap;\") B(x)\n#define B(x) A(x) A(x)\n" + repeated("A(y)\n", 2000)},
      {Language::Cuda, repeated("#if 1\n", many) + "asm(\"trap;\");"},
      {Language::Cuda, "#if " + repeated("(", many) + "\nasm(\"trap;\");\n#endif"},
      {Language::Cuda, "__device__ void f() { " + repeated("asm(\".reg .b32 n;\");", many) + "}"},
      {Language::Cuda, R"(asm("add.s32 %0, %0, 1;" : "+r"(a))" + repeated(", \"r\"(a)", many) + ");"},
      {Language::Python, repeated("inline_asm(\"a\", \"b\"", many)},
      {Language::Python, "a = a\ninline_asm(None, [], a, a)\nb = \"\"\"asm"},
      {Language::Llvm, repeated("asm \"", many)},
      {Language::Llvm, "asm \"\\"},
  };
  for (const auto &[language, text] : sources) {
    FileReport report;
    report.source = SourceBuffer::fromText("hostile", text);
    report = Checker().check(std::move(report), language, CheckOptions());
    for (const Diagnostic &d : report.diagnostics)
      EXPECT_LE(d.range.end, text.size());
  }
}

/// Reads PTX that no compiler made. Its comments about inline assembly lead nowhere, and reading must still end soon.
TEST(Inline, HostilePtxEnds) {
  constexpr size_t many = 20'000;
  const std::string sources[] = {
      repeated("// begin inline asm\n", many),
      repeated("// begin inline asm\nadd.s33 %r1\n// end inline asm\n", many),
      repeated("// end inline asm\n.loc 1 1 1\n// begin inline asm\n", many) + ".file 1 \"/dev/zero\"\n",
      repeated(".loc 4294967295 4294967295 4294967295\n// begin inline asm\n;\n// end inline asm\n", many) +
          ".file 4294967295 \"nowhere.cu\"\n",
      repeated(".entry (", many) + "// begin inline asm",
      "// begin inline asm\n" + repeated("%", many),
  };
  for (const std::string &text : sources) {
    FileReport report;
    report.path = "hostile.ptx";
    report.source = SourceBuffer::fromText("hostile.ptx", text);
    report = Checker().check(std::move(report), Language::Ptx, CheckOptions());
    const size_t before = report.diagnostics.size();
    EXPECT_TRUE(putBack(report, {"/dev/zero", PTXRAY_TEST_DIR "/inline", "nowhere.cu"}).empty());
    EXPECT_EQ(report.diagnostics.size(), before);
  }
}

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
