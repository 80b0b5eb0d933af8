#include "Source/Foreign.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

namespace {

/// A kind of text, and what it begins with.
struct Kind {
  llvm::StringLiteral beginning, what, advice;
};

constexpr llvm::StringLiteral compile = "`nvcc -ptx FILE` makes PTX of it; with `--language=cuda` its `asm` is checked";
constexpr llvm::StringLiteral unpack = "unpack it first";
constexpr llvm::StringLiteral extract = "`ptxray extract FILE` takes PTX out of binaries";
constexpr llvm::StringLiteral lower = "`llc -march=nvptx64 FILE` makes PTX of it";
constexpr llvm::StringLiteral listing =
    "`ptxray extract` or `cuobjdump -xptx all` writes the PTX of a binary into files of its own";
constexpr llvm::StringLiteral encode = "save it as UTF-8; in PowerShell: `... | Out-File -Encoding utf8 FILE`";
constexpr llvm::StringLiteral machineCode =
    "PTX is what this was made of: `cuobjdump -ptx BINARY` shows it if the binary holds any";

constexpr Kind byBytes[] = {
    {"\xFF\xFE", "UTF-16 text", encode},
    {"\xFE\xFF", "UTF-16 text", encode},
    {"\x7F"
     "ELF",
     "an ELF file", extract},
    {"\x50\xED\x55\xBA", "a fat binary", extract},
    {"!<arch>\n", "an archive", extract},
    {"PK\x03\x04", "a zip archive", unpack},
    {"\x1F\x8B", "a gzip file", unpack},
    {"\x28\xB5\x2F\xFD", "a zstd file", unpack},
    {"\xFD"
     "7zXZ",
     "an xz file", unpack},
    {"BZh", "a bzip2 file", unpack},
    {"BC\xC0\xDE", "LLVM bitcode", lower},
};

constexpr Kind byLine[] = {
    {"Fatbin ", "a listing of cuobjdump", listing},
    {"Function : ", "SASS, the code of the GPU", machineCode},
    {".headerflags", "SASS, the code of the GPU", machineCode},
    {".elftype", "SASS, the code of the GPU", machineCode},
    {"/*0000*/", "SASS, the code of the GPU", machineCode},
    {"diff --git ", "a diff", "apply it, and check the file that it changes"},
    {"--- ", "a diff", "apply it, and check the file that it changes"},
    {"Index: ", "a diff", "apply it, and check the file that it changes"},
    {"#include", "CUDA C++", compile},
    {"#define", "CUDA C++", compile},
    {"#pragma", "CUDA C++", compile},
    {"#if", "CUDA C++", compile},
    {"#line", "CUDA C++", compile},
    {"asm", "CUDA C++", compile},
    {"import ", "Python", "have Triton or Numba write the PTX, and check that"},
    {"from ", "Python", "have Triton or Numba write the PTX, and check that"},
    {"def ", "Python", "have Triton or Numba write the PTX, and check that"},
    {"@triton", "Python", "have Triton or Numba write the PTX, and check that"},
    {"; ModuleID", "LLVM IR", lower},
    {"source_filename", "LLVM IR", lower},
    {"target datalayout", "LLVM IR", lower},
    {"target triple", "LLVM IR", lower},
    {"define ", "LLVM IR", lower},
    {"module {", "MLIR", "translate it to LLVM IR, and that to PTX"},
    {"module @", "MLIR", "translate it to LLVM IR, and that to PTX"},
    {"module attributes", "MLIR", "translate it to LLVM IR, and that to PTX"},
    {"#loc", "MLIR", "translate it to LLVM IR, and that to PTX"},
    {"#blocked", "MLIR", "translate it to LLVM IR, and that to PTX"},
    {"ptxas info", "what ptxas prints", "check the PTX that ptxas was given"},
    {"```", "Markdown", "the PTX between the fences is to stand alone"},
    {"<", "HTML or XML", "save the PTX as plain text"},
    {"{\"", "JSON", "save the PTX that is in it as plain text"},
    {"#$ ", "what nvcc prints", compile},
};

/// Words that a CUDA C++ text begins with, and no PTX.
constexpr llvm::StringLiteral wordsOfCuda[] = {
    "__global__", "__device__", "__host__", "__constant__", "__shared__", "__forceinline__", "extern", "template",
    "namespace",  "using",      "typedef",  "struct",       "class",      "static",          "inline", "constexpr",
    "void",       "int",        "float",    "double",       "const",      "unsigned",        "enum",   "auto"};

} // namespace

