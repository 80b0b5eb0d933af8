#pragma once
// Functions that the readers of the container formats share.
#include "Binary/Binary.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace ptxray {

/// The maximum number of bytes of a member in memory while it is unpacked or searched.
constexpr uint64_t atOnce = 64 << 20;

/// Stores unpacked members: small ones in memory, large ones in an unnamed file that is mapped.
class MemberStore {
public:
  ~MemberStore();
  /// Allocates a member. Returns null and sets `reason` on failure.
  char *make(uint64_t bytes, std::string &reason);
  /// Releases the memory of bytes that are not needed now. The unnamed file keeps them.
  void letGo(llvm::StringRef bytes);

private:
  std::vector<std::unique_ptr<char[]>> small;
  std::vector<std::pair<void *, size_t>> mapped;
};

/// A named part of a file.
struct Section {
  llvm::StringRef name;
  uint64_t offset = 0, size = 0;
};

/// The file or member that is being read.
struct Shell {
  llvm::StringRef bytes;
  uint32_t object = 0;
  unsigned depth = 0;
};

class Reader {
public:
  Reader(Binary &binary, const ReadLimits &limits) : binary(binary), limits(limits) {}

  /// Reads anything that isBinary recognises.
  void read(const Shell &shell);

  // ---- shells
  void readArchive(const Shell &shell);
  void readZip(const Shell &shell);
  void readOffload(const Shell &shell, llvm::StringRef section, uint64_t offset, uint64_t size);
  /// Reads the relevant sections, then searches the bytes outside of them.
  void readSections(const Shell &shell, std::vector<Section> sections);
  void readCubin(const Shell &shell, llvm::ArrayRef<Section> sections);

  // ---- fat binaries
  /// Reads adjacent containers.
  void readContainers(const Shell &shell, Role role, llvm::StringRef section, uint64_t offset, uint64_t size);
  /// Reads containers outside of the sections that were read.
  void readLoose(const Shell &shell, llvm::ArrayRef<Section> sections, const std::map<uint64_t, uint64_t> &known);

  void problem(const Shell &shell, uint64_t offset, std::string message);
  /// Adds an image without a header of its own, as a container of one image.
  void addImage(const Shell &shell, Role role, llvm::StringRef section, uint64_t offset, Entry entry);
  std::string memberName(const Shell &shell, llvm::StringRef name) const;
  void readMember(const Shell &shell, llvm::StringRef name, llvm::StringRef bytes);

  Binary &binary;
  ReadLimits limits;

private:
  void readContainer(const Shell &shell, Container container, uint64_t begin, uint64_t end);
  void readEntry(const Shell &shell, uint64_t offset, llvm::StringRef header, llvm::StringRef data);
  void readParts(const Shell &shell, const Entry &whole, llvm::StringRef header, uint64_t offset);
  bool readHeader(const Shell &shell, uint64_t offset, llvm::StringRef header, Entry &entry);
  bool readPacking(const Shell &shell, uint64_t offset, llvm::StringRef header, Entry &entry);
};

/// Returns the sections of an ELF file of either size; damage is reported as problems.
std::vector<Section> elfSections(Reader &reader, const Shell &shell);
bool isElfObject(llvm::StringRef bytes);
/// Reads the number and letter of a cubin's target.
void readCubinTarget(llvm::StringRef bytes, Entry &entry);
/// Reads the compiler's name and version from the section `.note.nv.tkinfo` of a cubin.
void readCompilerNote(llvm::StringRef note, Entry &entry);
/// Returns the sections of a PE file or a COFF object.
std::vector<Section> coffSections(Reader &reader, const Shell &shell);
bool isCoffObject(llvm::StringRef bytes);

/// Returns the existing bytes from `offset` on, at most `size` bytes.
inline llvm::StringRef pieceOf(llvm::StringRef bytes, uint64_t offset, uint64_t size) {
  return offset > bytes.size() ? llvm::StringRef() : bytes.substr(offset, size);
}
inline bool contains(llvm::StringRef bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

inline constexpr llvm::StringLiteral containerMagic("\x50\xed\x55\xba");

} // namespace ptxray
