// Tests files of `ptxray record`: a written file can be read, and every damaged file is rejected.
#include "Recording.h"
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ptxray::launcher;

namespace {

class RecordingFile : public testing::Test {
protected:
  RecordingFile() {
    const int made = mkstemp(path.data());
    if (made >= 0)
      close(made);
  }
  ~RecordingFile() override { unlink(path.c_str()); }

  std::string write(const Recording &recording) const {
    std::FILE *file = std::fopen(path.c_str(), "wb");
    writeBefore(file, recording);
    if (recording.result)
      writeAfter(file, recording);
    std::fclose(file);
    std::ifstream written(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(written), {}};
  }
  ptxray::Expected<Recording> read(const std::string &bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
    return readRecording(path);
  }
  /// Returns the problem of rejected bytes, or an empty string.
  std::string complaint(const std::string &bytes) const { return read(bytes).problem(); }

  std::string path = testing::TempDir() + "/recording-XXXXXX";
};

} // namespace

static Recording sample() {
  Recording one;
  one.kernel = "k";
  one.ptx = ".version 8.0\n";
  one.target = "sm_90";
  one.device = "a GPU";
  one.grid = {1, 2, 3};
  one.block = {32, 1, 1};
  one.shared = 16;
  one.parameters = {{1, 2, 3, 4}, {0, 0x10, 0, 0, 0, 0x70, 0, 0}};
  one.leftOut = {"a part of something"};
  one.memory.resize(2);
  one.memory[0].variable = "v";
  one.memory[0].address = 0x1000;
  one.memory[0].before = one.memory[0].after = {5, 6, 7, 8};
  one.memory[1].address = 0x700000001000;
  one.memory[1].before.assign(9000, 0);
  one.memory[1].before[8999] = 9;
  one.memory[1].after = one.memory[1].before;
  one.memory[1].after[0] = 1;
  one.result = 0;
  return one;
}

/// Returns the next place to damage: every place in the text, and some in the pages after it.
static size_t after(size_t place) {
  constexpr size_t text = 500, step = 61;
  return place + (place < text ? 1 : step);
}

TEST_F(RecordingFile, IsReadAsItWasWritten) {
  const Recording wrote = sample(), found = *read(write(wrote));
  EXPECT_EQ(found.kernel, wrote.kernel);
  EXPECT_EQ(found.ptx, wrote.ptx);
  EXPECT_EQ(found.device, wrote.device);
  EXPECT_EQ(found.grid, wrote.grid);
  EXPECT_EQ(found.block, wrote.block);
  EXPECT_EQ(found.shared, wrote.shared);
  EXPECT_EQ(found.parameters, wrote.parameters);
  EXPECT_EQ(found.leftOut, wrote.leftOut);
  EXPECT_EQ(found.result, 0);
  ASSERT_EQ(found.memory.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found.memory[i].variable, wrote.memory[i].variable);
    EXPECT_EQ(found.memory[i].address, wrote.memory[i].address);
    EXPECT_EQ(found.memory[i].before, wrote.memory[i].before);
    EXPECT_EQ(found.memory[i].after, wrote.memory[i].after);
  }
}

TEST_F(RecordingFile, WithoutItsEndIsALaunchThatDidNotEnd) {
  Recording endless = sample();
  endless.result.reset();
  const std::string first = write(endless), whole = write(sample());
  ASSERT_TRUE(whole.starts_with(first));
  EXPECT_FALSE(read(first)->result);
  for (size_t length = 0; length < whole.size(); length = after(length))
    ASSERT_TRUE(length == first.size() || !complaint(whole.substr(0, length)).empty()) << length;
}

TEST_F(RecordingFile, WithAnyOtherByteIsRefused) {
  const std::string whole = write(sample());
  for (size_t i = 0; i < whole.size(); i = after(i))
    for (const char change : {1, -128}) {
      std::string other = whole;
      other[i] = static_cast<char>(other[i] ^ change);
      ASSERT_NE(complaint(other), "") << i;
    }
}

TEST_F(RecordingFile, WithLargeMemoryNeedsABitForEachPage) {
  const std::string whole = write(sample());
  const size_t at = whole.find("memory 0x700000001000");
  for (const char *line : {"memory 0x700000001000 4294967292\n", "memory 0x700000001000 18446744073709551615\n",
                           "memory 0xffffffffffffffff 1\n", "memory 0x700000000000 4096\nmemory 0x700000000001 1\n"}) {
    std::string other = whole;
    other.replace(at, other.find('\n', at) + 1 - at, line);
    EXPECT_NE(complaint(other), "") << line;
  }
}

TEST(Relocated, WordsLeadToWhereMemoryIs) {
  Bytes words(24);
  const uint64_t inFirst = 0x1008, beyond = 0x1010, inSecond = 0x2000;
  std::memcpy(&words[0], &inFirst, 8);
  std::memcpy(&words[8], &beyond, 8);
  std::memcpy(&words[16], &inSecond, 8);
  relocate(words, realMoves({{0x2000, 8, 0x9000}, {0x1000, 16, 0x7000}, {0x3000, 8, 0x3000}}));
  uint64_t found[3];
  std::memcpy(found, words.data(), sizeof found);
  EXPECT_EQ(found[0], 0x7008u);
  EXPECT_EQ(found[1], beyond);
  EXPECT_EQ(found[2], 0x9000u);
}

TEST_F(RecordingFile, RefusesAnImageThatIsNone) {
  std::string bytes = write(sample());
  const size_t ptx = bytes.find("\nptx ");
  ASSERT_NE(ptx, std::string::npos);
  bytes.insert(ptx, "\ntexels 48\nimage 0 0 0x3 0 tex=file:/etc/passwd");
  EXPECT_NE(complaint(bytes), "");
}
