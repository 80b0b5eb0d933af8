// What a body says of a function: what each name means, what stands where, what reads before it writes.
#include "Check/ModuleCheck.h"
#include "Parse/Parse.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

/// The body of the last function of a module.
class BodyTest : public testing::Test {
protected:
  const Body &read(const std::string &functions) {
    source = SourceBuffer::fromText("test", ".version 9.0\n.target sm_90\n.address_size 64\n" + functions);
    parser.parse(*source, sink, /*keepBodies=*/true, [](const Ast &, Statement) {});
    module.emplace(parser.ast(), knowledge, *source, options, sink);
    const Body *body = nullptr;
    for (const Statement item : parser.ast().module)
      body = module->item(item);
    EXPECT_TRUE(sink.diagnostics().empty()) << sink.diagnostics().front().message();
    return *body;
  }
  /// As `%r1(2)` the names of an instruction's operands and their numbers.
  std::string namesOf(const Body &body, uint32_t number) {
    std::string text;
    for (const LocalId local : body.namesOf(number))
      text += body.text(local).str() + "(" + std::to_string(static_cast<uint32_t>(local)) + ")";
    return text;
  }

  CheckOptions options;
  DiagnosticSink sink;
  Parser parser;
  Knowledge knowledge;
  std::unique_ptr<SourceBuffer> source;
  std::optional<ModuleCheck> module;
};

} // namespace

TEST_F(BodyTest, NamesOfNestedBlocksAreKnownApart) {
  const Body &body = read(R"(.entry k() {
    .reg .b32 %r<2>;
    mov.b32 %r0, 0;
    { .reg .b32 %r0; mov.b32 %r0, 1; mov.b32 %r1, %r0; }
    { .reg .b32 %r0; mov.b32 %r0, 2; }
    mov.b32 %r1, %r0;
    ret;
  })");
  EXPECT_EQ(namesOf(body, 0), "%r0(1)");
  EXPECT_EQ(namesOf(body, 1), "%r0(2)");
  EXPECT_EQ(namesOf(body, 2), "%r1(3)%r0(2)");
  EXPECT_EQ(namesOf(body, 3), "%r0(4)");
  EXPECT_EQ(namesOf(body, 4), "%r1(3)%r0(1)");
  EXPECT_EQ(body.symbol(LocalId(1))->depth, 1);
  EXPECT_EQ(body.symbol(LocalId(4))->depth, 2);
  EXPECT_NE(body.symbol(LocalId(2))->nameRange.begin, body.symbol(LocalId(4))->nameRange.begin);
}

TEST_F(BodyTest, NumbersBeginAnewInEachFunction) {
  const Body &body = read(R"(
    .entry first() { .reg .b32 a, b; mov.b32 a, 0; mov.b32 b, a; ret; }
    .entry second() { .reg .b32 a, b; mov.b32 b, 0; mov.b32 a, b; ret; })");
  EXPECT_EQ(body.size(), 3u);
  EXPECT_EQ(namesOf(body, 0), "b(1)");
  EXPECT_EQ(namesOf(body, 1), "a(2)b(1)");
}

TEST_F(BodyTest, GuardsLabelsAndListsStandAtTheirPlaces) {
  const Body &body = read(R"(.entry k(.param .u32 p) {
    .reg .pred %p;
    .reg .b32 %r;
    ld.param.u32 %r, [p];
    mov.u32 %r, %laneid;
    setp.eq.u32 %p, %r, 0;
    A:
    @%p bra B;
    targets: .branchtargets A, B;
    brx.idx %r, targets;
    B:
    ret;
  })");
  EXPECT_EQ(body.guard(2), LocalId::None);
  EXPECT_EQ(body.text(body.guard(3)), "%p");
  ASSERT_EQ(body.labels.size(), 2u);
  EXPECT_EQ(body.labels[0].before, 3u);
  EXPECT_EQ(body.labels[1].before, 5u);
  ASSERT_EQ(body.directives.size(), 1u);
  EXPECT_EQ(body.directives[0].before, 4u);
  ASSERT_EQ(body.targets.size(), 2u);
  EXPECT_EQ(body.targets[0], body.labels[0].local);
  EXPECT_EQ(body.targets[1], body.labels[1].local);
  EXPECT_EQ(body.symbol(body.targets[0])->kind, SymbolKind::Label);
  // A special register is declared nowhere, a parameter is a variable.
  EXPECT_EQ(body.symbol(body.namesOf(1).back()), nullptr);
  EXPECT_EQ(body.symbol(body.namesOf(0).back())->kind, SymbolKind::Variable);
}

TEST_F(BodyTest, WhatTheTextReadsBeforeItWritesIsListed) {
  const Body &body = read(R"(.entry k() {
    .reg .pred %p;
    .reg .b32 %r<3>;
    mov.b32 %r0, 0;
    bra B;
    A:
    add.s32 %r0, %r0, %r1;
    setp.lt.s32 %p, %r0, 9;
    @%p bra A;
    ret;
    B:
    mov.b32 %r1, 1;
    bra A;
  })");
  ASSERT_EQ(body.readFirst.size(), 1u);
  EXPECT_EQ(body.text(body.readFirst.front()), "%r1");
}
