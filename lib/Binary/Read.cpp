// Finds the parts of a file that contain containers, starting with its first bytes.
#include "Binary/Reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/Endian.h"
#include <cassert>

namespace ptxray {

using llvm::StringRef;
using namespace llvm::support;

static constexpr unsigned deepest = 3;           // archive in wheel, container in offload binary
static constexpr size_t mostProblems = 100;      // per file
static constexpr size_t mostObjects = 1'000'000; // members of all archives in one file
static constexpr StringRef zipMagics[] = {"PK\x03\x04", "PK\x05\x06"};
static constexpr llvm::StringLiteral offloadMagic("\x10\xff\x10\xad");
static constexpr llvm::StringLiteral elfMagic("\x7f"
                                              "ELF");
static constexpr llvm::StringLiteral archiveMagic("!<arch>\n"), thinMagic("!<thin>\n");

static bool isZip(StringRef bytes) {
  return llvm::any_of(zipMagics, [&](StringRef magic) { return bytes.starts_with(magic); });
}

bool isBinary(StringRef beginning) {
  return llvm::any_of(llvm::ArrayRef<StringRef>{elfMagic, "MZ", containerMagic, archiveMagic, thinMagic, offloadMagic},
                      [&](StringRef magic) { return beginning.starts_with(magic); }) ||
         isZip(beginning) || isCoffObject(beginning);
}

Binary::Binary() = default;
Binary::Binary(Binary &&) noexcept = default;
Binary &Binary::operator=(Binary &&) noexcept = default;
Binary::~Binary() = default;

Binary readBinary(StringRef bytes, const ReadLimits &limits) {
  Binary binary;
  binary.members = std::make_unique<MemberStore>();
  binary.objects.emplace_back();
  Reader(binary, limits).read({bytes});
  return binary;
}

void Reader::problem(const Shell &shell, uint64_t offset, std::string message) {
  if (binary.problems.size() < mostProblems)
    binary.problems.push_back({binary.objects[shell.object].member, offset, std::move(message)});
  else if (binary.problems.size() == mostProblems)
    binary.problems.push_back({"", 0, "more is damaged"});
}

// NOLINTNEXTLINE(misc-no-recursion): archives nest at most `deepest` deep
void Reader::read(const Shell &shell) {
  assert(shell.object < binary.objects.size() && "what is read belongs to an object");
  const StringRef bytes = shell.bytes;
  if (shell.depth > deepest)
    return problem(shell, 0, "archives within archives, more than three deep");
  if (bytes.starts_with(containerMagic))
    return readContainers(shell, Role::Loaded, "", 0, bytes.size());
  if (bytes.starts_with(offloadMagic))
    return readOffload(shell, "", 0, bytes.size());
  if (bytes.starts_with(archiveMagic))
    return readArchive(shell);
  if (bytes.starts_with(thinMagic))
    return problem(shell, 0, "a thin archive, which only names other files");
  if (isZip(bytes))
    return readZip(shell);
  if (bytes.starts_with(elfMagic))
    return readSections(shell, elfSections(*this, shell));
  readSections(shell, coffSections(*this, shell));
}

/// Returns the role of a section by its name, which PE files truncate to eight bytes.
static std::optional<Role> roleOf(StringRef name) {
  if (name == ".nv_fatbin" || name == ".nv_fatb")
    return Role::Loaded;
  if (name == "__nv_relfatbin" || name == "__nv_rel")
    return Role::Relocatable;
  return std::nullopt;
}

void Reader::readSections(const Shell &shell, std::vector<Section> sections) {
  if (isCubin(shell.bytes))
    return readCubin(shell, sections);
  binary.objects[shell.object].isRelocatable = isElfObject(shell.bytes) || isCoffObject(shell.bytes);
  llvm::sort(sections, [](const Section &a, const Section &b) { return a.offset < b.offset; });
  std::map<uint64_t, uint64_t> known; // offset and size of the parts that were read
  uint64_t end = 0;
  for (const Section &section : sections) {
    const std::optional<Role> role = roleOf(section.name);
    const bool isOffload = section.name == ".llvm.offloading" || section.name == ".llvm.of";
    if (!role && !isOffload)
      continue;
    if (!contains(shell.bytes, section.offset, section.size)) {
      problem(shell, std::min<uint64_t>(section.offset, shell.bytes.size()),
              "section " + section.name.str() + " lies outside of the file");
      continue;
    }
    if (section.offset < end) { // otherwise, a file with many headers would be read repeatedly
      problem(shell, section.offset, "section " + section.name.str() + " lies within another");
      continue;
    }
    end = section.offset + section.size;
    known[section.offset] = section.size;
    if (isOffload)
      readOffload(shell, section.name, section.offset, section.size);
    else
      readContainers(shell, *role, section.name, section.offset, section.size);
  }
  readLoose(shell, sections, known);
}

void Reader::addImage(const Shell &shell, Role role, StringRef section, uint64_t offset, Entry entry) {
  assert(offset <= shell.bytes.size() && "an image lies in its file");
  entry.container = binary.containers.size();
  entry.offset = offset;
  entry.unpackedBytes = entry.bytes = entry.data.size();
  binary.containers.push_back(
      {role, shell.object, section, entry.offset, static_cast<uint32_t>(binary.entries.size()), 1});
  binary.entries.push_back(entry);
}

/// Reads the version of an image without a header from its text.
static void readVersion(StringRef text, Entry &entry) {
  constexpr size_t enough = 4096;
  StringRef rest = text.take_front(enough).split(".version").second.ltrim();
  if (rest.consumeInteger(10, entry.major) || !rest.consume_front(".") || rest.consumeInteger(10, entry.minor))
    entry.major = entry.minor = 0;
}

/// Adds a lone cubin, and its source if it was compiled for debugging.
void Reader::readCubin(const Shell &shell, llvm::ArrayRef<Section> sections) {
  Entry cubin;
  cubin.kind = ImageKind::Cubin;
  cubin.code = 2;
  cubin.data = shell.bytes;
  readCubinTarget(shell.bytes, cubin);
  for (const Section &section : sections)
    if (section.name == ".note.nv.tkinfo" && contains(shell.bytes, section.offset, section.size))
      readCompilerNote(shell.bytes.substr(section.offset, section.size), cubin);
  addImage(shell, Role::Loaded, "", 0, cubin);
  for (const Section &section : sections)
    if (section.name == ".nv_debug_ptx_txt" && contains(shell.bytes, section.offset, section.size)) {
      Entry text;
      text.kind = ImageKind::Ptx;
      text.code = 1;
      text.packing = Packing::NulLines;
      text.number = cubin.number;
      text.variant = cubin.variant;
      text.data = shell.bytes.substr(section.offset, section.size);
      readVersion(text.data, text);
      addImage(shell, Role::Debugging, section.name, section.offset, text);
      return;
    }
}

std::string Reader::memberName(const Shell &shell, StringRef name) const {
  const std::string &outer = binary.objects[shell.object].member;
  return outer.empty() ? name.str() : outer + "/" + name.str();
}

// NOLINTNEXTLINE(misc-no-recursion): archives nest at most `deepest` deep
void Reader::readMember(const Shell &shell, StringRef name, StringRef bytes) {
  if (!isBinary(bytes))
    return;
  if (binary.objects.size() == mostObjects)
    return problem(shell, 0, "more than a million members");
  binary.objects.push_back({memberName(shell, name)});
  read({bytes, static_cast<uint32_t>(binary.objects.size() - 1), shell.depth + 1});
}

// ---- LLVM's offload binary

namespace {

/// Structures of llvm/Object/OffloadBinary.h, whose reader does not validate contents.
struct OffloadHeader {
  char magic[4];
  ulittle32_t version;
  ulittle64_t size, entry, entrySize;
};
struct OffloadEntry {
  ulittle16_t image, producer;
  ulittle32_t flags;
  ulittle64_t strings, stringCount, offset, size;
};
struct OffloadString {
  ulittle64_t key, value;
};
static_assert(sizeof(OffloadHeader) == sizeof(llvm::object::OffloadBinary::Header));
static_assert(sizeof(OffloadEntry) == sizeof(llvm::object::OffloadBinary::Entry));
static_assert(sizeof(OffloadString) == sizeof(llvm::object::OffloadBinary::StringEntry));

} // namespace

/// Splits `sm_90a` into number and letter.
static void readTarget(StringRef name, Entry &entry) {
  if (!name.consume_front("sm_") || name.consumeInteger(10, entry.number))
    return;
  entry.variant = name == "a" || name == "f" ? name[0] : 0;
}

static StringRef archOf(StringRef bytes, const OffloadEntry &entry) {
  for (uint64_t i = 0; i < std::min<uint64_t>(entry.stringCount, 64); ++i) {
    const uint64_t at = entry.strings + i * sizeof(OffloadString);
    if (entry.strings > bytes.size() || !contains(bytes, at, sizeof(OffloadString)))
      break;
    const auto &one = *reinterpret_cast<const OffloadString *>(bytes.data() + at);
    auto text = [&](uint64_t place) { return pieceOf(bytes, place, bytes.size()).split('\0').first; };
    if (text(one.key) == "arch")
      return text(one.value);
  }
  return "";
}

/// Returns whether an image is PTX. Not every producer marks it as such.
static bool isText(const OffloadEntry &entry, StringRef image) {
  return entry.image == llvm::object::IMG_PTX ||
         (entry.image == llvm::object::IMG_None && entry.producer == llvm::object::OFK_Cuda &&
          !image.starts_with(containerMagic) && !isCubin(image) && whyNoText(image.rtrim('\0')).empty());
}

void Reader::readOffload(const Shell &shell, StringRef section, uint64_t offset, uint64_t size) {
  const uint64_t end = offset + size;
  for (uint64_t at = offset; at < end;) {
    const StringRef rest = shell.bytes.slice(at, end);
    if (rest[0] == 0) {
      at = std::min<uint64_t>(end, shell.bytes.find_first_not_of('\0', at));
      continue;
    }
    const auto *header = reinterpret_cast<const OffloadHeader *>(rest.data());
    if (!rest.starts_with(offloadMagic) || rest.size() < sizeof(OffloadHeader))
      return problem(shell, at, "neither an offload binary nor padding");
    if (header->size < sizeof(OffloadHeader) || header->size > rest.size())
      return problem(shell, at,
                     "an offload binary of " + std::to_string(header->size) + " bytes, of which " +
                         std::to_string(rest.size()) + " are there");
    const StringRef bytes = rest.take_front(header->size);
    const bool isThere = contains(bytes, header->entry, sizeof(OffloadEntry));
    const auto *entry = reinterpret_cast<const OffloadEntry *>(bytes.data() + (isThere ? uint64_t(header->entry) : 0));
    if (header->version != llvm::object::OffloadBinary::Version || !isThere ||
        !contains(bytes, entry->offset, entry->size)) {
      problem(shell, at, "an offload binary whose image is outside of it, or of an unknown version");
    } else {
      const StringRef image = bytes.substr(entry->offset, entry->size);
      const uint64_t place = at + entry->offset;
      Entry one;
      one.data = image;
      readTarget(archOf(bytes, *entry), one);
      if (isText(*entry, image)) {
        one.kind = ImageKind::Ptx;
        one.code = 1;
        readVersion(image, one);
        addImage(shell, Role::Loaded, section, place, one);
      } else if (image.starts_with(containerMagic)) {
        readContainers(shell, Role::Loaded, section, place, image.size());
      } else if (isCubin(image)) {
        one.kind = ImageKind::Cubin;
        one.code = 2;
        readCubinTarget(image, one);
        addImage(shell, Role::Loaded, section, place, one);
      }
    }
    at += header->size;
  }
}

} // namespace ptxray
