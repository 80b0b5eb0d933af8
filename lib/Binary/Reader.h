#pragma once
// What the parts of this step share.
#include "Binary/Binary.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace ptxray {

/// Bytes of a member in memory while it is unpacked or searched, however large it is.
constexpr uint64_t atOnce = 64 << 20;

/// Unpacked members: small ones in memory, large ones in a file without a name, mapped.
class MemberStore {
public:
  ~MemberStore();
  /// Room for so many bytes; null and a reason when there is none.
  char *make(uint64_t bytes, std::string &reason);
  /// What is not needed now leaves memory; the file without a name keeps it.
  void letGo(llvm::StringRef bytes);

private:
  std::vector<std::unique_ptr<char[]>> small;
  std::vector<std::pair<void *, size_t>> mapped;
};

/// A piece of a file with the name that its section has there.
struct Section {
  llvm::StringRef name;
  uint64_t offset = 0, size = 0;
};

/// A file or member at hand.
struct Shell {
  llvm::StringRef bytes;
  uint32_t object = 0;
  unsigned depth = 0;
};

class Reader {
public:
  Reader(Binary &binary, const ReadLimits &limits) : binary(binary), limits(limits) {}

  /// Anything that isBinary knows.
  void read(const Shell &shell);

  // ---- shells
  void readArchive(const Shell &shell);
  void readZip(const Shell &shell);
  void readOffload(const Shell &shell, llvm::StringRef section, uint64_t offset, uint64_t size);
  /// By sections, then what lies outside of them.
  void readSections(const Shell &shell, std::vector<Section> sections);
  void readCubin(const Shell &shell, llvm::ArrayRef<Section> sections);

  // ---- fat binaries
  /// A row of containers.
  void readContainers(const Shell &shell, Role role, llvm::StringRef section, uint64_t offset, uint64_t size);
  /// Containers outside of the sections that were read.
  void readLoose(const Shell &shell, llvm::ArrayRef<Section> sections, const std::map<uint64_t, uint64_t> &known);

  void problem(const Shell &shell, uint64_t offset, std::string message);
  /// A container of one image, that has no header of its own.
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

/// The sections of an ELF file of either size; problems where its tables are damaged.
std::vector<Section> elfSections(Reader &reader, const Shell &shell);
bool isElfObject(llvm::StringRef bytes);
/// sm_ number and letter of a cubin.
void readCubinTarget(llvm::StringRef bytes, Entry &entry);
/// The sections of a PE file or a COFF object.
std::vector<Section> coffSections(Reader &reader, const Shell &shell);
bool isCoffObject(llvm::StringRef bytes);

/// The bytes from `offset` on that are there, at most `size`.
inline llvm::StringRef pieceOf(llvm::StringRef bytes, uint64_t offset, uint64_t size) {
  return offset > bytes.size() ? llvm::StringRef() : bytes.substr(offset, size);
}
inline bool contains(llvm::StringRef bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

inline constexpr llvm::StringLiteral containerMagic("\x50\xed\x55\xba");

} // namespace ptxray
