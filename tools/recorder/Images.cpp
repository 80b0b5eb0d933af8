#include "Images.h"
#include "../launcher/Remembered.h"
#include "Binary/Binary.h"
#include "Diagnostics/Diagnostic.h"
#include "Machine/Kernels.h"
#include "Parse/Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include <cstring>
#include <mutex>
#include <set>

namespace ptxray::recorder {

using llvm::StringRef;

/// A text in the packed form of the image.
struct Image::Packed {
  unsigned gpu = 0; // 90 for `sm_90`, 0 for any
  Entry entry;
  std::string bytes; // bytes that the entry refers to, or the text itself if it was not packed
  bool isPacked = false;

  /// Returns the text, or an empty string if it cannot be unpacked.
  std::string text() const {
    if (!isPacked)
      return bytes;
    Entry unpacked = entry;
    unpacked.data = bytes;
    const auto source = Unpacker().unpack(unpacked, "image");
    return source ? (*source)->text().str() : "";
  }
};

/// Returns the size of an ELF file according to its own tables, or 0 if they are not valid.
static size_t sizeOfElf(const char *bytes) {
  llvm::ELF::Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof header);
  constexpr uint64_t most = uint64_t(1) << 32;
  if (header.e_ident[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 || header.e_shoff > most || header.e_phoff > most)
    return 0;
  uint64_t end = std::max<uint64_t>(header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize,
                                    header.e_phoff + uint64_t(header.e_phnum) * header.e_phentsize);
  for (unsigned i = 0; header.e_shentsize == sizeof(llvm::ELF::Elf64_Shdr) && i < header.e_shnum; ++i) {
    llvm::ELF::Elf64_Shdr section;
    std::memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != llvm::ELF::SHT_NOBITS && section.sh_offset < most && section.sh_size < most)
      end = std::max<uint64_t>(end, section.sh_offset + section.sh_size);
  }
  return end < most ? end : 0;
}

// Returns the texts of the binaries that the driver's linker has made in this process.
static std::map<std::string, std::string> &linkedTexts() {
  static auto *const all = new std::map<std::string, std::string>;
  return *all;
}

/// Returns the text from which a binary was made, if ptxray watched ptxas or the linker when they made it.
static std::string textOfCubin(StringRef cubin) {
  const std::string name = launcher::nameOfBinary(cubin.data(), cubin.size());
  if (const auto found = linkedTexts().find(name); found != linkedTexts().end())
    return found->second;
  return launcher::rememberedText(name);
}

void Image::keepTexts(const void *binary, size_t size) {
  const StringRef all(static_cast<const char *>(binary), size);
  const Binary read = readBinary(all);
  for (const Entry &entry : read.entries) {
    if (entry.kind == ImageKind::Ptx) {
      auto kept = std::make_shared<Packed>();
      kept->gpu = entry.number;
      kept->entry = entry;
      kept->bytes = entry.data.str();
      kept->isPacked = true;
      texts.push_back(std::move(kept));
    } else if (entry.kind == ImageKind::Cubin) {
      const auto cubin = Unpacker().unpack(entry, "image");
      if (std::string text = cubin ? textOfCubin((*cubin)->text()) : ""; !text.empty()) {
        auto kept = std::make_shared<Packed>();
        kept->bytes = std::move(text);
        texts.push_back(std::move(kept));
      }
    }
  }
  llvm::stable_sort(texts, [](const auto &one, const auto &other) { return one->gpu > other->gpu; });
}

Image::Image(const void *image, bool isLibrary) : isLibrary(isLibrary) {
  const auto *bytes = static_cast<const char *>(image);
  uint32_t magic;
  std::memcpy(&magic, bytes, sizeof magic);
  constexpr uint32_t wrapper = 0x466243b1, fatbin = 0xba55ed50, elf = 0x464c457f;
  if (magic == wrapper) {
    std::memcpy(static_cast<void *>(&bytes), bytes + 8, sizeof bytes);
    if (!bytes)
      return;
    std::memcpy(&magic, bytes, sizeof magic);
  }
  if (magic == fatbin) {
    uint16_t header;
    uint64_t size;
    std::memcpy(&header, bytes + 6, sizeof header);
    std::memcpy(&size, bytes + 8, sizeof size);
    keepTexts(bytes, header + size);
    return;
  }
  auto kept = std::make_shared<Packed>();
  kept->bytes = magic == elf ? textOfCubin(StringRef(bytes, sizeOfElf(bytes))) : bytes;
  if (!kept->bytes.empty())
    texts.push_back(std::move(kept));
}

