// The bytes of a tensor map of the emulated machine hold all of it, and what cuTensorMapEncodeTiled refuses is refused.
#include "Machine/TensorMap.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace ptxray::machine;

static TensorMap usual() {
  TensorMap map;
  map.type = TensorType::F16;
  map.rank = 2;
  map.address = 0x700000001000;
  map.extents = {uint64_t(1) << 32, 33};
  map.strides = {(uint64_t(1) << 40) - 16};
  map.box = {64, 256};
  map.steps = {1, 8};
  map.swizzle = TensorSwizzle::By128;
  map.atom = SwizzleAtom::By64;
  map.fillsWithNan = true;
  return map;
}

static std::optional<TensorMap> decoded(const TensorMapBytes &bytes) {
  uint8_t copy[tensorMapBytes];
  std::memcpy(copy, bytes.data(), sizeof copy);
  return decodeTensorMap(copy);
}

TEST(TensorMap, BytesHoldAllOfIt) {
  const TensorMap map = usual();
  EXPECT_EQ(findProblem(map), "");
  const std::optional<TensorMap> found = decoded(encode(map));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->type, map.type);
  EXPECT_EQ(found->rank, map.rank);
  EXPECT_EQ(found->address, map.address);
  for (unsigned i = 0; i < map.rank; ++i) {
    EXPECT_EQ(found->extents[i], map.extents[i]);
    EXPECT_EQ(found->box[i], map.box[i]);
    EXPECT_EQ(found->steps[i], map.steps[i]);
  }
  EXPECT_EQ(found->strides[0], map.strides[0]);
  EXPECT_EQ(found->interleave, map.interleave);
  EXPECT_EQ(found->swizzle, map.swizzle);
  EXPECT_EQ(found->atom, map.atom);
  EXPECT_TRUE(found->fillsWithNan);
}

TEST(TensorMap, OtherBytesAreNone) {
  EXPECT_FALSE(decoded({}));
  TensorMapBytes bytes = encode(usual());
  bytes[8] = 16; // there is no such type
  EXPECT_FALSE(decoded(bytes));
}

TEST(TensorMap, ProblemsAreFound) {
  struct Case {
    const char *problem;
    void (*change)(TensorMap &map);
  };
  const Case cases[] = {
      {"it has 0 dimensions; 1 to 5 expected", [](TensorMap &map) { map.rank = 0; }},
      {"it has 2 dimensions; interleaved, 3 to 5 expected",
       [](TensorMap &map) { map.interleave = TensorInterleave::By16; }},
      {"its address is not a multiple of 16", [](TensorMap &map) { map.address += 8; }},
      {"the extent of dimension 1 is 0; 1 to 2^32 expected", [](TensorMap &map) { map.extents[1] = 0; }},
      {"the box of dimension 1 is 257; 1 to 256 expected", [](TensorMap &map) { map.box[1] = 257; }},
      {"the step of dimension 1 is 9; 1 to 8 expected", [](TensorMap &map) { map.steps[1] = 9; }},
      {"the stride of dimension 1 is 24 bytes; a multiple of 16 below 2^40 expected",
       [](TensorMap &map) { map.strides[0] = 24; }},
      {"a row of the box has 72 bytes; a multiple of 16 expected", [](TensorMap &map) { map.box[0] = 36; }},
      {"a row of the box has 144 bytes; 128, by which it is swizzled, at most",
       [](TensorMap &map) { map.box[0] = 72; }},
      {"a tile has 262144 bytes; at most 233472 expected",
       [](TensorMap &map) {
         map.rank = 3;
         map.strides[1] = 32;
         map.extents[2] = 8;
         map.box = {64, 256, 8};
         map.steps = {1, 1, 1};
       }},
      {"its elements are unpacked, and it is swizzled by something else than 128 bytes",
       [](TensorMap &map) {
         map.type = TensorType::B4x16P64;
         map.strides[0] = 1 << 20;
         map.swizzle = TensorSwizzle::By64;
       }},
      {"it is not swizzled by 128 bytes, as these atoms require",
       [](TensorMap &map) { map.swizzle = TensorSwizzle::None; }},
      {"its elements are not floats, so that NaN cannot fill it", [](TensorMap &map) { map.type = TensorType::U16; }},
  };
  for (const Case &one : cases) {
    TensorMap map = usual();
    one.change(map);
    EXPECT_EQ(findProblem(map), one.problem);
  }
}

static TensorMap images() {
  TensorMap map = usual();
  map.rank = 4;
  map.extents = {64, 9, 14, 8};
  map.strides = {128, 1152, 16128};
  map.steps = {1, 1, 1, 1};
  map.mode = TensorMode::Im2col;
  map.lower = {-1, -128};
  map.upper = {-1, 127};
  map.channels = 64;
  map.pixels = 1024;
  return map;
}

TEST(TensorMap, BytesHoldImages) {
  const TensorMap map = images();
  EXPECT_EQ(findProblem(map), "");
  const std::optional<TensorMap> found = decoded(encode(map));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->mode, map.mode);
  EXPECT_EQ(found->lower, map.lower);
  EXPECT_EQ(found->upper, map.upper);
  EXPECT_EQ(found->channels, map.channels);
  EXPECT_EQ(found->pixels, map.pixels);
}

TEST(TensorMap, ProblemsOfImagesAreFound) {
  struct Case {
    const char *problem;
    void (*change)(TensorMap &map);
  };
  const Case cases[] = {
      {"it has 2 dimensions; 3 to 5 expected", [](TensorMap &map) { map.rank = 2; }},
      {"the channels are 257; 1 to 256 expected", [](TensorMap &map) { map.channels = 257; }},
      {"the pixels are 1025; 1 to 1024 expected", [](TensorMap &map) { map.pixels = 1025; }},
      {"a corner is 128; -128 to 127 expected for 4 dimensions", [](TensorMap &map) { map.upper[0] = 128; }},
      {"no pixel of dimension 1 lies between the corners", [](TensorMap &map) { map.upper[0] = -10; }},
      {"a row of the box has 144 bytes; 128, by which it is swizzled, at most",
       [](TensorMap &map) { map.channels = 72; }},
  };
  for (const Case &one : cases) {
    TensorMap map = images();
    one.change(map);
    EXPECT_EQ(findProblem(map), one.problem);
  }
}

TEST(TensorMap, SomeBeginWithBlackwell) {
  constexpr unsigned hopper = 90, blackwell = 100;
  TensorMap map = usual();
  EXPECT_EQ(findProblem(map, hopper), "its swizzle moves more than 16 bytes at once, which begins with sm_100");
  EXPECT_EQ(findProblem(map, blackwell), "");
  map.atom = SwizzleAtom::By16;
  EXPECT_EQ(findProblem(map, hopper), "");
}
