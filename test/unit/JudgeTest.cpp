// Tests how the engine checks one instruction: types, vectors, immediates, addresses, gates, and the choice of a form.
// The instructions are examples; test/isa tests which operands each instruction accepts.
#include "Match/Match.h"
#include "Samples/Sample.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

using Shapes = std::vector<Shape>;

Shape leaf(ShapeKind kind, const char *type = nullptr) {
  Shape shape;
  shape.kind = kind;
  shape.type = type ? isa::findWord(type) : 0;
  return shape;
}
Shapes reg(const char *type) { return {leaf(ShapeKind::Register, type)}; }
Shapes sink() { return {leaf(ShapeKind::Sink)}; }
Shapes integer(int64_t value) {
  Shape shape = leaf(ShapeKind::Integer);
  shape.value = value;
  return {shape};
}
Shapes floating(uint16_t flags = 0) {
  Shape shape = leaf(ShapeKind::Float);
  shape.flags = flags;
  return {shape};
}
Shapes variable(const char *space) {
  Shape shape = leaf(ShapeKind::Variable, ".b8");
  shape.space = isa::findWord(space);
  return {shape};
}
Shapes group(ShapeKind kind, std::initializer_list<Shapes> parts) {
  Shapes out = {leaf(kind)};
  for (const Shapes &part : parts)
    out.insert(out.end(), part.begin(), part.end());
  out.front().extent = out.size();
  return out;
}
Shapes vec(std::initializer_list<Shapes> parts) { return group(ShapeKind::Vector, parts); }
Shapes at(const Shapes &address) { return group(ShapeKind::Address, {address}); }

ModuleContext module(uint16_t ptx, const char *target) {
  ModuleContext context;
  context.ptx = ptx;
  context.target = isa::findTarget(target);
  return context;
}

std::vector<Finding> findings(const ModuleContext &context, const char *opcode,
                              std::initializer_list<Shapes> operands) {
  Shapes shapes;
  for (const Shapes &operand : operands)
    shapes.insert(shapes.end(), operand.begin(), operand.end());
  const Opcode words(opcode);
  const Availability availability(context);
  const WrittenInstruction written{words, shapes, availability};
  std::vector<Finding> found = judge(written).findings;
  advise(found, written);
  return found;
}

/// Returns the rules of the findings, in order and joined by blanks. An accepted instruction gives an empty string.
std::string found(const char *opcode, std::initializer_list<Shapes> operands,
                  const ModuleContext &context = module(900, "sm_100a")) {
  std::string out;
  for (const Finding &f : findings(context, opcode, operands))
    out += (out.empty() ? "" : " ") + ruleText(f.id, f.kind);
  return out;
}

const Shapes r32 = reg(".b32"), r64 = reg(".b64"), f32 = reg(".f32"), u32 = reg(".u32");

TEST(Judge, TypesOfRegisters) {
  EXPECT_EQ(found("add.s32", {r32, u32, reg(".s32")}), ""); // accepts bits and both signs
  EXPECT_EQ(found("add.s32", {r32, f32, r32}), "operand-type");
  EXPECT_EQ(found("add.s32", {r32, r64, r32}), "operand-size");
  EXPECT_EQ(found("add.f32", {f32, r32, f32}), "");
  EXPECT_EQ(found("add.f32", {f32, u32, f32}), "operand-type");
  EXPECT_EQ(found("add.u32", {r32, reg(".f16x2"), r32}), ""); // counts as an integer
  EXPECT_EQ(found("and.b32", {f32, r32, r32}), "");
  EXPECT_EQ(found("and.pred", {reg(".pred"), r32, reg(".pred")}), "predicate-expected");
}

TEST(Judge, WiderRegisters) {
  EXPECT_EQ(found("ld.u8", {r64, at(r64)}), "");
  EXPECT_EQ(found("ld.f32", {r64, at(r64)}), "");
  EXPECT_EQ(found("ld.f32", {reg(".f64"), at(r64)}), "operand-size");
  EXPECT_EQ(found("cvt.u16.u32", {r64, r32}), "");
  EXPECT_EQ(found("cvt.rn.bf16.f32", {r32, f32}), "operand-size"); // narrow formats must match exactly
}

