// Tests the references against results worked out by hand from the manual, and against each other.
#include "reference/Matrix.h"
#include "reference/Video.h"
#include <gtest/gtest.h>

using namespace ptxray::device;

static uint32_t run(const char *text, uint32_t a, uint32_t b, uint32_t c = 0, Reading reading = Reading::Manual) {
  const std::optional<Video> video = parseVideo(text);
  EXPECT_TRUE(video) << text;
  return video ? evaluate(*video, a, b, c, reading) : 0;
}

TEST(Video, ReadsTexts) {
  const Video video = *parseVideo("vshr.s32.u32.u32.sat.clamp.max %r0, %r1.b2, %r2.h1, %r3;");
  EXPECT_EQ(video.op, VideoOp::ShiftRight);
  EXPECT_TRUE(video.dSigned && !video.aSigned && video.saturate && video.clampShift);
  EXPECT_EQ(video.second, Second::Max);
  EXPECT_EQ(video.a.bits, 8);
  EXPECT_EQ(video.a.shift, 16);
  EXPECT_EQ(video.b.bits, 16);
  EXPECT_EQ(video.b.shift, 16);
  EXPECT_FALSE(parseVideo("add.s32 %r0, %r1, %r2;"));
  EXPECT_FALSE(parseVideo("vadd.u32.u32 %r0, %r1, %r2;"));
}

TEST(Video, ScalarParts) {
  EXPECT_EQ(run("vadd.s32.s32.s32 %r0, %r1.b3, %r2.h0;", 0x80000000, 0xffff), 0xffffff7fu);
  EXPECT_EQ(run("vadd.u32.u32.u32 %r0, %r1.b3, %r2.h0;", 0x80000000, 0xffff), 0x1007fu);
  EXPECT_EQ(run("vsub.s32.u32.u32.sat %r0, %r1, %r2;", 0, 0xffffffff), 0x80000000u);
  EXPECT_EQ(run("vsub.u32.u32.u32.sat %r0, %r1, %r2;", 0, 1), 0u);
  EXPECT_EQ(run("vabsdiff.u32.s32.s32 %r0, %r1, %r2;", 0x80000000, 0x7fffffff), 0xffffffffu);
  EXPECT_EQ(run("vmin.s32.u32.s32 %r0, %r1, %r2;", 0xffffffff, 0xffffffff), 0xffffffffu);
}

TEST(Video, ScalarSecondOperation) {
  EXPECT_EQ(run("vadd.u32.u32.u32.add %r0, %r1, %r2, %r3;", 1, 2, 0xffffffff), 2u);
  // 2^32 is negative in 33 bits.
  EXPECT_EQ(run("vadd.u32.u32.u32.max %r0, %r1, %r2, %r3;", 0xffffffff, 1, 5), 5u);
  EXPECT_EQ(run("vmax.s32.s32.s32.max %r0, %r1, %r2, %r3;", 0x80000000, 0xfffffff0, 0xffffffff), 0xffffffffu);
}

TEST(Video, SequencesOfPtxas) {
  auto sequence = [](const char *text, uint32_t a, uint32_t b, uint32_t c = 0) {
    return run(text, a, b, c, Reading::Sequence);
  };
  // Here the sequences agree with the manual.
  EXPECT_EQ(sequence("vadd.s32.s32.s32.sat %r0, %r1, %r2;", 0x7fffffff, 1), 0x7fffffffu);
  EXPECT_EQ(sequence("vmin.u32.u32.u32.max %r0, %r1, %r2, %r3;", 0x90000000, 0xa0000000, 1), 0x90000000u);
  // Here they do not. The expected numbers are the results of an H200.
  EXPECT_EQ(sequence("vadd.u32.u32.u32.sat %r0, %r1, %r2;", 0xe32eb2dc, 0x26eaace3), 0x0a195fbfu);
  EXPECT_EQ(sequence("vmin.s32.u32.s32.sat %r0.b0, %r1.b1, %r2.b0, %r3;", 0xe32eb2dc, 0x26eaace3, 0x84a511e2),
            0x84a5117fu);
  EXPECT_EQ(sequence("vset.s32.u32.le.max %r0, %r1.h1, %r2.b1, %r3;", 0xe32eb2dc, 0x26eaace3, 0x84a511e2), 1u);
  EXPECT_EQ(sequence("vmad.u32.u32.u32.sat %r0, %r1, %r2, %r3;", 0x89c5011b, 0x3335556b, 0x7c2747fe), 0u);
  EXPECT_EQ(sequence("vadd.s32.s32.s32.max %r0, %r1, %r2.h0, %r3;", 0x7fffffff, 1, 0), 0u);
}