/// What is left after blanks and comments; empty when nothing is. A comment that does not end is none.
static StringRef skipComments(StringRef text) {
  for (;;) {
    text = text.ltrim(" \t\r\n\f\v");
    if (text.starts_with("//")) {
      text = text.drop_front(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*") && !text.starts_with("/*0")) {
      const size_t end = text.find("*/", 2);
      if (end == StringRef::npos)
        return text;
      text = text.drop_front(end + 2);
    } else {
      return text;
    }
  }
}

/// `ld.global.u32 %r1, [%rd1];` or `@%p1 bra L;`, without a module around it.
static bool isInstruction(StringRef line) {
  if (line.consume_front("@"))
    line = line.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim();
  const StringRef opcode = line.take_until([](char c) { return c == ' ' || c == '\t' || c == ';'; });
  auto isOfOpcode = [](char c) { return llvm::isLower(c) || llvm::isDigit(c) || c == '.' || c == '_' || c == ':'; };
  return opcode.contains('.') && llvm::isLower(opcode.front()) && llvm::all_of(opcode, isOfOpcode) &&
         line.take_until([](char c) { return c == '\n'; }).rtrim().ends_with(";");
}

/// UTF-16 without a mark: every other byte is zero.
static bool isWide(StringRef text) {
  const StringRef beginning = text.take_front(64);
  return beginning.size() >= 8 && beginning.count('\0') >= beginning.size() / 2 - 1 &&
         beginning.count('\0') <= beginning.size() / 2 + 1;
}

static bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 && !StringRef("\t\n\v\f\r").contains(c); }

static std::optional<Kind> kindOf(StringRef text, StringRef rest) {
  for (const Kind &kind : byBytes)
    if (text.starts_with(kind.beginning))
      return kind;
  if (isWide(text))
    return Kind{"", "UTF-16 text", encode};
  if (rest.starts_with(".version") || rest.empty())
    return std::nullopt;
  if (text.take_front(1024).contains('\0'))
    return Kind{"", "binary data", extract};
  for (const Kind &kind : byLine)
    if (rest.starts_with(kind.beginning))
      return kind;
  const StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (llvm::is_contained(wordsOfCuda, word) && !rest.substr(word.size()).starts_with("."))
    return Kind{"", "CUDA C++", compile};
  if (isInstruction(rest))
    return Kind{
        "", "instructions without a module",
        "put `.version`, `.target`, and `.address_size 64` above them, and `.visible .entry k() { ... }` around them"};
  return std::nullopt;
}

std::optional<ForeignText> recogniseForeign(StringRef text) {
  const StringRef rest = skipComments(text.starts_with(byteOrderMark) ? text.drop_front(3) : text);
  const std::optional<Kind> kind = kindOf(text, rest);
  if (!kind)
    return std::nullopt;
  const size_t begin = rest.data() - text.data();
  const StringRef line = rest.take_until([](char c) { return c == '\n' || c == '\r' || isControl(c); });
  ForeignText foreign{kind->what, kind->advice, {}, std::nullopt};
  foreign.place = {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + line.size())};
  constexpr StringRef version = "\n.version";
  if (const size_t at = text.find(version); at != StringRef::npos)
    foreign.ptx = {static_cast<uint32_t>(at + 1), static_cast<uint32_t>(at + version.size())};
  return foreign;
}

bool isSurelyPtx(StringRef text) {
  text.consume_front(byteOrderMark);
  StringRef rest = skipComments(text);
  while (rest.starts_with("#")) // a comment as other languages have it
    rest = skipComments(rest.drop_front(std::min(rest.find('\n'), rest.size())));
  return rest.starts_with(".version") && llvm::none_of(text.rtrim('\0'), isControl);
}

} // namespace ptxray