TEST(Judge, Immediates) {
  EXPECT_EQ(found("add.u16", {reg(".u16"), integer(100000), reg(".b16")}), "truncated-constant");
  EXPECT_EQ(found("add.u16", {reg(".u16"), integer(65535), reg(".b16")}), "");
  EXPECT_EQ(found("add.f32", {f32, floating(), f32}), "");
  EXPECT_EQ(found("add.f32", {f32, integer(1), f32}), "immediate-type");
  EXPECT_EQ(found("mov.b32", {r32, floating(ShapeHexFloat)}), "");
  EXPECT_EQ(found("mov.b32", {r32, floating()}), "float-immediate");
  EXPECT_EQ(found("mov.b64", {r64, floating(ShapeHexFloat | ShapeWideFloat)}), "");
  EXPECT_EQ(found("add.u32", {integer(1), r32, r32}), "destination-register");
  EXPECT_EQ(found("bar.sync", {integer(15)}), "");
  EXPECT_EQ(found("bar.sync", {integer(16)}), "immediate-value:range");
  EXPECT_EQ(found("setmaxnreg.inc.sync.aligned.u32", {integer(25)}), "immediate-value:step");
}

TEST(Judge, Vectors) {
  EXPECT_EQ(found("ld.v2.u32", {vec({r32, sink()}), at(r64)}), "");
  EXPECT_EQ(found("ld.v2.u32", {vec({r32, r32, r32}), at(r64)}), "vector-length");
  EXPECT_EQ(found("ld.v2.u32", {r32, at(r64)}), "vector-expected");
  EXPECT_EQ(found("ld.u32", {vec({r32}), at(r64)}), "");
  EXPECT_EQ(found("add.u32", {r32, vec({r32}), r32}), "unexpected-vector");
  EXPECT_EQ(found("st.v2.b32", {at(r64), vec({u32, f32})}), "vector-elements");
  EXPECT_EQ(found("st.v2.b32", {at(r64), vec({r32, r64})}), "vector-element-sizes");
  EXPECT_EQ(found("st.v2.b32", {at(r64), vec({u32, sink()})}), "sink-as-source");
  EXPECT_EQ(found("ld.v2.f32", {vec({u32, u32}), at(r64)}), ""); // their sum of bits matches
  EXPECT_EQ(found("ld.f32", {u32, at(r64)}), "operand-type");
}

TEST(Judge, Addresses) {
  EXPECT_EQ(found("ld.global.u32", {r32, at(variable(".global"))}), "");
  EXPECT_EQ(found("ld.global.u32", {r32, at(variable(".shared"))}), "state-space");
  EXPECT_EQ(found("ld.shared::cta.u32", {r32, at(variable(".shared"))}), "");
  EXPECT_EQ(found("ld.u32", {r32, at(variable(".shared"))}), "");
  EXPECT_EQ(found("ld.u32", {r32, at(variable(".const"))}), "state-space");
  EXPECT_EQ(found("ld.global.u32", {r32, at(reg(".b8"))}), "");
  EXPECT_EQ(found("ld.global.u32", {r32, at(f32)}), "address-register:float");
  EXPECT_EQ(found("ld.local.u32", {r32, at(integer(64))}), "");
  EXPECT_EQ(found("ld.global.u32", {r32, at(integer(64))}), "immediate-address");
  EXPECT_EQ(found("ld.global.u32", {r32, r64}), "operand-shape");
}

TEST(Judge, QualifiersInAnyOrder) {
  EXPECT_EQ(found("add.f32.ftz.rn", {f32, f32, f32}), "");
  EXPECT_EQ(found("cvt.s32.rni.f32", {r32, f32}), "");
  EXPECT_EQ(found("cvt.rni.f32.s32", {r32, f32}) != "", true); // operands of these types must keep their type
  ModuleContext pedantic = module(900, "sm_100a");
  pedantic.pedantic = true;
  EXPECT_EQ(found("add.f32.rn", {f32, f32, f32}, pedantic), "qualifier-order");
  EXPECT_EQ(found("add.rn.f32", {f32, f32, f32}, pedantic), "");
}

TEST(Judge, WrongQualifiers) {
  EXPECT_EQ(found("adq.s32", {r32, r32, r32}), "unknown-instruction");
  EXPECT_NE(found("mul.s32.lo", {r32, r32, r32}).find("misplaced-qualifier"), std::string::npos);
  EXPECT_EQ(found("add.s31", {r32, r32, r32}), "unknown-qualifier");
  EXPECT_EQ(found("add.s32.s32", {r32, r32, r32}), "repeated-qualifier:type");
  EXPECT_EQ(found("add", {r32, r32, r32}), "missing-qualifier:type");
  EXPECT_EQ(found("add.rn.rz.f32", {f32, f32, f32}), "conflicting-qualifiers:rounding");
  EXPECT_EQ(found("bar.warp.sync.sync", {r32}), ""); // some words may be written twice
}