/// Returns whether memory can be copied from a variable.
static bool hasMemory(const Ast &ast, const Declaration &declared) {
  const StringRef space = ast.text(declared.space), type = ast.text(declared.type);
  return declared.name != NameId::None && (space == ".global" || space == ".const") && !type.ends_with("ref") &&
         ast.text(declared.linkage) != ".extern";
}

const KernelText *Image::find(const std::string &kernel, unsigned gpu) {
  auto &known = found[kernel];
  for (const auto &one : texts) {
    if (known || one->gpu > gpu)
      continue;
    const std::string text = one->text();
    if (!StringRef(text).contains(kernel))
      continue;
    const auto source = SourceBuffer::fromText("module", StringRef(text).rtrim('\0'));
    Parser parser;
    DiagnosticSink ignored;
    const Ast &ast = parser.read(*source, ignored);
    for (const machine::KernelEntry &entry : machine::kernelsOf(ast)) {
      if (entry.name != kernel)
        continue;
      known = std::make_unique<KernelText>();
      for (const auto &parameter : entry.parameters)
        known->parameters.emplace_back(parameter.bytes, parameter.alignment);
      for (const Statement &statement : ast.module)
        if (statement.kind == StatementKind::Declaration && hasMemory(ast, ast.declarations[statement.index]))
          known->variables.push_back(ast.text(ast.declarations[statement.index].name).str());
      known->ptx = text;
      break;
    }
  }
  return known.get();
}

// ---- handles

namespace {
struct Known {
  std::mutex mutex;
  std::map<void *, std::shared_ptr<Image>> images;
  std::map<void *, FoundFunction> functions;
  struct Inputs {
    std::string text;
    unsigned count = 0;
  };
  std::map<void *, Inputs> links;
};
} // namespace

static Known &known() {
  static auto *const one = new Known; // never destroyed, since threads of the program may call until the end
  return *one;
}

void addImage(void *handle, const void *image, bool isLibrary) {
  const std::lock_guard lock(known().mutex);
  auto made = std::make_shared<Image>(image, isLibrary);
  made->handle = handle;
  known().images[handle] = std::move(made);
}

void addImageOfFile(void *handle, const char *path, bool isLibrary) {
  constexpr size_t header = 64; // size of the smallest binary
  if (const auto file = SourceBuffer::openBytes(path); file && (*file)->text().size() >= header)
    addImage(handle, (*file)->text().str().c_str(), isLibrary);
}

void addAlias(void *handle, void *of) {
  const std::lock_guard lock(known().mutex);
  if (const auto found = known().images.find(of); found != known().images.end())
    known().images[handle] = found->second;
}

void removeImage(void *handle) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().images.find(handle);
  if (found == known().images.end())
    return;
  const std::shared_ptr<Image> image = found->second;
  std::erase_if(known().images, [&](const auto &one) { return one.second == image; });
  std::erase_if(known().functions, [&](const auto &one) { return one.second.image == image; });
}

void addFunction(void *function, void *image, const char *name) {
  const std::lock_guard lock(known().mutex);
  if (const auto found = known().images.find(image); found != known().images.end())
    known().functions[function] = {found->second, name};
}

void addFunctionAlias(void *function, void *of) {
  const std::lock_guard lock(known().mutex);
  if (const auto found = known().functions.find(of); found != known().functions.end())
    known().functions[function] = FoundFunction(found->second);
}

FoundFunction functionOf(void *handle) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().functions.find(handle);
  return found == known().functions.end() ? FoundFunction() : found->second;
}

// ---- the linker

void addToLink(void *link, int kind, const void *data, size_t size) {
  constexpr int ptx = 1;
  const std::lock_guard lock(known().mutex);
  Known::Inputs &inputs = known().links[link];
  ++inputs.count;
  if (kind == ptx && data)
    inputs.text.assign(static_cast<const char *>(data), strnlen(static_cast<const char *>(data), size));
}

void completeLink(void *link, const void *image, size_t size) {
  const std::lock_guard lock(known().mutex);
  const Known::Inputs inputs = known().links[link];
  if (inputs.count == 1 && !inputs.text.empty() && image)
    linkedTexts()[launcher::nameOfBinary(image, size)] = inputs.text;
}

void removeLink(void *link) {
  const std::lock_guard lock(known().mutex);
  known().links.erase(link);
}

} // namespace ptxray::recorder
