#include "Source/Foreign.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <array>

namespace ptxray {

using llvm::StringRef;

namespace {

/// A kind of text, and its possible beginnings.
struct Kind {
  llvm::StringLiteral what, advice;
  std::array<std::string_view, 6> beginnings{};

  bool begins(StringRef text) const {
    return llvm::any_of(beginnings, [&](std::string_view one) { return !one.empty() && text.starts_with(one); });
  }
};

constexpr llvm::StringLiteral compile = "`nvcc -ptx FILE` compiles it to PTX; `--language=cuda` checks its `asm`";
constexpr llvm::StringLiteral unpack = "unpack it first";
constexpr llvm::StringLiteral extract = "`ptxray extract FILE` writes the PTX of binaries into files";
constexpr llvm::StringLiteral lower = "`llc -march=nvptx64 FILE` compiles it to PTX";
constexpr llvm::StringLiteral listing =
    "`ptxray extract` or `cuobjdump -xptx all` writes the PTX of a binary into files of its own";
constexpr llvm::StringLiteral encode = "save it as UTF-8; in PowerShell: `... | Out-File -Encoding utf8 FILE`";
constexpr llvm::StringLiteral machineCode =
    "this was compiled from PTX: `cuobjdump -ptx BINARY` shows it if the binary contains any";

constexpr Kind byBytes[] = {
    {"UTF-16 text", encode, {"\xFF\xFE", "\xFE\xFF"}},
    {"an ELF file",
     extract,
     {"\x7F"
      "ELF"}},
    {"a fat binary", extract, {"\x50\xED\x55\xBA"}},
    {"an archive", extract, {"!<arch>\n"}},
    {"a zip archive", unpack, {"PK\x03\x04"}},
    {"a gzip file", unpack, {"\x1F\x8B"}},
    {"a zstd file", unpack, {"\x28\xB5\x2F\xFD"}},
    {"an xz file",
     unpack,
     {"\xFD"
      "7zXZ"}},
    {"a bzip2 file", unpack, {"BZh"}},
    {"LLVM bitcode", lower, {"BC\xC0\xDE"}},
};

constexpr Kind byLine[] = {
    {"a listing of cuobjdump", listing, {"Fatbin "}},
    {"SASS, the GPU's machine code", machineCode, {"Function : ", ".headerflags", ".elftype", "/*0000*/"}},
    {"a diff", "apply it, and check the resulting file", {"diff --git ", "--- ", "Index: "}},
    {"CUDA C++", compile, {"#include", "#define", "#pragma", "#if", "#line", "asm"}},
    {"Python", "make Triton or Numba write the PTX, and check it", {"import ", "from ", "def ", "@triton"}},
    {"LLVM IR", lower, {"; ModuleID", "source_filename", "target datalayout", "target triple", "define "}},
    {"MLIR",
     "translate it to LLVM IR, and then to PTX",
     {"module {", "module @", "module attributes", "#loc", "#blocked"}},
    {"what ptxas prints", "check the PTX that was the input of ptxas", {"ptxas info"}},
    {"Markdown", "keep only the PTX between the fences", {"```"}},
    {"HTML or XML", "save the PTX as plain text", {"<"}},
    {"JSON", "save the PTX inside it as plain text", {"{\""}},
    {"what nvcc prints", compile, {"#$ "}},
};

/// Words at the beginning of a CUDA C++ source, but never of PTX.
constexpr llvm::StringLiteral wordsOfCuda[] = {
    "__global__", "__device__", "__host__", "__constant__", "__shared__", "__forceinline__", "extern", "template",
    "namespace",  "using",      "typedef",  "struct",       "class",      "static",          "inline", "constexpr",
    "void",       "int",        "float",    "double",       "const",      "unsigned",        "enum",   "auto"};

} // namespace

/// Returns the text after leading blanks and comments. An unterminated comment is not skipped.
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

/// Recognises an instruction without a module around it: `ld.global.u32 %r1, [%rd1];`, `@%p1 bra.uni L;`, `{ .reg .b32
/// t;`.
static bool isInstruction(StringRef line) {
  if (line.consume_front("{")) {
    line = skipComments(line);
    if (line.starts_with(".reg"))
      return true;
  }
  if (line.consume_front("@"))
    line = line.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim();
  const StringRef opcode = line.take_until([](char c) { return c == ' ' || c == '\t' || c == ';'; });
  auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
  auto isOfOpcode = [&](char c) { return isLower(c) || llvm::isDigit(c) || c == '.' || c == '_' || c == ':'; };
  return opcode.contains('.') && isLower(opcode.front()) && llvm::all_of(opcode, isOfOpcode) &&
         line.take_until([](char c) { return c == '\n'; }).contains(';');
}

/// Recognises the template of an `asm` statement, such as `add.u32 %0, %1, %2;`, with or without quotes.
static bool isOfAsm(StringRef text) {
  const bool isQuoted = text.consume_front("\"");
  if (!isInstruction(skipComments(text)))
    return false;
  for (size_t at = 0; (at = text.find('%', at)) != StringRef::npos; ++at)
    if (const StringRef next = text.substr(at + 1, 1); next == "[" || (next != "" && llvm::isDigit(next.front())))
      return true;
  return isQuoted;
}

/// Recognises UTF-16 without a byte order mark: every other byte is zero.
static bool isWide(StringRef text) {
  const StringRef beginning = text.take_front(64);
  return beginning.size() >= 8 && beginning.count('\0') >= beginning.size() / 2 - 1 &&
         beginning.count('\0') <= beginning.size() / 2 + 1;
}

[[gnu::always_inline]] static inline bool isControl(char c) { // called for each byte of a text
  constexpr uint32_t blanks = 1 << '\t' | 1 << '\n' | 1 << '\v' | 1 << '\f' | 1 << '\r';
  return static_cast<unsigned char>(c) < 0x20 && !(blanks >> c & 1);
}

/// Recognises typical beginnings of PTX, which no other text has.
static bool beginsAsPtx(StringRef text, StringRef rest) {
  return rest.starts_with(".version") && StringRef("./ \t\r\n").contains(text.front()) &&
         !text.take_front(64).contains('\0');
}

static std::optional<Kind> kindOf(StringRef text, StringRef rest) {
  if (beginsAsPtx(text, rest))
    return std::nullopt;
  for (const Kind &kind : byBytes)
    if (kind.begins(text))
      return kind;
  if (isWide(text))
    return Kind{"UTF-16 text", encode};
  if (rest.starts_with(".version") || rest.empty())
    return std::nullopt;
  if (text.take_front(1024).contains('\0'))
    return Kind{"binary data", extract};
  for (const Kind &kind : byLine)
    if (kind.begins(rest))
      return kind;
  const StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (llvm::is_contained(wordsOfCuda, word) && !rest.substr(word.size()).starts_with("."))
    return Kind{"CUDA C++", compile};
  if (isOfAsm(rest))
    return Kind{"the text of an `asm` statement",
                "`ptxray check` reads the source that contains it: CUDA C++, Python or LLVM assembly"};
  if (isInstruction(rest))
    return Kind{
        "a list of instructions without a module",
        "put `.version`, `.target`, and `.address_size 64` above them, and `.visible .entry k() { ... }` around them"};
  return std::nullopt;
}

std::optional<ForeignText> recogniseForeign(StringRef text) {
  if (beginsAsPtx(text, text)) // without a comment before it
    return std::nullopt;
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

StringRef typeOfOtherLanguage(StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> types[] = {
      {"int", ".s32"},      {"i32", ".s32"},     {"int32", ".s32"},   {"uint", ".u32"},    {"uint32", ".u32"},
      {"i16", ".s16"},      {"short", ".s16"},   {"int16", ".s16"},   {"ushort", ".u16"},  {"uint16", ".u16"},
      {"i64", ".s64"},      {"long", ".s64"},    {"int64", ".s64"},   {"ulong", ".u64"},   {"uint64", ".u64"},
      {"i8", ".s8"},        {"char", ".s8"},     {"int8", ".s8"},     {"uchar", ".u8"},    {"uint8", ".u8"},
      {"float", ".f32"},    {"double", ".f64"},  {"half", ".f16"},    {"bfloat", ".bf16"}, {"bfloat16", ".bf16"},
      {"float32", ".f32"},  {"float64", ".f64"}, {"float16", ".f16"}, {"i1", ".pred"},     {"bool", ".pred"},
      {"unsigned", ".u32"}, {"b1", ".pred"},
  };
  name.consume_back("_t");
  const auto *found = llvm::find_if(types, [name](const auto &type) { return type.first == name; });
  return found == std::end(types) ? StringRef() : StringRef(found->second);
}

static bool isOfName(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Recognises SASS, such as `IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]`: an operation in capitals, and a register of a GPU.
static bool isSass(StringRef line) {
  if (line.starts_with("/*0"))
    return true;
  const bool isGuarded = line.consume_front("@");
  if (isGuarded) {
    line.consume_front("!");
    if (!line.starts_with("P") && !line.starts_with("UP"))
      return false;
    line = line.drop_while(isOfName).ltrim();
  }
  const StringRef operation = line.take_until([](char c) { return c == ' ' || c == '\t' || c == ';'; });
  if (operation.size() < 2 || !llvm::all_of(operation, [](char c) {
        return (c >= 'A' && c <= 'Z') || llvm::isDigit(c) || c == '.' || c == '_';
      }))
    return false;
  if (isGuarded) // PTX has no such predicate
    return true;
  llvm::SmallVector<StringRef, 8> operands;
  line.drop_front(operation.size()).split(operands, ',');
  return llvm::any_of(operands, [](StringRef operand) {
    operand = operand.trim(" \t;[]-|~!");
    const StringRef name = operand.take_while(isOfName);
    StringRef number = name;
    number.consume_front("U");
    const bool isRegister = (number.consume_front("R") || number.consume_front("P")) && !number.empty() &&
                            (llvm::all_of(number, llvm::isDigit) || number == "Z" || number == "T");
    return isRegister || operand.starts_with("c[0x");
  });
}

static bool isLlvm(StringRef line) {
  constexpr StringRef beginnings[] = {"br label %",  "br i1 ",      "ret void",       "ret i",   "ret float",
                                      "call void @", "tail call ",  "store ptr",      "define ", "declare ",
                                      "store i",     "store float", "getelementptr ", "!{"};
  if (llvm::any_of(beginnings, [line](StringRef one) { return line.starts_with(one); }))
    return true;
  const bool isMetadata = line.consume_front("!");
  if (!isMetadata && !line.consume_front("%"))
    return false;
  line = line.drop_while([](char c) { return isOfName(c) || c == '.'; }).ltrim();
  if (!line.consume_front("="))
    return false;
  if (isMetadata) // `!0 = !{...}`
    return true;
  const StringRef operation = line.ltrim().take_while([](char c) { return isOfName(c) || c == '.'; });
  return llvm::is_contained<StringRef>(
      {"load",   "add",           "fadd",           "mul",           "fmul",     "sub",     "fsub",
       "call",   "tail",          "icmp",           "getelementptr", "fcmp",     "phi",     "select",
       "zext",   "sext",          "trunc",          "bitcast",       "shl",      "lshr",    "ashr",
       "udiv",   "sdiv",          "fdiv",           "alloca",        "sitofp",   "fptosi",  "extractvalue",
       "freeze", "insertelement", "extractelement", "addrspacecast", "ptrtoint", "inttoptr"},
      operation);
}

static bool isCuda(StringRef line) {
  constexpr llvm::StringLiteral words[] = {"if",   "for",   "while", "switch", "else", "do",   "asm",   "__asm__",
                                           "bool", "short", "long",  "half",   "char", "uint", "__half"};
  const StringRef word = line.take_while(isOfName), rest = line.substr(word.size());
  if (word.empty())
    return false;
  if (rest.starts_with("::") && llvm::isAlpha(rest.substr(2, 1).empty() ? ' ' : rest[2])) // `std::min`
    return true;
  if (rest.starts_with(".") || rest.starts_with(":") || rest.trim().starts_with(";"))
    return false;
  // `float4`
  const StringRef element = word.drop_back();
  const bool isVector = llvm::StringRef("1234").contains(word.back()) && !typeOfOtherLanguage(element).empty() &&
                        llvm::isAlpha(element.back());
  const bool isWord = llvm::is_contained(words, word) || llvm::is_contained(wordsOfCuda, word) || isVector ||
                      word.ends_with("_t") || (word.starts_with("__") && word.ends_with("__"));
  return isWord && !rest.empty() && (rest.starts_with(" ") || rest.starts_with("(") || rest.starts_with("\t"));
}

/// `s_waitcnt vmcnt(0)`, `v_add_f32 v0, v1, v2`: an operation with the prefix of its unit.
static bool isAmd(StringRef line) {
  constexpr llvm::StringLiteral units[] = {"s_",    "v_",           "ds_",           "buffer_",
                                           "flat_", "global_load_", "global_store_", "image_"};
  const StringRef word = line.take_while(isOfName);
  return llvm::any_of(units, [word](StringRef unit) { return word.starts_with(unit) && word.size() > unit.size(); }) &&
         llvm::all_of(word, [](char c) { return llvm::isLower(c) || llvm::isDigit(c) || c == '_'; }) &&
         (line.size() == word.size() || line[word.size()] == ' ');
}

/// `tl.store(ptr, x)`: a call of a member, which PTX has only as `call.uni(result)`.
static bool isPython(StringRef line) {
  const StringRef callee = line.take_while([](char c) { return isOfName(c) || c == '.'; });
  const StringRef first = callee.take_until([](char c) { return c == '.'; });
  const bool isCall = first.size() < callee.size() && line.substr(callee.size()).starts_with("(");
  return isCall && !first.empty() && llvm::isAlpha(first.front()) && first != "call" && !line.contains(';');
}

StringRef languageOfLine(StringRef line) {
  line = line.trim();
  return isSass(line)     ? "SASS, the GPU's machine code"
         : isLlvm(line)   ? "LLVM IR"
         : isCuda(line)   ? "CUDA C++"
         : isAmd(line)    ? "assembly of AMD GPUs"
         : isPython(line) ? "Python"
                          : "";
}

StringRef functionInPtx(StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> functions[] = {
      {"__syncthreads", "bar.sync 0"},
      {"__syncwarp", "bar.warp.sync 0xffffffff"},
      {"__threadfence", "fence.acq_rel.gpu"},
      {"__threadfence_block", "fence.acq_rel.cta"},
      {"__threadfence_system", "fence.acq_rel.sys"},
      {"__shfl_sync", "shfl.sync.idx.b32"},
      {"__shfl_up_sync", "shfl.sync.up.b32"},
      {"__shfl_down_sync", "shfl.sync.down.b32"},
      {"__shfl_xor_sync", "shfl.sync.bfly.b32"},
      {"__ballot_sync", "vote.sync.ballot.b32"},
      {"__any_sync", "vote.sync.any.pred"},
      {"__all_sync", "vote.sync.all.pred"},
      {"__activemask", "activemask.b32"},
      {"__ldg", "ld.global.nc"},
      {"__popc", "popc.b32"},
      {"__clz", "clz.b32"},
      {"__brev", "brev.b32"},
      {"__byte_perm", "prmt.b32"},
      {"__dp4a", "dp4a"},
      {"__nanosleep", "nanosleep.u32"},
      {"__trap", "trap"},
      {"__fmaf_rn", "fma.rn.f32"},
      {"atomicAdd", "atom.add"},
      {"atomicMax", "atom.max"},
      {"atomicMin", "atom.min"},
      {"atomicCAS", "atom.cas"},
      {"atomicExch", "atom.exch"},
      {"atomicOr", "atom.or"},
      {"atomicAnd", "atom.and"},
      {"rsqrtf", "rsqrt.approx.f32"},
      {"sqrtf", "sqrt.rn.f32"},
      {"fmaf", "fma.rn.f32"},
      {"fabsf", "abs.f32"},
      {"fmaxf", "max.f32"},
      {"fminf", "min.f32"},
      {"exp2f", "ex2.approx.f32"},
      {"__sinf", "sin.approx.f32"},
      {"__cosf", "cos.approx.f32"},
      {"clock64", "mov.u64 ..., %clock64"},
  };
  const auto *found = llvm::find_if(functions, [name](const auto &one) { return one.first == name; });
  return found == std::end(functions) ? StringRef() : StringRef(found->second);
}

bool isSurelyPtx(StringRef text) {
  text.consume_front(byteOrderMark);
  StringRef rest = skipComments(text);
  while (rest.starts_with("#")) // a comment in other languages
    rest = skipComments(rest.drop_front(std::min(rest.find('\n'), rest.size())));
  return rest.starts_with(".version") && llvm::none_of(text.rtrim('\0'), [](char c) { return isControl(c); });
}

} // namespace ptxray