TEST(Judge, Gates) {
  auto line = [](uint16_t ptx, const char *target) {
    return found("elect.sync", {group(ShapeKind::Pair, {r32, reg(".pred")}), r32}, module(ptx, target));
  };
  EXPECT_EQ(line(800, "sm_90"), "");
  EXPECT_EQ(line(800, "sm_100a"), "");
  EXPECT_EQ(line(700, "sm_90"), "requires-ptx:instruction");
  EXPECT_EQ(line(800, "sm_80"), "requires-target:instruction");
}

TEST(Judge, Families) {
  auto line = [](uint16_t ptx, const char *target) {
    return found("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned", {}, module(ptx, target));
  };
  EXPECT_EQ(line(900, "sm_100a"), "");
  EXPECT_EQ(line(900, "sm_100f"), "");
  EXPECT_EQ(line(900, "sm_103f"), ""); // a later member of the family
  EXPECT_EQ(line(900, "sm_103a"), "");
  EXPECT_EQ(line(900, "sm_100"), "requires-target-variant:instruction");
  EXPECT_EQ(line(900, "sm_120f"), "requires-target-variant:instruction");
}

TEST(Judge, GateInWords) {
  const auto list = findings(module(900, "sm_100"), "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned", {});
  ASSERT_EQ(list.size(), 1u);
  ASSERT_EQ(list[0].args.size(), 2u);
  EXPECT_EQ(list[0].args[1], "sm_100");
  ASSERT_FALSE(list[0].notes.empty());
  EXPECT_EQ(list[0].notes.front().str(),
            "available on sm_100a, the family of sm_100f, sm_110a, or the family of sm_110f");
  EXPECT_EQ(list[0].remedy.kind, Remedy::ChangeTarget);
  EXPECT_EQ(list[0].remedy.text, "sm_100a");
}

TEST(Judge, FormsByOperands) {
  const Shapes address = at(r32);
  const char *mma = "tcgen05.mma.cta_group::1.kind::f16";
  EXPECT_EQ(found(mma, {address, r64, r64, r32, reg(".pred")}), "");
  EXPECT_EQ(found(mma, {address, address, r64, r32, reg(".pred")}), "");
  EXPECT_EQ(found("add.u32", {r32, r32}), "missing-operand");
  EXPECT_EQ(found("add.u32", {r32, r32, r32, r32}), "extra-operand");
}

TEST(Judge, MatchIsAValue) {
  const Availability availability(module(900, "sm_100a"));
  std::optional<FormMatch> match;
  {
    const Opcode opcode("ldmatrix.sync.aligned.m8n8.x4.shared.b16");
    Shapes shapes = vec({r32, r32});
    for (const Shape &shape : at(r32))
      shapes.push_back(shape);
    const Judged judged = judge({opcode, shapes, availability});
    EXPECT_FALSE(judged.isAccepted());
    match = judged.match;
  } // the object that it was made from no longer exists
  ASSERT_TRUE(match);
  EXPECT_EQ(match->slotText(".num"), ".x4");
  EXPECT_EQ(match->placeOfSlot(*match->findSlot(".num")), (FindingPlace{FindingPlace::Word, 4}));
  EXPECT_EQ(match->placeOfOperand("r"), (FindingPlace{FindingPlace::Operand, 0}));
  EXPECT_EQ(match->placeOfOperand("p"), (FindingPlace{FindingPlace::Operand, 4}));
  const Opcode unknown("adq.s32");
  EXPECT_FALSE(judge({unknown, {}, availability}).match);
}

TEST(Judge, FixesAreRight) {
  const auto list = findings(module(900, "sm_100a"), "min.abs.f32", {f32, f32, f32});
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].remedy.kind, Remedy::InsertAfterWord);
  EXPECT_EQ(list[0].remedy.text, ".xorsign");
  // Another word is wrong too. Inserting one word would not make the text right, so no fix is offered.
  for (const Finding &f : findings(module(900, "sm_80"), "min.abs.f32", {f32, f32, f32}))
    EXPECT_EQ(f.remedy.kind, Remedy::None);
}

TEST(Sampler, SameSeedSameSamples) {
  const ModuleContext context = module(900, "sm_100a");
  const auto one = sampleInstruction("cvt", context, 100, 7);
  const auto two = sampleInstruction("cvt", context, 100, 7);
  ASSERT_FALSE(one.empty());
  ASSERT_EQ(one.size(), two.size());
  for (size_t i = 0; i < one.size(); ++i)
    EXPECT_EQ(one[i].text, two[i].text);
  const auto accepted = llvm::count_if(one, [](const Sample &s) { return s.accepted; });
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, static_cast<long>(one.size()));
  EXPECT_TRUE(sampleInstruction("nothing", context, 10, 1).empty());
}

} // namespace
