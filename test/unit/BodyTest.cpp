// Tests the facts of a function that `Body` records: what each name means, where each thing lies, and what is read
// before it is written.
#include "ReadBody.h"

using namespace ptxray;

TEST(Body, NamesOfNestedBlocksAreKnownApart) {
  const ReadBody read(R"(.entry k() {
    .reg .b32 %r<2>;
    mov.b32 %r0, 0;
    { .reg .b32 %r0; mov.b32 %r0, 1; mov.b32 %r1, %r0; }
    { .reg .b32 %r0; mov.b32 %r0, 2; }
    mov.b32 %r1, %r0;
    ret;
  })");
  const Body &body = *read.body;
  EXPECT_EQ(read.namesOf(0), "%r0(1)");
  EXPECT_EQ(read.namesOf(1), "%r0(2)");
  EXPECT_EQ(read.namesOf(2), "%r1(3)%r0(2)");
  EXPECT_EQ(read.namesOf(3), "%r0(4)");
  EXPECT_EQ(read.namesOf(4), "%r1(3)%r0(1)");
  EXPECT_EQ(body.symbol(LocalId(1))->depth, 1);
  EXPECT_EQ(body.symbol(LocalId(4))->depth, 2);
  EXPECT_NE(body.symbol(LocalId(2))->nameRange.begin, body.symbol(LocalId(4))->nameRange.begin);
}

TEST(Body, NumbersBeginAnewInEachFunction) {
  const ReadBody read(R"(
    .entry first() { .reg .b32 a, b; mov.b32 a, 0; mov.b32 b, a; ret; }
    .entry second() { .reg .b32 a, b; mov.b32 b, 0; mov.b32 a, b; ret; })");
  const Body &body = *read.body;
  EXPECT_EQ(body.size(), 3u);
  EXPECT_EQ(read.namesOf(0), "b(1)");
  EXPECT_EQ(read.namesOf(1), "a(2)b(1)");
}

TEST(Body, GuardsLabelsAndListsStandAtTheirPlaces) {
  const ReadBody read(R"(.entry k(.param .u32 p) {
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
  const Body &body = *read.body;
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
  // A special register has no declaration, and a parameter is a variable.
  EXPECT_EQ(body.symbol(body.namesOf(1).back()), nullptr);
  EXPECT_EQ(body.symbol(body.namesOf(0).back())->kind, SymbolKind::Variable);
}

TEST(Body, WhatTheTextReadsBeforeItWritesIsListed) {
  const ReadBody read(R"(.entry k() {
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
  const Body &body = *read.body;
  ASSERT_EQ(body.readFirst.size(), 1u);
  EXPECT_EQ(body.text(body.readFirst.front()), "%r1");
}
