#pragma once
// What a binary holds for NVIDIA GPUs. This step knows the shells (ELF, PE and COFF, archives, wheels, LLVM's offload
// binary) and the fat binary inside of them, and nothing of PTX. A file is a stranger's: sizes are compared with what
// is left before anything is read, and what is damaged becomes a problem while the rest is read on.
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

/// Why a container is in the file.
enum class Role : uint8_t {
  Loaded,      // the program registers it: `.nv_fatbin`, or the whole file
  Relocatable, // what a device link reads: `__nv_relfatbin`
  Loose,       // outside of such sections: the program does with it what it likes
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

/// The file itself, or what lies in an archive or a wheel.
struct Object {
  std::string member;         // `k.o`, `pkg/lib.a/k.o`; empty: the file
  bool isRelocatable = false; // a link is still to come
};

/// What could not be read.
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
  /// Its packed bytes may leave memory until they are read again: a program that goes through a large wheel needs one
  /// image at a time.
  void letGo(const Entry &entry) const;
};

/// Whether bytes are the beginning of a file that readBinary reads.
bool isBinary(llvm::StringRef beginning);

bool isCubin(llvm::StringRef beginning);

/// The bytes must outlive what is returned.
Binary readBinary(llvm::StringRef bytes, const ReadLimits &limits = {});

/// Unpacks images. One is for one thread: it remembers the last concatenated text, whose parts are asked for one by
/// one.
class Unpacker {
public:
  explicit Unpacker(const ReadLimits &limits = {}) : limits(limits) {}
  /// Null and a reason when it cannot be unpacked. Texts end where their NULs begin.
  std::unique_ptr<SourceBuffer> unpack(const Entry &entry, llvm::StringRef name, std::string &reason);
  /// The first bytes of an image, at most so many; fewer of what is damaged, none of a concatenated text.
  std::string beginning(const Entry &entry, size_t most) const;

private:
  ReadLimits limits;
  const char *rememberedFrom = nullptr;
  std::string remembered;
};

/// Why unpacked bytes are not text; empty: they may be one.
std::string whyNoText(llvm::StringRef text);

/// Whether the beginning of a cubin shows that it has code: the names of its sections come first, their table last.
bool namesCode(llvm::StringRef beginning);

/// The kernels and functions that a cubin has code of, as its sections name them.
std::vector<std::string> codeOf(llvm::StringRef cubin);

llvm::StringRef nameOf(ImageKind kind);
llvm::StringRef nameOf(Packing packing);

} // namespace ptxray