TEST(Video, ScalarMerge) {
  EXPECT_EQ(run("vadd.u32.u32.u32 %r0.b1, %r1, %r2, %r3;", 0x1ff, 1, 0xaabbccdd), 0xaabb00ddu);
  EXPECT_EQ(run("vadd.u32.u32.u32.sat %r0.b1, %r1, %r2, %r3;", 0x1ff, 1, 0xaabbccdd), 0xaabbffddu);
  EXPECT_EQ(run("vadd.s32.s32.s32.sat %r0.h1, %r1, %r2, %r3;", 0x80000000, 0, 0xaabbccdd), 0x8000ccddu);
}

TEST(Video, Shifts) {
  EXPECT_EQ(run("vshl.u32.u32.u32.clamp %r0, %r1, %r2;", 1, 33), 0u);
  EXPECT_EQ(run("vshl.u32.u32.u32.wrap %r0, %r1, %r2;", 1, 33), 2u);
  EXPECT_EQ(run("vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2;", 3, 31), 0xffffffffu);
  EXPECT_EQ(run("vshr.s32.s32.u32.clamp %r0, %r1, %r2;", 0x80000000, 100), 0xffffffffu);
  EXPECT_EQ(run("vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2;", 4, 32), 0u); // only 34 bits are kept
  EXPECT_EQ(run("vshr.u32.u32.u32.clamp %r0, %r1, %r2;", 0x80000000, 32), 0u);
}

TEST(Video, MultiplyAdd) {
  EXPECT_EQ(run("vmad.u32.u32.u32 %r0, %r1, %r2, %r3;", 3, 4, 5), 17u);
  EXPECT_EQ(run("vmad.u32.u32.u32.po %r0, %r1, %r2, %r3;", 3, 4, 5), 18u);
  EXPECT_EQ(run("vmad.s32.u32.u32 %r0, -%r1, %r2, %r3;", 3, 4, 5), static_cast<uint32_t>(-7));
  EXPECT_EQ(run("vmad.s32.u32.u32 %r0, %r1, %r2, -%r3;", 3, 4, 5), 7u);
  EXPECT_EQ(run("vmad.u32.u32.u32 %r0, -%r1, -%r2, %r3;", 3, 4, 5), 17u);
  EXPECT_EQ(run("vmad.u32.u32.u32.shr7 %r0, %r1, %r2, %r3;", 0xffffffff, 0xffffffff, 0), 0xfc000000u);
  EXPECT_EQ(run("vmad.u32.u32.u32.sat.shr15 %r0, %r1, %r2, %r3;", 0xffffffff, 0xffffffff, 0), 0xffffffffu);
  EXPECT_EQ(run("vmad.s32.s32.s32.sat %r0, %r1, %r2, %r3;", 0x80000000, 2, 0), 0x80000000u);
}

TEST(Video, Comparisons) {
  EXPECT_EQ(run("vset.s32.u32.lt %r0, %r1, %r2;", 0xffffffff, 0), 1u);
  EXPECT_EQ(run("vset.u32.s32.lt.add %r0, %r1, %r2, %r3;", 0, 0xffffffff, 9), 9u);
  EXPECT_EQ(run("vset.u32.u32.ne %r0.b2, %r1.b0, %r2.b1, %r3;", 0x01, 0x0200, 0x11223344), 0x11013344u);
}

