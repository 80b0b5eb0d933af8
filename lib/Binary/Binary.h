#pragma once
// Finds the PTX and the machine code in a binary for NVIDIA GPUs. This step knows the containers (ELF, PE and COFF,
// archives, wheels, LLVM's offload binary) and the fat binary within them, but nothing about PTX. Files are untrusted:
// each size is compared with the remaining bytes before anything is read. Damage is reported as a problem, and the rest
// is still read.
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

/// The role of a container in the file.
enum class Role : uint8_t {
  Loaded,      // registered by the program: `.nv_fatbin`, or the whole file
  Relocatable, // read by a device link: `__nv_relfatbin`
  Loose,       // outside of these sections; only the program knows its purpose
  Debugging,   // PTX source of a cubin
};

/// One image of a container, as its header describes it.
struct Entry {
  ImageKind kind = ImageKind::Unknown;
  Packing packing = Packing::Plain;
  bool isScrambled = false;
  bool isConcatenated = false; // only a part of the unpacked text: `partOffset`, `bytes`
  char variant = 0;            // 'a' or 'f' of sm_90a
  uint16_t code = 0;           // code of the kind in the header
  uint16_t number = 0;         // number of the target: 90 for `sm_90`
  uint16_t major = 0, minor = 0;
  uint32_t container = 0;     // index into Binary::containers
  uint64_t offset = 0;        // offset of the header in the file or the member
  llvm::StringRef data;       // still packed
  uint64_t unpackedBytes = 0; // unpacked size of all of `data`, according to the header
  uint64_t partOffset = 0;
  uint64_t bytes = 0; // unpacked size of this image, including trailing NULs
  llvm::StringRef identifier, options;
  llvm::StringRef compiler,
      compilerVersion; // set for a lone cubin: `ptxas`, `Cuda compilation tools, release 13.5, V13.5.37`

  bool isText() const { return kind == ImageKind::Ptx || kind == ImageKind::RelocatablePtx; }
  std::string target() const;  // `sm_90a`
  std::string version() const; // `8.7`
};

struct Container {
  Role role = Role::Loaded;
  uint32_t object = 0; // index into Binary::objects
  llvm::StringRef section;
  uint64_t offset = 0; // offset in the file or the member
  uint32_t first = 0, count = 0;
};

/// The file itself, or a member of an archive or a wheel.
struct Object {
  std::string member;         // `k.o`, `pkg/lib.a/k.o`; empty for the file itself
  bool isRelocatable = false; // not linked yet
};

/// A part of the file that could not be read.
struct BinaryProblem {
  std::string member;
  uint64_t offset = 0; // offset in the file or the member
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
  std::unique_ptr<MemberStore> members; // owns the unpacked members that entries refer to

  const Container &containerOf(const Entry &entry) const { return containers[entry.container]; }
  const Object &objectOf(const Entry &entry) const { return objects[containerOf(entry).object]; }
  llvm::ArrayRef<Entry> entriesOf(const Container &container) const {
    return llvm::ArrayRef(entries).slice(container.first, container.count);
  }
  /// Releases the memory of the packed bytes of an entry; the next access reads them again. Callers that iterate over a
  /// large wheel need only one image at a time.
  void letGo(const Entry &entry) const;
};

/// Returns whether `readBinary` reads files that begin with these bytes.
bool isBinary(llvm::StringRef beginning);

bool isCubin(llvm::StringRef beginning);

/// Reads a binary. The bytes must outlive the result.
Binary readBinary(llvm::StringRef bytes, const ReadLimits &limits = {});

/// Unpacks images, for one thread. Remembers the last concatenated text, because callers request its parts one by one.
class Unpacker {
public:
  explicit Unpacker(const ReadLimits &limits = {}) : limits(limits) {}
  /// Unpacks an image as source text, which ends at the first NUL.
  Expected<std::unique_ptr<SourceBuffer>> unpack(const Entry &entry, llvm::StringRef name);
  /// Returns at most `most` bytes from the beginning of an image. Returns fewer bytes for a damaged image, and none for
  /// a concatenated text.
  std::string beginning(const Entry &entry, size_t most) const;

private:
  ReadLimits limits;
  const char *rememberedFrom = nullptr;
  std::string remembered;
};

/// Returns why unpacked bytes cannot be text, or nothing if they can.
std::string whyNoText(llvm::StringRef text);

/// Returns whether a cubin contains code, judging by its first bytes. The names of sections are at the start of a
/// cubin, and the section table is at its end.
bool namesCode(llvm::StringRef beginning);

/// Returns the kernels and functions for which a cubin has code, as its sections name them.
std::vector<std::string> codeOf(llvm::StringRef cubin);

llvm::StringRef nameOf(ImageKind kind);
llvm::StringRef nameOf(Packing packing);

/// Returns the display name of an entry.
std::string entryName(const Binary &binary, size_t entry);
/// Returns the problem of an entry that cannot be unpacked or is not text.
BinaryProblem unreadableEntry(const Binary &binary, const Entry &entry, const std::string &reason);
/// Returns the text of a problem with its location: `byte 16 of k.o: ...`.
std::string problemText(const BinaryProblem &problem);

} // namespace ptxray
