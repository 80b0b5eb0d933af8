#include "Descriptor/Descriptor.h"
#include "Isa/Isa.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace ptxray::descriptor;

namespace {

uint64_t make(const Format &format, std::initializer_list<std::pair<const char *, const char *>> fields) {
  uint64_t value = 0;
  for (const Field &field : format.fields)
    value |= uint64_t(field.fixed) << field.first;
  for (auto [key, text] : fields)
    EXPECT_FALSE(setField(format, value, key, text)) << key;
  return value;
}

TEST(Descriptor, FieldsCoverTheirBitsOnce) {
  auto check = [](const Format &format) {
    unsigned next = 0;
    for (const Field &field : format.fields) {
      EXPECT_EQ(field.first, next) << format.title.str() << " " << field.key.str();
      next += field.bits;
    }
    EXPECT_EQ(next, format.bits) << format.title.str();
  };
  for (Family family : {Family::Sm100, Family::Sm107}) {
    for (llvm::StringRef kind : kinds())
      check(*findFormat("idesc", kind, family));
    for (const char *name : {"smem", "wgmma-smem", "zero-mask"})
      check(*findFormat(name, "", family));
  }
}

TEST(Descriptor, DecodingAndEncodingAreInverse) {
  std::mt19937_64 random(1);
  auto check = [&](const Format &format) {
    for (int i = 0; i < 2000; ++i) {
      const uint64_t value = random();
      uint64_t plain = 0, again = 0;
      for (const Field &field : format.fields) {
        if (field.isReserved() || (!field.choices.empty() && !field.choice(value)))
          continue;
        plain |= uint64_t(field.of(value)) << field.first;
        ASSERT_FALSE(setField(format, again, field.key, field.meaning(value))) << field.key.str();
      }
      ASSERT_EQ(again, plain) << format.title.str();
    }
  };
  for (Family family : {Family::Sm100, Family::Sm107}) {
    for (llvm::StringRef kind : kinds())
      check(*findFormat("idesc", kind, family));
    for (const char *name : {"smem", "wgmma-smem", "zero-mask"})
      check(*findFormat(name, "", family));
  }
}

TEST(Descriptor, OperandsHaveFormatsThatExist) {
  std::set<std::string> named;
  for (const ptxray::isa::OperandDecl &operand : ptxray::isa::tables().operands)
    if (!operand.format().empty())
      named.insert(std::string(operand.format()));
  const auto known = formatNames();
  EXPECT_EQ(named, std::set<std::string>(known.begin(), known.end()));
}

TEST(Descriptor, AnOrdinaryOne) {
  const Format &format = *findFormat("idesc", "f16");
  EXPECT_EQ(make(format, {{"m", "128"}, {"n", "256"}, {"d", "f32"}, {"a", "f16"}, {"b", "f16"}}), 0x8400010u);
  Use use;
  use.kind = "f16";
  use.ctaGroup = 1;
  use.sparse = false;
  use.ws = false;
  EXPECT_TRUE(checkInstruction(0x8400010, use).empty());
}

std::string bits(const std::vector<bool> &mask, size_t count) {
  std::string text;
  for (size_t i = count; i-- > 0;)
    text += mask[i] ? '1' : '0';
  return text;
}

/// The four examples of PTX ISA 9.7.16.4.3.
TEST(Descriptor, ZeroColumnMasksOfTheManual) {
  const Format &format = *findFormat("zero-mask", "");
  auto masks = zeroColumns(make(format, {{"skip-span", "4"}, {"use-span", "3"}}), 128, 128);
  EXPECT_EQ(bits(masks[0], 128), std::string(128, '0'));
  const uint64_t spans = make(format, {{"non-zero", "yes"}, {"skip-span", "2"}, {"use-span", "3"}});
  masks = zeroColumns(spans, 128, 128);
  ASSERT_EQ(masks.size(), 1u);
  EXPECT_EQ(bits(masks[0], 14), "11100001110000");
  masks = zeroColumns(spans | make(format, {{"fs0", "1"}}), 64, 128);
  ASSERT_EQ(masks.size(), 2u);
  EXPECT_EQ(bits(masks[0], 17), "11100001110000111");
  EXPECT_EQ(bits(masks[1], 18), "000011100001110000");
  masks = zeroColumns(
      spans | make(format, {{"fs0", "1"}, {"fs1", "1"}, {"sc1", "1"}, {"sc2", "2"}, {"sc3", "1"}, {"shift", "2"}}), 32,
      128);
  ASSERT_EQ(masks.size(), 4u);
  EXPECT_EQ(bits(masks[0], 14), "00001110000111");
  EXPECT_EQ(bits(masks[1], 13), "0000111000011");
  EXPECT_EQ(bits(masks[2], 12), "111000011100");
  EXPECT_EQ(bits(masks[3], 13), "1110000111000");
}

struct Asked {
  std::string kind;
  uint32_t m, n, ctas;
  bool sparse, ws;
};
std::vector<Problem> shapeProblems(const Asked &asked) {
  const Format &format = *findFormat("idesc", asked.kind);
  uint64_t value = 0;
  for (const Field &field : format.fields)
    if (!field.choices.empty())
      value |= uint64_t(field.choices.front().value) << field.first;
  if (setField(format, value, "m", std::to_string(asked.m)) || setField(format, value, "n", std::to_string(asked.n)))
    return {{Offence::Shape, "cannot be written", ""}};
  if (asked.sparse)
    setField(format, value, "sparse", "sparse");
  Use use;
  use.kind = asked.kind;
  use.ctaGroup = asked.ctas;
  use.sparse = asked.sparse;
  use.ws = asked.ws;
  return checkInstruction(value, use);
}

/// Lines of Table 39, and one step beside each.
TEST(Descriptor, ShapesOfTable39) {
  for (const Asked &right : {Asked{"f16", 64, 8, 1, false, false}, Asked{"f16", 128, 256, 1, true, false},
                             Asked{"f16", 256, 16, 2, false, false}, Asked{"tf32", 128, 48, 2, true, false},
                             Asked{"f8f6f4", 32, 64, 1, false, true}, Asked{"f16", 32, 128, 1, true, true},
                             Asked{"mxf8f6f4", 128, 24, 1, true, false}, Asked{"mxf8f6f4", 128, 32, 2, false, false},
                             Asked{"i8", 64, 24, 1, false, false}, Asked{"i8", 128, 48, 1, false, false},
                             Asked{"i8", 256, 96, 2, true, false}, Asked{"mxf4", 128, 8, 1, false, false},
                             Asked{"mxf4nvf4", 256, 256, 2, true, false}})
    EXPECT_TRUE(shapeProblems(right).empty()) << right.kind << " " << right.m << "x" << right.n;
  for (const Asked &wrong : {Asked{"f16", 256, 8, 1, false, false}, Asked{"f16", 64, 16, 2, false, false},
                             Asked{"f16", 128, 24, 2, false, false}, Asked{"f16", 32, 64, 1, false, false},
                             Asked{"f16", 32, 32, 1, false, true}, Asked{"f16", 32, 256, 1, true, true},
                             Asked{"mxf8f6f4", 128, 32, 2, true, false}, Asked{"mxf8f6f4", 128, 64, 1, false, true},
                             Asked{"i8", 64, 40, 1, false, false}, Asked{"i8", 128, 48, 2, false, false},
                             Asked{"f16", 128, 0, 1, false, false}, Asked{"mxf4", 128, 64, 2, true, false}}) {
    const auto problems = shapeProblems(wrong);
    ASSERT_EQ(problems.size(), 1u) << wrong.kind << " " << wrong.m << "x" << wrong.n;
    EXPECT_EQ(problems[0].offence, Offence::Shape);
  }
}

TEST(Descriptor, WhatTheOtherTablesExclude) {
  auto tables = [](uint64_t value, const Use &use) {
    std::vector<std::string> found;
    for (const Problem &problem : checkInstruction(value, use))
      found.push_back(problem.table);
    return found;
  };
  using Found = std::vector<std::string>;
  Use use;
  use.ctaGroup = 1;
  use.kind = "i8";
  const Format &integers = *findFormat("idesc", "i8");
  EXPECT_EQ(tables(make(integers, {{"m", "128"}, {"n", "32"}, {"d", "s32"}, {"negate-a", "yes"}}), use),
            Found{"Table 49"});
  EXPECT_EQ(tables(make(integers, {{"m", "128"}, {"n", "24"}, {"d", "s32"}, {"transpose-b", "yes"}}), use),
            Found{"Table 50"});
  use.kind = "mxf4";
  const Format &four = *findFormat("idesc", "mxf4");
  EXPECT_EQ(
      tables(
          make(four,
               {{"m", "128"}, {"n", "32"}, {"a", "e2m1"}, {"b", "e2m1"}, {"scale", "ue8m0"}, {"transpose-a", "yes"}}),
          use),
      Found{"Table 49"});
  use.kind = "f8f6f4";
  const Format &eight = *findFormat("idesc", "f8f6f4");
  EXPECT_EQ(tables(make(eight, {{"m", "128"}, {"n", "32"}, {"d", "f32"}, {"a", "e2m3"}, {"transpose-a", "yes"}}), use),
            Found{"Table 52"});
  use.kind = "tf32";
  use.a = make(*findFormat("smem", ""), {{"swizzle", "128B"}});
  const Format &tf32 = *findFormat("idesc", "tf32");
  const uint64_t transposed =
      make(tf32, {{"m", "128"}, {"n", "32"}, {"d", "f32"}, {"a", "tf32"}, {"b", "tf32"}, {"transpose-a", "yes"}});
  EXPECT_EQ(tables(transposed, use), Found{"Table 52"});
  use.a = make(*findFormat("smem", ""), {{"swizzle", "128B-base32B"}});
  EXPECT_EQ(tables(transposed, use), Found{});
  use.kind = "mxf4nvf4";
  use.scaleVectors = 2;
  const Format &nv = *findFormat("idesc", "mxf4nvf4");
  EXPECT_EQ(tables(make(nv, {{"m", "128"}, {"n", "32"}, {"a", "e2m1"}, {"b", "e2m1"}, {"scale", "ue4m3"}}), use),
            Found{"Table 55"});
  EXPECT_EQ(
      tables(make(nv, {{"m", "128"}, {"n", "32"}, {"a", "e2m1"}, {"b", "e2m1"}, {"scale", "ue8m0"}, {"sfa-id", "1"}}),
             use),
      Found{"9.7.16.10.7.2"});
}

/// Table 54: the number of scale factors per row for each kind.
TEST(Descriptor, ScaleVectorsOfTable54) {
  for (const char *kind : {"mxf8f6f4", "mxf4", "mxf4nvf4"})
    for (const char *word : {"1X", "2X", "4X", "block16", "block32"}) {
      const std::string pair = std::string(kind) + " " + word;
      const bool right = pair == "mxf8f6f4 1X" || pair == "mxf4 2X" || pair == "mxf4nvf4 2X" || pair == "mxf4nvf4 4X" ||
                         pair == "mxf4nvf4 block16" || std::string(word) == "block32";
      Use use;
      use.kind = kind;
      use.scaleVectors = scaleVectors(word, kind);
      const Format &format = *findFormat("idesc", kind);
      uint64_t value = make(format, {{"m", "128"}, {"n", "64"}, {"scale", "ue8m0"}});
      if (use.kind != "mxf8f6f4")
        value |= make(format, {{"a", "e2m1"}, {"b", "e2m1"}});
      const auto problems = checkInstruction(value, use);
      EXPECT_EQ(problems.size(), right ? 0u : 1u) << pair;
      if (!right) {
        EXPECT_EQ(problems.at(0).table, "Table 54") << pair;
      }
    }
}

TEST(Descriptor, AbsoluteLeadingAddress) {
  const Format &format = *findFormat("smem", "");
  Use use;
  use.family = Family::Sm103;
  EXPECT_TRUE(checkShared(make(format, {{"lbo-mode", "absolute"}, {"swizzle", "128B"}}), use).empty());
  EXPECT_EQ(checkShared(make(format, {{"lbo-mode", "absolute"}, {"swizzle", "64B"}, {"base-offset", "3"}}), use).size(),
            2u);
  use.family = Family::Sm100;
  EXPECT_EQ(checkShared(make(format, {{"lbo-mode", "absolute"}, {"swizzle", "128B"}}), use).size(), 1u);
}

std::vector<std::string> problemsOf(const char *kind, Family family,
                                    std::initializer_list<std::pair<const char *, const char *>> fields,
                                    uint32_t scaleVectors = 0) {
  Use use;
  use.kind = kind;
  use.family = family;
  use.ctaGroup = 1;
  use.scaleVectors = scaleVectors;
  std::vector<std::string> found;
  for (const Problem &problem : checkInstruction(make(*findFormat("idesc", kind, Family::Sm107), fields), use))
    found.push_back(problem.text);
  return found;
}

/// .kind::ti16 of PTX 9.4: Tables 48 and 51 of its manual.
TEST(Descriptor, IntegersOfSixteenBits) {
  const Format &format = *findFormat("idesc", "ti16", Family::Sm107);
  EXPECT_EQ(make(format, {{"m", "128"}, {"n", "256"}, {"d", "s32"}, {"a", "s1z4m11"}, {"b", "s1z4m11"}}),
            8u << 24 | 32u << 17 | 3u << 10 | 3u << 7 | 2u << 4);
  EXPECT_EQ(depthOf(format, 0), 16u);
  EXPECT_EQ(depthOf(format, make(format, {{"sparse", "sparse"}})), 32u);
  for (const Asked &right : {Asked{"ti16", 64, 24, 1, false, false}, Asked{"ti16", 128, 48, 1, true, false},
                             Asked{"ti16", 256, 96, 2, false, false}, Asked{"ti16", 32, 256, 1, false, true},
                             Asked{"ti16", 32, 128, 1, true, true}})
    EXPECT_TRUE(shapeProblems(right).empty()) << right.m << "x" << right.n;
  for (const Asked &wrong : {Asked{"ti16", 128, 24, 1, false, false}, Asked{"ti16", 256, 48, 2, false, false},
                             Asked{"ti16", 32, 256, 1, true, true}, Asked{"ti16", 256, 64, 1, false, false}}) {
    const auto problems = shapeProblems(wrong);
    ASSERT_EQ(problems.size(), 1u) << wrong.m << "x" << wrong.n;
    EXPECT_EQ(problems[0].table, "9.4, Table 48");
  }
}

/// The fields that PTX 9.4 adds for sm_107 are reserved on targets before it.
TEST(Descriptor, FieldsOfSm107) {
  const std::pair<const char *, const char *> m = {"m", "128"}, n = {"n", "64"}, a = {"a", "e2m1"}, b = {"b", "e2m1"},
                                              scale = {"scale", "ue8m0"};
  using Found = std::vector<std::string>;
  EXPECT_EQ(problemsOf("mxf4", Family::Sm107, {m, n, a, b, scale, {"k128", "yes"}}), Found{});
  EXPECT_EQ(problemsOf("mxf4", Family::Sm107, {m, n, a, b, scale, {"scale-a-lanes", "128"}}), Found{});
  EXPECT_EQ(problemsOf("mxf4nvf4", Family::Sm107, {m, n, a, b, {"scale", "ue5m3"}}), Found{});
  EXPECT_EQ(problemsOf("mxf4nvf4", Family::Sm107, {m, n, a, b, {"scale", "ue4m3"}}, 2), Found{});
  EXPECT_EQ(problemsOf("mxf4nvf4", Family::Sm107, {m, n, a, b, scale, {"k", "96"}, {"sparse", "sparse"}}), Found{});
  EXPECT_EQ(problemsOf("mxf4nvf4", Family::Sm107, {m, n, a, b, scale, {"k", "96"}, {"k128", "yes"}}).size(), 1u);
  EXPECT_EQ(problemsOf("f8f6f4", Family::Sm107, {m, n, {"d", "f32"}, {"k", "64"}}), Found{});
  EXPECT_EQ(problemsOf("f8f6f4", Family::Sm107, {m, n, {"d", "f32"}, {"k", "64"}, {"a", "e2m3"}}).size(), 1u);
  EXPECT_EQ(problemsOf("mxf8f6f4", Family::Sm107, {m, n, scale, {"k", "64"}}), Found{});
  for (Family family : {Family::Sm100, Family::Sm103, Family::Unknown}) {
    EXPECT_EQ(problemsOf("mxf4", family, {m, n, a, b, scale, {"k128", "yes"}}), Found{"bit 3 is 1, 0 expected"});
    EXPECT_EQ(problemsOf("mxf4", family, {m, n, a, b, scale, {"scale-a-lanes", "128"}}),
              Found{"bits 24-26 are 4, 0 expected"});
    EXPECT_EQ(problemsOf("f8f6f4", family, {m, n, {"d", "f32"}, {"k", "64"}}), Found{"bit 29 is 1, 0 expected"});
    EXPECT_EQ(problemsOf("mxf8f6f4", family, {m, n, scale, {"k", "64"}}), Found{"bit 31 is 1, 0 expected"});
  }
  auto depth = [](const char *kind, std::initializer_list<std::pair<const char *, const char *>> fields) {
    const Format &format = *findFormat("idesc", kind, Family::Sm107);
    return depthOf(format, make(format, fields));
  };
  EXPECT_EQ(depth("mxf4", {}), 64u);
  EXPECT_EQ(depth("mxf4", {{"k", "96"}}), 96u);
  EXPECT_EQ(depth("mxf4", {{"k128", "yes"}}), 128u);
  EXPECT_EQ(depth("f8f6f4", {{"k", "64"}, {"sparse", "sparse"}}), 128u);
  EXPECT_EQ(depth("tf32", {}), 8u);
  EXPECT_EQ(depth("i8", {}), 32u);

  Use use;
  const uint64_t lut = make(*findFormat("smem", "", Family::Sm107), {{"lut-start", "24"}});
  use.family = Family::Sm107;
  EXPECT_TRUE(checkShared(lut, use).empty());
  use.family = Family::Sm100;
  EXPECT_EQ(checkShared(lut, use).size(), 1u);
}

TEST(Descriptor, SparseIndices) {
  // There are 16 values of four bits. 12 of them name two different columns, 6 of these in ascending order. The manual
  // lists those in the order that hardware accepts.
  unsigned any = 0, ordered = 0, wide = 0;
  for (unsigned index = 0; index < 16; ++index) {
    any += isSparseIndex(index, 16, false);
    ordered += isSparseIndex(index, 16, true);
    wide += isSparseIndex(index, 32, false);
  }
  EXPECT_EQ(any, 12u);
  EXPECT_EQ(ordered, 6u);
  EXPECT_EQ(wide, 2u);
}

} // namespace
