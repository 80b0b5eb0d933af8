// Tests that the release binary runs on any Linux: it names no interpreter and no shared library.
#include "llvm/Support/MemoryBuffer.h"
#include <elf.h>
#include <gtest/gtest.h>

TEST(Static, NeedsNoSharedLibrary) {
  auto file = llvm::MemoryBuffer::getFile(PTXRAY_BINARY);
  ASSERT_TRUE(file);
  const char *bytes = (*file)->getBufferStart();
  const auto *header = reinterpret_cast<const Elf64_Ehdr *>(bytes);
  ASSERT_EQ(std::memcmp(header->e_ident, ELFMAG, SELFMAG), 0);
  const auto *segments = reinterpret_cast<const Elf64_Phdr *>(bytes + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    EXPECT_NE(segments[i].p_type, PT_INTERP);
    EXPECT_NE(segments[i].p_type, PT_DYNAMIC);
  }
}

TEST(Static, StaysSmall) {
  // The size counts the segments that are loaded, which is about the size of the file after `strip`.
  auto file = llvm::MemoryBuffer::getFile(PTXRAY_BINARY);
  ASSERT_TRUE(file);
  const char *bytes = (*file)->getBufferStart();
  const auto *header = reinterpret_cast<const Elf64_Ehdr *>(bytes);
  const auto *segments = reinterpret_cast<const Elf64_Phdr *>(bytes + header->e_phoff);
  uint64_t loaded = 0;
  for (int i = 0; i < header->e_phnum; ++i)
    if (segments[i].p_type == PT_LOAD)
      loaded += segments[i].p_filesz;
  EXPECT_LT(loaded, 15u << 20);
}
