// Distinguishes PTX from the assembly of other architectures.
#include "Diagnostics/Nearest.h"
#include "Inline/Fragment.h"
#include "Inline/Readers.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ptxray {

static constexpr llvm::StringLiteral otherMachines[] = {"__x86_64__",
                                                        "__x86_64",
                                                        "__i386__",
                                                        "__i386",
                                                        "__amd64__",
                                                        "_M_X64",
                                                        "_M_IX86",
                                                        "__SSE__",
                                                        "__SSE2__",
                                                        "__AVX__",
                                                        "__AVX2__",
                                                        "__AVX512F__",
                                                        "__aarch64__",
                                                        "__arm__",
                                                        "_M_ARM64",
                                                        "__ARM_NEON",
                                                        "__ARM_ARCH",
                                                        "__powerpc__",
                                                        "__powerpc64__",
                                                        "__PPC__",
                                                        "__PPC64__",
                                                        "__ppc__",
                                                        "__sparc__",
                                                        "__sparc",
                                                        "__mips__",
                                                        "__s390__",
                                                        "__s390x__",
                                                        "__riscv",
                                                        "__loongarch__",
                                                        "__hexagon__",
                                                        "__HEXAGON_ARCH__",
                                                        "__HIP__",
                                                        "__HIPCC__",
                                                        "__HIP_DEVICE_COMPILE__",
                                                        "__HIP_PLATFORM_AMD__",
                                                        "USE_ROCM",
                                                        "__AMDGCN__",
                                                        "__gfx90a__",
                                                        "__gfx942__",
                                                        "__gfx950__",
                                                        "__SYCL_DEVICE_ONLY__",
                                                        "__SPIR__",
                                                        "__MACA__",
                                                        "__MUSACC__",
                                                        "__wasm__",
                                                        "__EMSCRIPTEN__",
                                                        "__ia64__",
                                                        "__alpha__"};

bool isOtherMachine(llvm::StringRef macro) {
  return llvm::is_contained(otherMachines, macro) || macro.starts_with("__gfx");
}

namespace {

/// The first words of all instructions.
struct FirstWords {
  llvm::StringSet<> all;
  llvm::StringSet<> alone; // mnemonics that need no qualifier
};

} // namespace

static bool mayStandAlone(const isa::Mnemonic &mnemonic) {
  const isa::Tables &tables = isa::tables();
  return llvm::any_of(isa::run(tables.mnemonicForms, mnemonic.forms), [&](uint32_t index) {
    const isa::Form &form = tables.forms[index];
    return llvm::all_of(isa::run(tables.slots, form.slots).drop_front(form.mnemonicSlots),
                        [](const isa::Slot &slot) { return slot.optional || slot.suffix; });
  });
}

static const FirstWords &firstWords() {
  static const FirstWords names = [] {
    FirstWords found;
    for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
      const auto [first, rest] = llvm::StringRef(mnemonic.text()).split('.');
      found.all.insert(first);
      if (rest.empty() && mayStandAlone(mnemonic))
        found.alone.insert(first);
    }
    return found;
  }();
  return names;
}

static bool isNearOpcode(llvm::StringRef word) {
  constexpr size_t shortest = 3;
  if (word.size() < shortest)
    return false;
  Nearest nearest(word, 2);
  return llvm::any_of(firstWords().all, [&](const auto &entry) { return nearest.offer(entry.getKey()); });
}

namespace {

enum class Likeness : uint8_t { No, Maybe, Sure };

} // namespace

