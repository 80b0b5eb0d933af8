#include "Binary/Reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/Endian.h"

namespace ptxray {

using llvm::StringRef;
using namespace llvm;

static StringRef textAt(StringRef strings, uint64_t offset) {
  return offset < strings.size() ? strings.drop_front(offset).split('\0').first : StringRef();
}

/// Reads only the headers. A truncated table is read as far as possible.
template <typename Elf> static std::vector<Section> readTable(Reader &reader, const Shell &shell) {
  const StringRef bytes = shell.bytes;
  std::vector<Section> sections;
  if (bytes.size() < sizeof(typename Elf::Ehdr)) {
    reader.problem(shell, 0, "the header of an ELF file is cut off");
    return sections;
  }
  const auto &header = *reinterpret_cast<const typename Elf::Ehdr *>(bytes.data());
  const uint64_t table = header.e_shoff, entrySize = sizeof(typename Elf::Shdr);
  if (table == 0)
    return sections;
  if (header.e_shentsize != entrySize || !contains(bytes, table, entrySize)) {
    reader.problem(shell, offsetof(typename Elf::Ehdr, e_shoff), "the section table of an ELF file is outside of it");
    return sections;
  }
  const auto *all = reinterpret_cast<const typename Elf::Shdr *>(bytes.data() + table);
  uint64_t count = header.e_shnum ? uint64_t(header.e_shnum) : uint64_t(all[0].sh_size);
  const uint64_t there = (bytes.size() - table) / entrySize;
  if (count > there) {
    reader.problem(shell, table,
                   "a table of " + std::to_string(count) + " sections, of which " + std::to_string(there) +
                       " are there");
    count = there;
  }
  const uint64_t nameTable = header.e_shstrndx == ELF::SHN_XINDEX ? uint64_t(all[0].sh_link) : header.e_shstrndx;
  StringRef names;
  if (nameTable < count && contains(bytes, all[nameTable].sh_offset, all[nameTable].sh_size))
    names = bytes.substr(all[nameTable].sh_offset, all[nameTable].sh_size);
  else if (count)
    reader.problem(shell, offsetof(typename Elf::Ehdr, e_shstrndx), "an ELF file without the names of its sections");
  for (const auto &section : llvm::ArrayRef(all, count))
    if (section.sh_type != ELF::SHT_NOBITS && section.sh_type != ELF::SHT_NULL)
      sections.push_back({textAt(names, section.sh_name), section.sh_offset, section.sh_size});
  return sections;
}

static bool is64(StringRef bytes) { return bytes.size() > ELF::EI_CLASS && bytes[ELF::EI_CLASS] == ELF::ELFCLASS64; }

std::vector<Section> elfSections(Reader &reader, const Shell &shell) {
  // GPUs never had big-endian hosts.
  if (shell.bytes.size() > ELF::EI_DATA && shell.bytes[ELF::EI_DATA] == ELF::ELFDATA2MSB)
    return {};
  return is64(shell.bytes) ? readTable<object::ELF64LE>(reader, shell) : readTable<object::ELF32LE>(reader, shell);
}

/// Returns whether an ELF file is a cubin. The machine is at the same offset for both sizes.
bool isCubin(StringRef bytes) {
  if (!bytes.starts_with(ELF::ElfMagic) || bytes.size() < sizeof(object::ELF64LE::Ehdr))
    return false;
  return reinterpret_cast<const object::ELF64LE::Ehdr *>(bytes.data())->e_machine == ELF::EM_CUDA;
}

bool isElfObject(StringRef bytes) {
  return bytes.starts_with(ELF::ElfMagic) && bytes.size() >= sizeof(object::ELF64LE::Ehdr) &&
         reinterpret_cast<const object::ELF64LE::Ehdr *>(bytes.data())->e_type == ELF::ET_REL;
}

// LLVM has these constants since 17, and the newer ones since 21 under changed names.
static constexpr uint8_t newCubinAbi = 41, cubinAbi13 = 0x41; // values in CUDA 13
static constexpr uint32_t oldAccelerated = 0x800, newAccelerated = 0x8;

void readCubinTarget(StringRef bytes, Entry &entry) {
  const uint32_t flags = is64(bytes) ? reinterpret_cast<const object::ELF64LE::Ehdr *>(bytes.data())->e_flags
                                     : reinterpret_cast<const object::ELF32LE::Ehdr *>(bytes.data())->e_flags;
  const auto abi = static_cast<uint8_t>(bytes[ELF::EI_OSABI]);
  const bool isNew = abi == newCubinAbi || abi == cubinAbi13;
  entry.number = (isNew ? flags >> 8 : flags) & 0xff;
  entry.variant = flags & (isNew ? newAccelerated : oldAccelerated) ? 'a' : 0;
}

/// Reads the note, which contains the offsets of four texts: the tool, its version, its build and its options.
void readCompilerNote(StringRef note, Entry &entry) {
  constexpr size_t header = 24, offsets = 8, texts = 24; // sizes in the note and in its description
  if (note.size() < header + texts)
    return;
  const StringRef description = note.drop_front(header);
  const StringRef strings = description.drop_front(texts);
  const auto text = [&](size_t number) {
    return textAt(strings, support::endian::read32le(description.data() + offsets + 4 * number));
  };
  entry.compiler = text(0);
  entry.compilerVersion = text(1);
  entry.options = text(3);
}

static constexpr llvm::StringLiteral codePrefix(".text.");

bool namesCode(StringRef beginning) {
  for (size_t at = 0; (at = beginning.find(codePrefix, at)) != StringRef::npos; at += codePrefix.size())
    if (at && beginning[at - 1] == '\0' && beginning.starts_with(ELF::ElfMagic))
      return true;
  return false;
}

std::vector<std::string> codeOf(StringRef cubin) {
  std::vector<std::string> names;
  if (!cubin.starts_with(ELF::ElfMagic))
    return names;
  Binary unused; // receives the problems
  unused.objects.emplace_back();
  Reader reader(unused, {});
  for (const Section &section : elfSections(reader, {cubin}))
    if (StringRef name = section.name; name.consume_front(codePrefix))
      names.push_back(name.str());
  return names;
}

} // namespace ptxray