TEST(Video, Lanes) {
  // Without selectors, each lane of a is combined with the same lane of b.
  EXPECT_EQ(run("vadd2.u32.u32.u32 %r0, %r1, %r2, %r3;", 0x00010002, 0x00030004, 0), 0x00040006u);
  EXPECT_EQ(run("vadd2.s32.s32.s32.sat %r0.h1, %r1, %r2, %r3;", 0x7fff7fff, 0x00010001, 0x11112222), 0x7fff2222u);
  EXPECT_EQ(run("vsub2.u32.u32.u32 %r0, %r1.h32, %r2.h10, %r3;", 0x00010002, 0x00050009, 0), 0x00040007u);
  EXPECT_EQ(run("vadd4.u32.u32.u32.add %r0.b20, %r1, %r2, %r3;", 0x01020304, 0x10101010, 1), 0x12u + 0x14u + 1);
  EXPECT_EQ(run("vavrg2.s32.s32.s32 %r0, %r1, %r2, %r3;", 0xfffe0001, 0xffff0002, 0), 0xfffe0002u);
  EXPECT_EQ(run("vset4.u32.u32.eq %r0, %r1, %r2, %r3;", 0x01020304, 0x01ff0304, 0xffffffff), 0x01000101u);
  EXPECT_EQ(run("vabsdiff4.u32.s32.s32 %r0, %r1, %r2, %r3;", 0x80808080, 0x7f7f7f7f, 0), 0xffffffffu);
  EXPECT_EQ(run("vmin4.s32.s32.u32 %r0, %r1.b0000, %r2.b7777, %r3;", 0x000000ff, 0x01000000, 0), 0xffffffffu);
}

TEST(Video, SaturationNeverLeavesTheType) {
  for (uint32_t a : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu})
    for (uint32_t b : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
      const int64_t sum = static_cast<int64_t>(a) + b;
      EXPECT_EQ(run("vadd.u32.u32.u32.sat %r0, %r1, %r2;", a, b), std::min<int64_t>(sum, 0xffffffff));
      const int64_t difference = static_cast<int64_t>(static_cast<int32_t>(a)) - static_cast<int32_t>(b);
      EXPECT_EQ(run("vsub.s32.s32.s32.sat %r0, %r1, %r2;", a, b),
                static_cast<uint32_t>(std::clamp<int64_t>(difference, INT32_MIN, INT32_MAX)));
    }
}

TEST(Matrix, Fragments) {
  Matrix matrix;
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column)
      matrix[row][column] = row * 16 + column;
  const Fragment fragment = fragmentOf(matrix);
  EXPECT_EQ(fragment[0], 0x00010000u);
  EXPECT_EQ(fragment[5], 0x00130012u); // row 1, columns 2 and 3
  EXPECT_EQ(fragment[31], 0x00770076u);
  EXPECT_EQ(matrixOf(fragment), matrix);
  EXPECT_EQ(transposed(matrix)[3][5], 5 * 16 + 3);
  EXPECT_EQ(transposed(transposed(matrix)), matrix);
}

TEST(Matrix, WidenedFragments) {
  NarrowRows rows = {};
  rows[0] = 0x76543210fedcba98; // columns 0 to 7 are -8 to -1, 8 to 15 are 0 to 7
  rows[7] = 0x8000000000000000; // column 15
  const Fragment fragment = widenedFragmentOf(rows);
  EXPECT_EQ(fragment[0], 0xfbfaf9f8u);
  EXPECT_EQ(fragment[1], 0xfffefdfcu);
  EXPECT_EQ(fragment[2], 0x03020100u);
  EXPECT_EQ(fragment[3], 0x07060504u);
  EXPECT_EQ(fragment[4], 0u);
  EXPECT_EQ(fragment[31], 0xf8000000u);
}
