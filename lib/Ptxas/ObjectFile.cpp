// Validates the headers of an ELF file against its size.
#include "Ptxas/ObjectFile.h"
#include "llvm/BinaryFormat/ELF.h"

namespace ptxray {

using namespace llvm::ELF;

/// Returns whether `size` bytes at `offset` are within `all` bytes, without a sum that could wrap around.
static bool lies(uint64_t offset, uint64_t size, uint64_t all) { return offset <= all && size <= all - offset; }

std::string whatIsWrongWith(const MemoryFile &object) {
  const uint64_t size = object.size();
  if (size == 0)
    return "is empty";
  Elf64_Ehdr header;
  if (!object.read(0, &header, std::min<uint64_t>(size, EI_NIDENT)) || !header.checkMagic())
    return "is not an object file";
  std::string cut = "is cut after " + std::to_string(size) + " bytes";
  if (!object.read(0, &header, sizeof header) || !lies(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr), size) ||
      !lies(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr), size))
    return cut;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!object.read(header.e_shoff + i * sizeof section, &section, sizeof section) ||
        (section.sh_type != SHT_NOBITS && !lies(section.sh_offset, section.sh_size, size)))
      return cut;
  }
  return "";
}

} // namespace ptxray
