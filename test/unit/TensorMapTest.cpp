// Tests that the bytes of a tensor map of the emulated machine hold all of it, and that it rejects what
// cuTensorMapEncodeTiled rejects.
#include "Machine/TensorMap.h"
#include "llvm/ADT/StringExtras.h"
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
  bytes[8] = 16; // this type does not exist
  EXPECT_FALSE(decoded(bytes));
}

static std::optional<TensorMap> decodedHex(llvm::StringRef digits) {
  TensorMapBytes bytes = {};
  const std::string all = llvm::fromHex(digits);
  std::memcpy(bytes.data(), all.data(), all.size()); // the rest is zero
  return decoded(bytes);
}

TEST(TensorMap, BytesOfAnH100AreRead) {
  const std::optional<TensorMap> tile =
      decodedHex("400ae600007f0000a0b30300300000005a5dc301000000000000000000000000bf00000046670900"
                 "890000000000000000000000b10100037d0d00000000000020010000000000000001");
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->type, TensorType::Tf32);
  EXPECT_EQ(tile->rank, 3u);
  EXPECT_EQ(tile->address, 139637991803456u);
  EXPECT_EQ(tile->extents, (decltype(tile->extents){192, 616263, 138}));
  EXPECT_EQ(tile->strides, (decltype(tile->strides){768, 473290144}));
  EXPECT_EQ(tile->box, (decltype(tile->box){4, 126, 14}));
  EXPECT_EQ(tile->steps, (decltype(tile->steps){2, 7, 7}));
  EXPECT_EQ(tile->interleave, TensorInterleave::By32);
  EXPECT_EQ(tile->swizzle, TensorSwizzle::By32);
  EXPECT_TRUE(tile->fillsWithNan);
  const std::optional<TensorMap> images =
      decodedHex("40cfa300007f000031b302002e0000004c0444000c044b4e00000000000c00001f010000867a0100"
                 "502e0000d6d4060000000000630f0007f6ff00008601000070180000000000000001");
  ASSERT_TRUE(images);
  EXPECT_EQ(images->type, TensorType::F16);
  EXPECT_EQ(images->mode, TensorMode::Im2col);
  EXPECT_EQ(images->strides, (decltype(images->strides){736, 71320768, 845650346176}));
  EXPECT_EQ(images->lower, (decltype(images->lower){-10, -1}));
  EXPECT_EQ(images->upper, (decltype(images->upper){}));
  EXPECT_EQ(images->channels, 8u);
  EXPECT_EQ(images->pixels, 391u);
}

// The CuTe DSL writes another version.
TEST(TensorMap, BytesOfTheCuteDslAreRead) {
  const std::optional<TensorMap> map =
      decodedHex("00f0da11cd7f00001263040010000000000000000000000000000000000000007f0000007f000000"
                 "0000000000000000000000000000003f7f000000000000000f0000000000000000000000000000000500");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->type, TensorType::F16);
  EXPECT_EQ(map->rank, 2u);
  EXPECT_EQ(map->strides[0], 256u);
  EXPECT_EQ(map->box, (decltype(map->box){64, 128}));
  EXPECT_EQ(map->swizzle, TensorSwizzle::By128);
  const std::optional<TensorMap> fours =
      decodedHex("0090c3d4777f0000a26504000800000000040000000000000000000000000000ff0000007f0000000000"
                 "00000000000000000000000000ff7f");
  ASSERT_TRUE(fours);
  EXPECT_EQ(fours->type, TensorType::B4x16);
  EXPECT_EQ(fours->box, (decltype(fours->box){256, 128, 1}));
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
      {"its elements are unpacked, and its swizzle is not 128 bytes",
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
  EXPECT_EQ(findProblem(map, hopper), "its swizzle moves more than 16 bytes at once, which requires sm_100");
  EXPECT_EQ(findProblem(map, blackwell), "");
  map.atom = SwizzleAtom::By16;
  EXPECT_EQ(findProblem(map, hopper), "");
}