/// Returns whether an instruction of the template may be PTX, or certainly is PTX because no other architecture has it.
static Likeness likenessOf(llvm::StringRef text, const InlineStatement &statement) {
  if (text.starts_with("@") || text.starts_with(".reg ") || text.starts_with(".reg\t") || text.starts_with(".pragma"))
    return Likeness::Sure;
  const llvm::StringRef word =
      text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == ':'; });
  const auto [name, rest] = word.split('.');
  llvm::SmallVector<llvm::StringRef> qualifiers;
  if (!rest.empty())
    rest.split(qualifiers, '.');
  auto wordOf = [](llvm::StringRef qualifier) { return isa::findWord(("." + qualifier).str()); };
  const bool hasQualifier = llvm::any_of(qualifiers, [&](llvm::StringRef q) { return wordOf(q) != 0; });
  const bool known = firstWords().all.contains(name);
  if (known && hasQualifier)
    return Likeness::Sure;
  bool maybe = false;
  if (statement.isDevice && text.drop_front(word.size()).starts_with("%")) {
    maybe = true; // a number is part of the word: `dp%2a`
  } else if (statement.isDevice) {
    const bool hasType = llvm::any_of(qualifiers, [&](llvm::StringRef q) {
      return wordOf(q) != 0 && isa::word(wordOf(q)).wordClass == isa::WordClass::Type;
    });
    maybe = known || hasType || ((hasQualifier || !name.contains('_')) && isNearOpcode(name));
  } else {
    const bool isNearDevice = statement.isNearDevice && known;
    maybe = (isNearDevice && !qualifiers.empty() && !statement.operands.empty()) ||
            (isNearDevice && qualifiers.empty() && firstWords().alone.contains(name)) ||
            (hasQualifier && name.size() > 2 && isNearOpcode(name));
  }
  return maybe ? Likeness::Maybe : Likeness::No;
}

bool hasOtherConstraints(const InlineStatement &statement) {
  return llvm::any_of(statement.operands, [](const InlineOperand &operand) {
    const llvm::StringRef letters = llvm::StringRef(operand.constraint).ltrim("=+&%*");
    return letters.size() != 1 || !llvm::StringRef("hrlqfdnbc").contains(letters[0]);
  });
}

/// Returns the text without its comments of the form `/* */`.
static std::string withoutComments(llvm::StringRef text) {
  std::string rest;
  for (;;) {
    const size_t begin = text.find("/*"), end = text.find("*/", begin == llvm::StringRef::npos ? begin : begin + 2);
    if (begin == llvm::StringRef::npos || end == llvm::StringRef::npos)
      return rest + text.str();
    rest += text.take_front(begin);
    text = text.drop_front(end + 2);
  }
}

bool looksLikePtx(const InlineStatement &statement) {
  const bool hasOtherLetters = hasOtherConstraints(statement);
  const bool hasOtherClobbers = llvm::any_of(statement.clobbers, [](const auto &clobber) {
    return clobber.first != "memory" && clobber.first != "cc" && clobber.first != "~{memory}";
  });
  if (!statement.isDevice && (hasOtherLetters || hasOtherClobbers))
    return false;
  const bool hasFlags = llvm::any_of(statement.clobbers, [](const auto &clobber) { return clobber.first == "cc"; });
  const bool hasNames =
      llvm::any_of(statement.operands, [](const InlineOperand &operand) { return !operand.name.empty(); });
  const llvm::StringRef whole = statement.text.text().trim();
  // A lone brace closes a block that another statement opens.
  bool any = statement.isDevice && !whole.empty() && whole.find_first_not_of("{} \t\r\n;") == llvm::StringRef::npos;
  bool sure = false, hasOthers = false;
  llvm::SmallVector<llvm::StringRef> lines;
  const std::string uncommented = withoutComments(statement.text.text());
  llvm::StringRef(uncommented).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef> parts;
    line.split("//").first.split(parts, ';');
    for (llvm::StringRef part : parts) {
      part = part.trim(" \t\r{}");
      if (const size_t colon = part.find(':');
          colon != llvm::StringRef::npos && !part.substr(colon).starts_with("::") && part.find_first_of(" .") > colon)
        part = part.drop_front(colon + 1).ltrim();
      const Likeness likeness = likenessOf(part, statement);
      any |= likeness != Likeness::No;
      sure |= likeness == Likeness::Sure;
      hasOthers |= likeness == Likeness::No && !part.empty();
    }
  }
  // Code for a GPU may be misspelt, but does not contain words of other architectures.
  const bool isOfHost = !statement.isDevice && (hasNames || hasOthers);
  return sure || (any && !hasOtherLetters && !hasOtherClobbers && !hasFlags && !isOfHost);
}

} // namespace ptxray
