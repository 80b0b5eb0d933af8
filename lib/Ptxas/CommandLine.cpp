// Parses words like ptxas: values after `=` or in the next word, comma-separated lists, files of options.
#include "Ptxas/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace ptxray {

using llvm::StringRef;

static constexpr unsigned deepest = 8; // nesting of files of options

/// The options of ptxas whose value may be a separate word, by long and short name. If an option is missing here, its
/// value is treated as a file, which does no harm.
static constexpr llvm::StringLiteral withValue[] = {
    "Ofast-compile",
    "Ofc",
    "allow-expensive-optimizations",
    "apply-controls",
    "def-load-cache",
    "dlcm",
    "def-store-cache",
    "dscm",
    "device-function-maxrregcount",
    "func-maxrregcount",
    "device-stack-protector",
    "enable-func-clone-sc",
    "entry",
    "e",
    "fmad",
    "force-load-cache",
    "flcm",
    "force-store-cache",
    "fscm",
    "gpu-name",
    "arch",
    "input-as-string",
    "ias",
    "machine",
    "m",
    "maxntid",
    "maxrregcount",
    "minnctapersm",
    "opt-level",
    "O",
    "options-file",
    "optf",
    "output-file",
    "o",
    "position-independent-code",
    "pic",
    "register-usage-level",
    "regUsageLevel",
    "sanitize",
    "split-compile",
};

static void readWords(llvm::ArrayRef<std::string> words, unsigned depth, PtxasCommandLine &out);

/// Splits words at blanks, except within quotes.
static std::vector<std::string> splitWords(StringRef text) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (char c : text) {
    if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    else if (quote || !llvm::isSpace(c))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty())
    words.pop_back();
  return words;
}

/// Reads a number of registers. `archmax` and `archmin` have the same values on every target.
static std::optional<uint64_t> readRegisterCount(StringRef value) {
  if (value == "archmax" || value == "archmin")
    return value == "archmax" ? 255 : 32;
  uint64_t count = 0;
  return value.getAsInteger(0, count) ? std::nullopt : std::optional(count);
}

/// Reads `256` or `32,8`.
static std::optional<uint64_t> readProduct(StringRef value) {
  uint64_t product = 1;
  llvm::SmallVector<StringRef> numbers;
  value.split(numbers, ',');
  for (StringRef number : numbers) {
    uint16_t one = 0;
    if (number.getAsInteger(0, one))
      return std::nullopt;
    product *= one;
  }
  return product;
}

static bool readKernelOption(StringRef name, StringRef value, KernelOptions &out) {
  if (name == "maxrregcount")
    out.maxrregcount = readRegisterCount(value);
  else if (name == "maxntid")
    out.maxntid = readProduct(value);
  else if (name == "minnctapersm")
    out.minnctapersm = readProduct(value);
  else if (name == "device-function-maxrregcount" || name == "func-maxrregcount")
    out.forFunctions = true;
  else if (name == "override-directive-values")
    out.overDirectives = true;
  else
    return false;
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): at most `deepest` files name each other
static void readOption(StringRef name, StringRef value, unsigned depth, PtxasCommandLine &out) {
  if (readKernelOption(name, value, out.kernels))
    return;
  if (name == "output-file" || name == "o") {
    out.output = value.str();
  } else if (name == "gpu-name" || name == "arch") {
    out.arch = value.str();
  } else if (name == "machine" || name == "m") {
    out.machine = value.str();
  } else if (name == "compile-only" || name == "c") {
    out.isSeparate = true;
  } else if (name == "version" || name == "V") {
    out.wantsVersion = true;
  } else if (name == "help" || name == "h") {
    out.wantsHelp = true;
  } else if (name == "list-arch" || name == "arch-ls") {
    out.wantsArchitectures = true;
  } else if (name == "list-version" || name == "version-ls") {
    out.wantsVersions = true;
  } else if (name == "input-as-string" || name == "ias") {
    out.texts.push_back(value.str());
  } else if ((name == "options-file" || name == "optf") && depth < deepest) {
    llvm::SmallVector<StringRef> paths;
    value.split(paths, ',');
    for (StringRef path : paths)
      if (auto file = llvm::MemoryBuffer::getFile(path))
        readWords(splitWords((*file)->getBuffer()), depth + 1, out);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): at most `deepest` files name each other
static void readWords(llvm::ArrayRef<std::string> words, unsigned depth, PtxasCommandLine &out) {
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (word == "-" || !word.starts_with("-")) {
      llvm::SmallVector<StringRef> paths; // ptxas also accepts comma-separated lists
      word.split(paths, ',');
      out.files.insert(out.files.end(), paths.begin(), paths.end());
      continue;
    }
    auto [name, value] = word.drop_while([](char c) { return c == '-'; }).split('=');
    if (!word.contains('=') && llvm::is_contained(withValue, name) && i + 1 < words.size())
      value = words[++i];
    if (name.size() > 1 && name.front() == 'm' && llvm::all_of(name.drop_front().ltrim(), llvm::isDigit))
      std::tie(name, value) = std::pair(StringRef("m"), name.drop_front()); // `-m32`, or `-m 32` as one word
    readOption(name, value, depth, out);
  }
}

PtxasCommandLine readPtxasCommandLine(llvm::ArrayRef<std::string> words) {
  PtxasCommandLine line;
  readWords(words, 0, line);
  return line;
}

} // namespace ptxray
