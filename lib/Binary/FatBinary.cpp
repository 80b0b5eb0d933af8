// Reads containers and entries of the fat binary (docs/binaries.md describes the layout).
#include "Binary/Reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <algorithm>

namespace ptxray {

using llvm::StringRef;
using namespace llvm::support;

namespace {

struct ContainerHeader {
  char magic[4];
  ulittle16_t version, headerSize;
  ulittle64_t size; // size of the rest
};
static_assert(sizeof(ContainerHeader) == 16);

struct EntryHeader {
  ulittle16_t kind, mark; // 0x0101
  ulittle32_t headerSize; // size of the part's header, after which its text begins
  ulittle64_t dataSize;   // including padding
  ulittle32_t packedSize; // excluding padding
  ulittle32_t options;
  ulittle16_t minor, major;
  ulittle32_t target;
  ulittle32_t identifier, identifierSize;
  ulittle64_t flags, key, unpackedSize;
};
static_assert(sizeof(EntryHeader) == 64);

enum : uint64_t { Lz4Block = 0x2000, ZstdFrame = 0x8000, Scrambled = 0x10000, TargetA = 0x100000, TargetF = 0x200000 };

constexpr uint16_t entryMark = 0x0101;
constexpr uint16_t concatenatedKind = 0x100;
constexpr uint64_t lz4Growth = 255; // maximum expansion factor of a block

const EntryHeader &fields(StringRef header) { return *reinterpret_cast<const EntryHeader *>(header.data()); }

ImageKind kindOf(uint16_t code) {
  switch (code) {
  case 1: return ImageKind::Ptx;
  case 2: return ImageKind::Cubin;
  case 8: return ImageKind::Nvvm;
  case 0x10: return ImageKind::TileIr;
  case 0x20: return ImageKind::Index;
  case 0x40: return ImageKind::RelocatablePtx;
  }
  return ImageKind::Unknown;
}

uint64_t roundedUp(uint64_t size) { return (size + 7) & ~7ull; }

/// Returns the end of a header's optional fields, which is at least the end of the fixed ones.
uint64_t lengthOf(StringRef header) {
  const EntryHeader &entry = fields(header);
  uint64_t length = sizeof(EntryHeader);
  if (entry.identifier)
    length = std::max<uint64_t>(length, uint64_t(entry.identifier) + entry.identifierSize + 1);
  if (entry.options && contains(header, entry.options, 8)) {
    const auto *options = reinterpret_cast<const ulittle32_t *>(header.data() + entry.options);
    length = std::max<uint64_t>({length, uint64_t(entry.options) + 8, uint64_t(options[0]) + options[1] + 1});
  }
  return roundedUp(length);
}

/// Returns whether a container with a valid first entry begins here. The magic number alone may also be a constant in
/// program code.
bool isContainer(StringRef bytes) {
  if (bytes.size() < sizeof(ContainerHeader) + sizeof(EntryHeader) || !bytes.starts_with(containerMagic))
    return false;
  const auto &container = *reinterpret_cast<const ContainerHeader *>(bytes.data());
  if (container.version != 1 || container.headerSize != sizeof(ContainerHeader))
    return false;
  bytes = bytes.drop_front(sizeof(ContainerHeader));
  if (container.size < sizeof(EntryHeader) || container.size > bytes.size())
    return false;
  const EntryHeader &entry = fields(bytes);
  return entry.mark == entryMark && entry.headerSize >= sizeof(EntryHeader) && entry.headerSize <= container.size &&
         entry.dataSize <= container.size - entry.headerSize &&
         (kindOf(entry.kind) != ImageKind::Unknown || entry.kind == concatenatedKind);
}

/// Returns whether two bytes of the magic number occur anywhere. Compilers vectorise this loop.
bool mayHaveMagic(const char *p, size_t size) {
  int found = 0;
  for (size_t i = 0; i < size; ++i)
    found |= int(p[i] == containerMagic[0]) & int(p[i + 1] == containerMagic[1]);
  return found;
}

/// Finds the magic number, which usually is near or absent.
size_t findMagic(StringRef bytes, size_t from) {
  constexpr size_t smallest = 64, largest = 2048;
  for (size_t block = smallest; from < bytes.size(); from += block, block = std::min(block * 2, largest)) {
    if (bytes.size() - from > block && !mayHaveMagic(bytes.data() + from, block))
      continue;
    const size_t at = bytes.substr(from, block + containerMagic.size() - 1).find(containerMagic);
    if (at != StringRef::npos)
      return from + at;
  }
  return StringRef::npos;
}

std::string hex(uint64_t number) { return "0x" + llvm::utohexstr(number, /*LowerCase=*/true); }

} // namespace

std::string Entry::target() const { return "sm_" + std::to_string(number) + (variant ? std::string(1, variant) : ""); }

std::string Entry::version() const { return std::to_string(major) + "." + std::to_string(minor); }

StringRef nameOf(ImageKind kind) {
  switch (kind) {
  case ImageKind::Ptx: return "PTX";
  case ImageKind::RelocatablePtx: return "relocatable PTX";
  case ImageKind::Cubin: return "cubin";
  case ImageKind::Nvvm: return "NVVM";
  case ImageKind::TileIr: return "Tile IR";
  case ImageKind::Index: return "index";
  case ImageKind::Unknown: return "unknown";
  }
  return "";
}

StringRef nameOf(Packing packing) {
  switch (packing) {
  case Packing::Plain: return "plain";
  case Packing::Lz4: return "LZ4";
  case Packing::Zstd: return "zstd";
  case Packing::NulLines: return "NUL lines";
  }
  return "";
}

void Reader::readContainers(const Shell &shell, Role role, StringRef section, uint64_t offset, uint64_t size) {
  const StringRef bytes = shell.bytes.take_front(offset + size);
  const uint64_t end = offset + size;
  for (uint64_t at = offset; at < end;) {
    if (bytes[at] == 0) { // linkers put zeros between containers
      at = std::min<uint64_t>(end, bytes.find_first_not_of('\0', at));
      continue;
    }
    const StringRef rest = bytes.drop_front(at);
    const auto *header = reinterpret_cast<const ContainerHeader *>(rest.data());
    std::string wrong;
    if (!rest.starts_with(containerMagic.take_front(rest.size())))
      wrong = "neither a container nor padding";
    else if (rest.size() < sizeof(ContainerHeader))
      wrong = "the header of a container is cut off";
    else if (header->version != 1 || header->headerSize != sizeof(ContainerHeader))
      wrong = "a container of version " + std::to_string(header->version) + " with a header of " +
              std::to_string(header->headerSize) + " bytes; version 1 and 16 bytes expected";
    else if (header->size > rest.size() - sizeof(ContainerHeader))
      wrong = "a container of " + std::to_string(header->size) + " bytes, of which " +
              std::to_string(rest.size() - sizeof(ContainerHeader)) + " are there";
    if (wrong.empty()) {
      const uint64_t begin = at + sizeof(ContainerHeader);
      at = begin + header->size;
      readContainer(shell, {role, shell.object, section, begin - sizeof(ContainerHeader)}, begin, at);
      continue;
    }
    problem(shell, at, wrong);
    at = std::min<uint64_t>(end, findMagic(bytes, at + 1));
  }
}

void Reader::readContainer(const Shell &shell, Container container, uint64_t begin, uint64_t end) {
  container.first = binary.entries.size();
  binary.containers.push_back(container);
  for (uint64_t at = begin; at < end;) {
    const uint64_t left = end - at;
    const StringRef bytes = shell.bytes.substr(at, left);
    if (left < sizeof(EntryHeader)) {
      problem(shell, at, "the header of an entry is cut off: " + std::to_string(left) + " bytes are left");
      break;
    }
    const EntryHeader &entry = fields(bytes);
    if (entry.headerSize < sizeof(EntryHeader) || entry.headerSize > left) {
      problem(shell, at,
              "an entry with a header of " + std::to_string(entry.headerSize) + " bytes; 64 to " +
                  std::to_string(left) + " expected");
      break;
    }
    if (entry.dataSize > left - entry.headerSize) {
      problem(shell, at,
              "an entry of " + std::to_string(entry.dataSize) + " bytes, of which " +
                  std::to_string(left - entry.headerSize) + " are there");
      break;
    }
    readEntry(shell, at, bytes.take_front(entry.headerSize), bytes.substr(entry.headerSize, entry.dataSize));
    const uint64_t whole = entry.headerSize + entry.dataSize;
    binary.members->letGo(bytes.take_front(whole)); // releases the whole pages that were read for the header
    at += whole;
  }
  Container &read = binary.containers.back();
  read.count = binary.entries.size() - read.first;
}

void Reader::readEntry(const Shell &shell, uint64_t offset, StringRef header, StringRef data) {
  Entry entry;
  entry.data = data;
  entry.container = binary.containers.size() - 1;
  if (!readHeader(shell, offset, header, entry) || !readPacking(shell, offset, header, entry))
    return;
  if (entry.code == concatenatedKind)
    readParts(shell, entry, header, offset);
  else
    binary.entries.push_back(entry);
}

/// Reads the common fields in the headers of an entry and of a part of a concatenated one.
bool Reader::readHeader(const Shell &shell, uint64_t offset, StringRef header, Entry &entry) {
  const EntryHeader &from = fields(header);
  entry.code = from.kind;
  entry.kind = kindOf(from.kind);
  entry.number = from.target;
  entry.variant = from.flags & TargetA ? 'a' : from.flags & TargetF ? 'f' : 0;
  entry.major = from.major;
  entry.minor = from.minor;
  entry.isScrambled = from.flags & Scrambled;
  entry.offset = offset;
  if (from.identifier) {
    if (!contains(header, from.identifier, from.identifierSize))
      return problem(shell, offset, "an entry whose identifier is outside of its header"), false;
    entry.identifier = header.substr(from.identifier, from.identifierSize).rtrim('\0');
  }
  // Options of cubins are not text.
  if (from.options && from.kind != concatenatedKind && entry.kind != ImageKind::Cubin) {
    const bool isThere = contains(header, from.options, 8);
    const auto *place = reinterpret_cast<const ulittle32_t *>(header.data() + (isThere ? uint32_t(from.options) : 0));
    if (!isThere || (place[1] && !contains(header, place[0], place[1])))
      return problem(shell, offset, "an entry whose options lie outside of its header"), false;
    if (place[1])
      entry.options = header.substr(place[0], place[1]).rtrim('\0');
  }
  return true;
}

bool Reader::readPacking(const Shell &shell, uint64_t offset, StringRef header, Entry &entry) {
  const EntryHeader &from = fields(header);
  bool isLz4 = from.flags & Lz4Block, isZstd = from.flags & ZstdFrame;
  if (isLz4 && isZstd) {
    problem(shell, offset, "an entry that is marked as packed with LZ4 and with zstd");
    isZstd = entry.data.starts_with("\x28\xb5\x2f\xfd");
    isLz4 = !isZstd;
  }
  entry.packing = isLz4 ? Packing::Lz4 : isZstd ? Packing::Zstd : Packing::Plain;
  if (entry.packing == Packing::Plain) {
    entry.unpackedBytes = entry.bytes = entry.data.size();
    return true;
  }
  if (from.packedSize > entry.data.size())
    return problem(shell, offset,
                   "an entry with " + std::to_string(from.packedSize) + " packed bytes, of which " +
                       std::to_string(entry.data.size()) + " are there"),
           false;
  entry.data = entry.data.take_front(from.packedSize);
  entry.unpackedBytes = entry.bytes = from.unpackedSize;
  if (isLz4 && from.unpackedSize / lz4Growth > from.packedSize)
    return problem(shell, offset,
                   "an entry that claims " + std::to_string(from.unpackedSize) + " bytes unpacked from " +
                       std::to_string(from.packedSize) + ": more than LZ4 can pack"),
           false;
  return true;
}

/// Reads the parts of a concatenated entry. Their headers are stored in place of options.
void Reader::readParts(const Shell &shell, const Entry &whole, StringRef header, uint64_t offset) {
  const uint64_t begin = fields(header).options;
  const bool isThere = contains(header, begin, 8);
  const auto *table = reinterpret_cast<const ulittle32_t *>(header.data() + (isThere ? begin : 0));
  if (!isThere || table[1] < 8 || !contains(header, begin, table[1]))
    return problem(shell, offset, "a concatenated entry whose table is outside of its header");
  const StringRef parts = header.substr(begin, table[1]);
  uint64_t at = 8, bytesOfAll = 0;
  for (uint32_t i = 0, count = table[0]; i < count; ++i) {
    const StringRef rest = parts.drop_front(at);
    const uint64_t place = offset + begin + at;
    if (rest.size() < sizeof(EntryHeader))
      return problem(shell, place,
                     "part " + std::to_string(i + 1) + " of " + std::to_string(count) +
                         " of a concatenated entry is outside of its table");
    const EntryHeader &from = fields(rest);
    const uint64_t length = lengthOf(rest);
    if (length > rest.size())
      return problem(shell, place, "a part of a concatenated entry with a header longer than its table");
    if (from.kind == concatenatedKind)
      return problem(shell, place, "a concatenated entry within a concatenated one");
    Entry part = whole;
    part.isConcatenated = true;
    part.partOffset = from.headerSize;
    part.bytes = from.dataSize;
    // Reject overlapping parts, because a file could turn one text into many.
    if (part.partOffset > whole.unpackedBytes || part.bytes > whole.unpackedBytes - part.partOffset ||
        part.bytes > whole.unpackedBytes - bytesOfAll)
      return problem(shell, place,
                     "a part of " + std::to_string(part.bytes) + " bytes at " + hex(part.partOffset) +
                         " of a text of " + std::to_string(whole.unpackedBytes));
    bytesOfAll += part.bytes;
    if (readHeader(shell, place, rest.take_front(length), part))
      binary.entries.push_back(part);
    at += length;
  }
}

void Reader::readLoose(const Shell &shell, llvm::ArrayRef<Section> sections,
                       const std::map<uint64_t, uint64_t> &known) {
  auto nameAt = [&](uint64_t offset) {
    const auto *after =
        llvm::upper_bound(sections, offset, [](uint64_t at, const Section &s) { return at < s.offset; });
    const bool isInside = after != sections.begin() && offset - after[-1].offset < after[-1].size;
    return isInside ? after[-1].name : StringRef();
  };
  auto search = [&](uint64_t begin, uint64_t end) {
    const StringRef bytes = shell.bytes.take_front(end);
    for (uint64_t at = begin; at < end;) {
      const StringRef piece = bytes.take_front(std::min(end - at, atOnce) + at);
      const size_t found = findMagic(piece, at);
      if (found == StringRef::npos) {
        binary.members->letGo(piece.drop_front(at));
        // The magic number may span two pieces.
        at = piece.size() == end ? end : piece.size() - containerMagic.size() + 1;
        continue;
      }
      at = found;
      if (!isContainer(bytes.drop_front(at))) {
        at += containerMagic.size();
        continue;
      }
      const uint64_t size = reinterpret_cast<const ContainerHeader *>(bytes.data() + at)->size;
      const uint64_t first = at + sizeof(ContainerHeader);
      readContainer(shell, {Role::Loose, shell.object, nameAt(at), at}, first, first + size);
      at = first + size;
    }
  };
  uint64_t begin = 0;
  for (const auto &[offset, size] : known) {
    search(begin, offset);
    begin = offset + size;
  }
  search(begin, shell.bytes.size());
}

} // namespace ptxray
