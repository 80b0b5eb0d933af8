// Tests modules that are kept whole: their bodies remain valid, and their variables have their values.
#include "Check/CheckModule.h"
#include "Check/Checker.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

constexpr const char *head = ".version 9.0\n.target sm_90\n.address_size 64\n";

TEST(ReadModule, BodiesOutliveEachOther) {
  const auto source = SourceBuffer::fromText("", std::string(head) + R"(
    .visible .entry a() { .reg .b32 %r<3>; mov.b32 %r1, 1; ret; }
    .global .b32 between;
    .visible .entry b() { .reg .b64 %d; mov.b64 %d, between; ret; }
  )");
  const ReadModule module = readModule(*source);
  ASSERT_EQ(module.bodies().size(), 2u);
  const Body &a = module.bodies()[0], &b = module.bodies()[1];
  EXPECT_EQ(a.text(a.namesOf(0)[0]), "%r1");
  EXPECT_EQ(a.symbol(a.namesOf(0)[0])->familyCount, 3u);
  EXPECT_EQ(b.symbol(b.namesOf(0)[0])->kind, SymbolKind::Register);
  const std::vector<ReadVariable> variables = module.variables();
  ASSERT_EQ(variables.size(), 1u);
  EXPECT_EQ(&module.symbols()[variables[0].symbol - 1], b.symbol(b.namesOf(0)[1]));
}

TEST(ReadModule, VariablesOfBodiesLast) {
  const auto source = SourceBuffer::fromText("", std::string(head) + R"(
    .visible .entry a() { .global .b32 v = 3; .shared .b32 s; { .const .b32 v = 4; } ret; }
    .visible .entry b() { .local .b32 l; .global .b32 v; ret; }
  )");
  const ReadModule module = readModule(*source);
  std::vector<uint64_t> depths;
  for (const ReadVariable &one : module.variables())
    depths.push_back(module.symbols()[one.symbol - 1].depth);
  EXPECT_EQ(depths, (std::vector<uint64_t>{1, 2, 1}));
}

/// Returns the values of variables as `0:4=1`: offset, size, and number. `a` and `g` are addresses of symbols, `/1` is
/// their second byte.
std::string valuesOf(const std::string &declaration) {
  const auto source = SourceBuffer::fromText("", std::string(head) + ".global .b8 x[8];\n" + declaration);
  const ReadModule module = readModule(*source);
  EXPECT_FALSE(module.hasErrors()) << declaration;
  const std::vector<ReadVariable> variables = module.variables();
  std::string text;
  for (const InitialValue &one : variables.back().values) {
    text += std::to_string(one.offset) + ":" + std::to_string(one.size) + "=";
    if (one.symbol != NameId::None)
      text += (one.isGeneric ? "g " : "a ") + module.ast().text(one.symbol).str() + "+";
    text += std::to_string(one.number) + (one.byteOf ? "/" + std::to_string(*one.byteOf) : "") + " ";
  }
  return text;
}

std::string inLines(const DiagnosticList &findings) {
  std::string out;
  for (const Diagnostic &d : findings)
    out += std::to_string(d.range.begin) + " " + info(d.id).id.str() + ": " + d.message() + "\n";
  return out;
}

/// The findings in a text must not depend on whether it is kept, and it is read in the same way without a check.
TEST(ReadModule, IsCheckedAsWhatIsNotKept) {
  unsigned texts = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(TEST_FOLDER)) {
    if (entry.path().extension() != ".ptx" || entry.file_size() > 50'000)
      continue;
    FileReport report;
    report.source = std::move(*SourceBuffer::open(entry.path().string()));
    const std::string streamed = inLines(findingsIn(*report.source));
    const KeptModule kept = checkAndKeep(std::move(report), {});
    ASSERT_EQ(inLines(kept.report.diagnostics), streamed) << entry.path();
    if (!kept.module) // the text is not PTX
      continue;
    ASSERT_EQ(kept.module->bodies().size(), readModule(*kept.report.source).bodies().size()) << entry.path();
    ++texts;
  }
  EXPECT_GT(texts, 100u);
}

TEST(ReadModule, VariablesKeepTheirValues) {
  EXPECT_EQ(valuesOf(".global .u32 v;"), "");
  EXPECT_EQ(valuesOf(".global .s16 v = -2;"), "0:2=65534 ");
  EXPECT_EQ(valuesOf(".global .b8 v[4] = {1, 2, 255};"), "0:1=1 1:1=2 2:1=255 ");
  EXPECT_EQ(valuesOf(".global .u32 v[2][3] = {{1, 2}, {3}};"), "0:4=1 4:4=2 8:4=3 "); // as on a GPU
  EXPECT_EQ(valuesOf(".global .v2 .u16 v[2] = {{1, 2}, {3, 4}};"), "0:2=1 2:2=2 4:2=3 6:2=4 ");
  EXPECT_EQ(valuesOf(".global .u32 v[] = {7, 8};"), "0:4=7 4:4=8 ");
  EXPECT_EQ(valuesOf(".const .f32 v[3] = {1.0, 0f40000000, -0.5};"), "0:4=1065353216 4:4=1073741824 8:4=3204448256 ");
  EXPECT_EQ(valuesOf(".global .f64 v = 0f3F800000;"), "0:8=4607182418800017408 ");
  EXPECT_EQ(valuesOf(".global .u64 v[3] = {x, x+4, generic(x)+2};"), "0:8=a x+0 8:8=a x+4 16:8=g x+2 ");
  EXPECT_EQ(valuesOf(".global .u8 v[3] = {0xff(x), 0xff00(x+4), 0xff0000(generic(x))};"),
            "0:1=a x+0/0 1:1=a x+4/1 2:1=g x+0/2 ");
  EXPECT_EQ(valuesOf(".global .u8 v[2] = {0xff(4660), 0xff00(4660)};"), "0:1=52 1:1=18 ");
}

} // namespace
