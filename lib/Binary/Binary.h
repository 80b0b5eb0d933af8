#pragma once
// Finds what a binary holds for NVIDIA GPUs. This step knows the containers (ELF, PE and COFF, archives, wheels, LLVM's
// offload binary) and the fat binary within them, and nothing of PTX. Files are untrusted: sizes are compared with what
// is left before anything is read, and damage becomes a problem while the rest is read.
#include "Source/SourceBuffer.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace ptxray {

enum class ImageKind : uint8_t { Ptx, RelocatablePtx, Cubin, Nvvm, TileIr, Index, Unknown };

enum class Packing : uint8_t {
  Plain,
  Lz4,
  Zstd,
  NulLines, // a NUL in place of each line end
};

/// A role says why a container is in the file.
enum class Role : uint8_t {
  Loaded,      // the program registers it: `.nv_fatbin`, or the whole file
  Relocatable, // what a device link reads: `__nv_relfatbin`
  Loose,       // outside of such sections: only the program knows what it is for
  Debugging,   // the text that a cubin was made of
};

/// One image of a container, as its header describes it.
struct Entry {
  ImageKind kind = ImageKind::Unknown;
  Packing packing = Packing::Plain;
  bool isScrambled = false;
  bool isConcatenated = false; // a part of the unpacked text: `partOffset`, `bytes`
  char variant = 0;            // 'a' or 'f' of sm_90a
  uint16_t code = 0;           // of the kind
  uint16_t number = 0;         // of sm_90
  uint16_t major = 0, minor = 0;
  uint32_t container = 0;     // index into Binary::containers
  uint64_t offset = 0;        // of its header in the file or the member
  llvm::StringRef data;       // as it is packed
  uint64_t unpackedBytes = 0; // of all that `data` holds, as the header says
  uint64_t partOffset = 0;
  uint64_t bytes = 0; // of this image, unpacked, with the NULs at its end
  llvm::StringRef identifier, options;
  llvm::StringRef compiler,
      compilerVersion; // of a lone cubin: `ptxas`, `Cuda compilation tools, release 13.5, V13.5.37`

  bool isText() const { return kind == ImageKind::Ptx || kind == ImageKind::RelocatablePtx; }
  std::string target() const;  // `sm_90a`
  std::string version() const; // `8.7`
};

struct Container {
  Role role = Role::Loaded;
  uint32_t object = 0; // index into Binary::objects
  llvm::StringRef section;
  uint64_t offset = 0; // in the file or the member
  uint32_t first = 0, count = 0;
};

/// The file itself, or a member of an archive or a wheel.
struct Object {
  std::string member;         // `k.o`, `pkg/lib.a/k.o`; empty: the file
  bool isRelocatable = false; // a link is still to come
};

/// Something that could not be read.
struct BinaryProblem {
  std::string member;
  uint64_t offset = 0; // in the file or the member
  std::string message;
};

struct ReadLimits {
  uint64_t largestImage = 1ull << 30; // unpacked
};

class MemberStore;

struct Binary {
  Binary();
  Binary(Binary &&) noexcept;
  Binary &operator=(Binary &&) noexcept;
  ~Binary();

  std::vector<Object> objects;
  std::vector<Container> containers;
  std::vector<Entry> entries;
  std::vector<BinaryProblem> problems;
  std::unique_ptr<MemberStore> members; // that were unpacked, and that entries lie in

  const Container &containerOf(const Entry &entry) const { return containers[entry.container]; }
  const Object &objectOf(const Entry &entry) const { return objects[containerOf(entry).object]; }
  llvm::ArrayRef<Entry> entriesOf(const Container &container) const {
    return llvm::ArrayRef(entries).slice(container.first, container.count);
  }
  /// Lets the packed bytes of an entry leave memory until they are read again: a program that goes through a large
  /// wheel needs one image at a time.
  void letGo(const Entry &entry) const;
};

/// Returns whether bytes are the beginning of a file that readBinary reads.
bool isBinary(llvm::StringRef beginning);

bool isCubin(llvm::StringRef beginning);

/// Reads a binary. The bytes must outlive the result.
Binary readBinary(llvm::StringRef bytes, const ReadLimits &limits = {});

/// Unpacks images. It serves one thread and remembers the last concatenated text, whose parts are asked for one by one.
class Unpacker {
public:
  explicit Unpacker(const ReadLimits &limits = {}) : limits(limits) {}
  /// A text ends where its NULs begin.
  Expected<std::unique_ptr<SourceBuffer>> unpack(const Entry &entry, llvm::StringRef name);
  /// Returns the first bytes of an image, at most `most`; fewer if it is damaged, none of a concatenated text.
  std::string beginning(const Entry &entry, size_t most) const;

private:
  ReadLimits limits;
  const char *rememberedFrom = nullptr;
  std::string remembered;
};

/// Returns why unpacked bytes are not text; empty if they may be.
std::string whyNoText(llvm::StringRef text);

/// Returns whether the beginning of a cubin shows that it has code: the names of its sections come first, their table
/// last.
bool namesCode(llvm::StringRef beginning);

/// Returns the kernels and functions for which a cubin has code, as its sections name them.
std::vector<std::string> codeOf(llvm::StringRef cubin);

llvm::StringRef nameOf(ImageKind kind);
llvm::StringRef nameOf(Packing packing);

/// Returns the name of an entry in messages: `[.nv_fatbin 3/82 sm_90 PTX 8.7]`.
std::string entryName(const Binary &binary, size_t entry);
/// Returns the problem that an entry cannot be unpacked, or is not text.
BinaryProblem unreadableEntry(const Binary &binary, const Entry &entry, const std::string &reason);
/// Returns a problem with its place: `byte 16 of k.o: ...`.
std::string problemText(const BinaryProblem &problem);

} // namespace ptxray
