#include "llvm/Object/COFF.h"
#include "Binary/Reader.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace ptxray {

using llvm::StringRef;
using namespace llvm;

namespace {

template <typename T> const T *at(StringRef bytes, uint64_t offset) {
  return contains(bytes, offset, sizeof(T)) ? reinterpret_cast<const T *>(bytes.data() + offset) : nullptr;
}

/// The fields that both kinds of headers share.
struct Table {
  uint64_t sections = 0, count = 0; // offset and size of the section table
  uint64_t strings = 0;             // 0: none
};

constexpr uint64_t symbolSize = 18, bigSymbolSize = 20;

bool isBigObject(StringRef bytes) {
  const auto *header = at<object::coff_bigobj_file_header>(bytes, 0);
  return header && header->Sig1 == COFF::IMAGE_FILE_MACHINE_UNKNOWN && header->Sig2 == 0xffff && header->Version >= 2 &&
         std::memcmp(header->UUID, COFF::BigObjMagic, sizeof header->UUID) == 0;
}

template <typename Header> Table tableOf(const Header &header, uint64_t behind, uint64_t symbolBytes) {
  const uint64_t symbols = header.PointerToSymbolTable;
  return {behind, header.NumberOfSections, symbols ? symbols + header.NumberOfSymbols * symbolBytes : 0};
}

/// Returns the name of a section; `/123` refers to offset 123 of the string table.
StringRef nameOf(const object::coff_section &section, StringRef strings) {
  const StringRef name = StringRef(section.Name, COFF::NameSize).split('\0').first;
  uint64_t place;
  if (!name.starts_with("/") || name.drop_front().getAsInteger(10, place) || place >= strings.size())
    return name;
  return strings.drop_front(place).split('\0').first;
}

} // namespace

bool isCoffObject(StringRef bytes) {
  const auto *header = at<object::coff_file_header>(bytes, 0);
  return isBigObject(bytes) ||
         (header && header->SizeOfOptionalHeader == 0 &&
          llvm::is_contained<uint16_t>({COFF::IMAGE_FILE_MACHINE_AMD64, COFF::IMAGE_FILE_MACHINE_ARM64,
                                        COFF::IMAGE_FILE_MACHINE_ARM64EC, COFF::IMAGE_FILE_MACHINE_I386},
                                       header->Machine));
}

std::vector<Section> coffSections(Reader &reader, const Shell &shell) {
  const StringRef bytes = shell.bytes;
  Table table;
  if (isBigObject(bytes)) {
    const auto *header = at<object::coff_bigobj_file_header>(bytes, 0);
    table = tableOf(*header, sizeof *header, bigSymbolSize);
  } else {
    uint64_t start = 0;
    if (bytes.starts_with("MZ")) {
      const auto *dos = at<object::dos_header>(bytes, 0);
      start = dos ? uint64_t(dos->AddressOfNewExeHeader) : 0;
      if (!dos || !pieceOf(bytes, start, 4).starts_with(StringRef("PE\0\0", 4))) {
        reader.problem(shell, offsetof(object::dos_header, AddressOfNewExeHeader),
                       "the header of a Windows program is outside of it or not valid");
        return {};
      }
      start += 4;
    }
    const auto *header = at<object::coff_file_header>(bytes, start);
    if (!header) {
      reader.problem(shell, start, "the header of a COFF file is cut off");
      return {};
    }
    table = tableOf(*header, start + sizeof *header + header->SizeOfOptionalHeader, symbolSize);
  }
  StringRef strings;
  if (table.strings)
    if (const auto *size = at<support::ulittle32_t>(bytes, table.strings))
      strings = pieceOf(bytes, table.strings, *size);
  std::vector<Section> sections;
  for (uint64_t i = 0; i < table.count; ++i) {
    const auto *section = at<object::coff_section>(bytes, table.sections + i * sizeof(object::coff_section));
    if (!section) {
      reader.problem(shell, table.sections,
                     "a table of " + std::to_string(table.count) + " sections, of which " + std::to_string(i) +
                         " are there");
      break;
    }
    // Use the smaller size: neither padding in memory nor padding in the file belongs to the section.
    const uint64_t size = section->VirtualSize ? std::min<uint64_t>(section->VirtualSize, section->SizeOfRawData)
                                               : uint64_t(section->SizeOfRawData);
    if (section->PointerToRawData && !(section->Characteristics & COFF::IMAGE_SCN_CNT_UNINITIALIZED_DATA))
      sections.push_back({nameOf(*section, strings), section->PointerToRawData, size});
  }
  return sections;
}

} // namespace ptxray
