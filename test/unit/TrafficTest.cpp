// Compares the counts of memory accesses with those of a profiler on an H100.
#include "Traffic/Traffic.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <array>
#include <gtest/gtest.h>

using namespace ptxray::traffic;

namespace {

/// One measured access.
struct Measured {
  llvm::StringRef kind;
  LaneAddresses lanes{};
  std::array<uint64_t, warpLanes> at{};
  llvm::SmallVector<uint32_t, 3> counts;
};

void read(llvm::StringRef line, Measured &result) {
  const auto [head, addresses] = line.split(" : ");
  llvm::SmallVector<llvm::StringRef> words, lanes;
  llvm::SplitString(head, words);
  llvm::SplitString(addresses, lanes);
  ASSERT_EQ(lanes.size(), warpLanes) << line.str();
  result.kind = words[0];
  result.lanes = {result.at.data(), 0, 0};
  ASSERT_FALSE(words[1].getAsInteger(10, result.lanes.bytes)) << line.str();
  for (const llvm::StringRef word : llvm::ArrayRef(words).drop_front(2))
    ASSERT_FALSE(word.getAsInteger(10, result.counts.emplace_back())) << line.str();
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    if (!lanes[lane].getAsInteger(16, result.at[lane]))
      result.lanes.mask |= 1u << lane;
}

llvm::SmallVector<uint32_t, 3> countsOf(const Measured &one) {
  if (one.kind == "Global") {
    const Pieces pieces = piecesOf(one.lanes);
    return {pieces.sectors, pieces.ideal, pieces.lines};
  }
  const AccessKind kind = one.kind == "Load"     ? AccessKind::Load
                          : one.kind == "Copy"   ? AccessKind::Copy
                          : one.kind == "Atomic" ? AccessKind::Atomic
                                                 : AccessKind::Store;
  const Wavefronts found = wavefrontsOf(kind, one.lanes);
  return {found.count, found.ideal};
}

} // namespace

TEST(Traffic, IsWhatAProfilerCounts) {
  auto file = llvm::MemoryBuffer::getFile(TEST_FOLDER "/unit/traffic.txt");
  ASSERT_TRUE(bool(file));
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  size_t count = 0;
  for (const llvm::StringRef line : lines) {
    if (line.starts_with("//"))
      continue;
    Measured one;
    read(line, one);
    ++count;
    EXPECT_EQ(countsOf(one), one.counts) << line.str();
  }
  EXPECT_EQ(count, 879u);
}
